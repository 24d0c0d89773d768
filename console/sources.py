"""What became of each source of a task, told from the units that the ledger holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from console.account import Account
from lambdas.agent.codec import manifest_of
from lambdas.agent.contract import Step
from lambdas.agent.earlier_plans import Plan, last_plan
from lambdas.agent.model import UnitRecord
from lambdas.agent.request import Source
from lambdas.agent.tally import OF_A_SOURCE


class State(StrEnum):
    """How far a source has come."""

    WAITING = "waiting"
    UNDER_WAY = "under way"
    TRIED_AGAIN = "tried again"
    READ = "read"
    SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """`step` is the last one that was reached; empty where none was. `is_twin`: another source has
    the same bytes, and was read for both.
    """

    url: str
    step: str
    state: State
    findings: int = 0
    error_code: str = ""
    reason: str = ""
    is_twin: bool = False

    @property
    def comment(self) -> str:
        if self.error_code:
            return f"{self.error_code}: {self.reason}"
        if self.is_twin:
            return "the same page as another source"
        if self.state is not State.READ:
            return ""
        return "1 finding" if self.findings == 1 else f"{self.findings or 'no'} findings"


def source_lines(account: Account, units: Iterable[UnitRecord]) -> list[SourceLine]:
    """In the manifest's order; none where PLAN has not written a manifest yet."""
    by_item: dict[str, dict[Step, UnitRecord]] = {}
    for unit in units:
        by_item.setdefault(unit.item, {})[unit.step] = unit
    plans = (units[Step.PLAN] for units in by_item.values() if Step.PLAN in units)
    return [
        _line(account, source, by_item.get(source.item, {}))
        for source in _manifest(account, last_plan(plans))
    ]


def _manifest(account: Account, plan: Plan | None) -> tuple[Source, ...]:
    """All sources, as the last run that planned them has them."""
    if plan is None:
        return ()
    return manifest_of(artifact(account, str(plan.facts.get("all") or plan.facts["manifest"])))


def artifact(account: Account, ref: str) -> bytes:
    bucket = account.resources.artifact_bucket
    return account.s3.get_object(Bucket=bucket, Key=ref)["Body"].read()


def _line(account: Account, source: Source, units: Mapping[Step, UnitRecord]) -> SourceLine:
    reached = next((units[step] for step in reversed(OF_A_SOURCE) if step in units), None)
    if reached is None:
        return SourceLine(url=source.url, step="", state=State.WAITING)
    if reached.step is Step.SET_ASIDE and reached.is_done:
        return _set_aside(account, source, reached)
    facts = reached.outcome.facts if reached.outcome else {}
    return SourceLine(
        url=source.url,
        step=reached.step.value,
        state=_state(reached),
        findings=int(facts.get("findings", 0)),
        error_code=reached.error_code,
        reason=reached.last_error,
        is_twin="same_as" in facts,
    )


def _state(reached: UnitRecord) -> State:
    is_twin = reached.outcome is not None and "same_as" in reached.outcome.facts
    if reached.is_done and (reached.step is Step.ANALYZE or is_twin):
        return State.READ
    return State.TRIED_AGAIN if reached.error_code else State.UNDER_WAY


def _set_aside(account: Account, source: Source, unit: UnitRecord) -> SourceLine:
    why = _why(account, unit)
    return SourceLine(
        url=source.url,
        step=why.get("step") or Step.SET_ASIDE.value,
        state=State.SET_ASIDE,
        error_code=str(why.get("error_code", "")),
        reason=str(why.get("reason", "")),
    )


def _why(account: Account, unit: UnitRecord) -> dict[str, Any]:
    outcome = unit.outcome
    if outcome is None:
        return {}
    body = artifact(account, outcome.result_ref) if outcome.result_ref else outcome.result
    found: dict[str, Any] = json.loads(body) if body else dict(outcome.facts)
    return found
