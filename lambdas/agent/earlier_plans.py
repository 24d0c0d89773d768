"""What earlier runs of a task had planned, and how far they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.agent.continuing import run_of
from lambdas.agent.contract import Step
from lambdas.agent.model import WHOLE_TASK, UnitRecord

NOTHING_REPORTED = {"revision": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What PLAN of an earlier run had committed."""

    run: int
    facts: Mapping[str, Any]


def last_plan(units: Iterable[UnitRecord], *, before: int | None = None) -> Plan | None:
    plans = [
        Plan(run=run_of(unit.item), facts=unit.outcome.facts)
        for unit in units
        if unit.step is Step.PLAN and unit.is_done and unit.outcome
    ]
    earlier = (plan for plan in plans if before is None or plan.run < before)
    return max(earlier, key=lambda plan: plan.run, default=None)


def manifest_before(before: Plan) -> str:
    return str(fact(before, "all") or fact(before, "manifest"))


def as_before(before: Plan | None) -> dict[str, Any]:
    return {
        "validate_as": fact(before, "validate_as") or WHOLE_TASK,
        "report": fact(before, "report") or NOTHING_REPORTED,
    }


def fact(before: Plan | None, name: str) -> Any:
    return before.facts.get(name) if before else None


def revisions_begun(units: Iterable[UnitRecord]) -> int:
    """One that was begun and is not done is of what had been read before."""
    begun = (int(unit.item.removeprefix("r")) for unit in units if unit.step is Step.REPORT)
    return max(begun, default=0)
