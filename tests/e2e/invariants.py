"""What must hold of a run whose functions have died, each violation a sentence."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lambdas.adapters.chaos import When
from lambdas.adapters.endangered import Marker
from lambdas.agent.contract import Step
from tests.e2e.account import Account
from tests.e2e.danger import Watched
from tests.e2e.events import Events

KILLED, TIMED_OUT = "Runtime.ExitError", "Sandbox.Timedout"
EXPECTED = {KILLED, TIMED_OUT, "StillClaimed", "SourceRefused"}
"""Errors of a run of the sample among deaths; one of its sources is not there."""
_MOMENT = r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\dZ| UTC)"
_TIME = re.compile(f"{_MOMENT}(?: to {_MOMENT})?")
"""A moment, or from one to another: a run among deaths takes more than a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """A run that has ended, and the deaths in it."""

    account: Account
    watched: Watched
    deaths: Sequence[Marker]
    errors: Counter[str]

    @classmethod
    def of(cls, watched: Watched, deaths: Sequence[Marker]) -> Aftermath:
        told = watched.account.tellings(watched.task_id)
        watched.look()
        errors = Counter(_errors(watched.account, watched.arn, *told))
        return cls(account=watched.account, watched=watched, deaths=deaths, errors=errors)

    @property
    def in_states(self) -> list[Marker]:
        """Deaths that Step Functions has seen: units of APPROVE die in the decision's door."""
        return [death for death in self.deaths if death.step != Step.APPROVE]

    @property
    def unasked(self) -> int:
        """Timeouts that nobody ordered: this machine was slow. Each may cost an attempt."""
        hung = sum(death.when == When.HANG for death in self.in_states)
        return self.errors[TIMED_OUT] - hung


def violations(after: Aftermath, undisturbed: Watched, events: Events) -> list[str]:
    return [
        *after.watched.faults,
        *_ending(after),
        *_attempts(after),
        *_report(after, undisturbed),
        *_effects(after, events),
    ]


def report(watched: Watched) -> dict[str, str]:
    """The published files, without the times and the facts of this one run."""
    if watched.task is None:
        return {}
    keys = watched.account.keys(watched.task.result_uri.split("/", 3)[-1] or "nothing")
    files = {key.rpartition("/")[2]: watched.account.body(key).decode() for key in keys}
    facts = (watched.task.task_id, watched.task.workflow_id, watched.task.agent_id)
    return {name: _without(facts, body) for name, body in files.items()}


def fetches(log: Path, url: str) -> int:
    """How often the sample site was asked for a page."""
    return log.read_text().count(f'"GET {urlsplit(url).path} ')


def _without(facts: tuple[str, ...], body: str) -> str:
    for fact in facts:
        body = body.replace(fact, "(fact)")
    return _TIME.sub("(time)", body)


def _ending(after: Aftermath) -> Iterator[str]:
    task = after.watched.task
    if task is None or task.status != "SUCCEEDED":
        yield f"the task did not succeed: {task}"
    if strange := sorted(after.errors.keys() - EXPECTED):
        yield f"errors that no death explains: {', '.join(strange)}"
    kills = sum(death.when != When.HANG for death in after.in_states)
    if after.errors[KILLED] != kills:
        yield f"Step Functions saw {after.errors[KILLED]} killed processes of {kills}"
    if after.unasked < 0:
        yield "a hanging process was not ended by its function's timeout"


def _attempts(after: Aftermath) -> Iterator[str]:
    """A worker that dies holding the lease costs one attempt, any other death none."""
    lost = Counter((death.step, death.item) for death in after.deaths if death.held)
    over = {
        (step, item): record.attempt - 1 - lost[step, item]
        for (step, item), record in after.watched.units.items()
    }
    if wrong := {unit: extra for unit, extra in over.items() if extra < 0}:
        yield f"deaths under a lease that were no attempts: {wrong}"
    if sum(over.values()) > after.unasked:
        yield f"attempts that no death explains: { {u: n for u, n in over.items() if n} }"


def _report(after: Aftermath, undisturbed: Watched) -> Iterator[str]:
    ours, theirs = report(after.watched), report(undisturbed)
    if len(ours) != 3:
        yield f"the shelf holds {sorted(ours)}"
    yield from (f"{name} differs" for name in theirs if ours.get(name) != theirs[name])


def _effects(after: Aftermath, events: Events) -> Iterator[str]:
    """An event may come twice where its receipt was lost, and then under the same id."""
    events.ends(after.watched.task_id)
    heard = [
        event["detail"]["event_id"]
        for event in events.heard
        if event["detail-type"] == "ReportCompleted"
        and event["detail"]["task_id"] == after.watched.task_id
    ]
    lost = sum("announcer.announce" in death.calls and death.held for death in after.deaths)
    if len(set(heard)) != 1 or len(heard) > 1 + lost + after.unasked:
        yield f"ReportCompleted was heard {len(heard)} times as {len(set(heard))} events"
    shelves = [key for key in after.account.keys("published/") if after.watched.task_id in key]
    if len(shelves) != 3:
        yield f"published: {shelves}"


def _errors(account: Account, arn: str, *told: str) -> Iterator[str]:
    """What Step Functions has seen fail, in the run, in those of its sources, in what was told."""
    for execution in (arn, *account.children(arn), *told):
        for event in account.history(execution):
            for detail in event.values():
                if isinstance(detail, dict) and "error" in detail:
                    yield str(detail["error"])


def lines(account: Account, task: str) -> list[dict[str, str]]:
    """What the functions have logged about a task."""
    logs = account.client("logs")
    groups = {each["LoggingConfig"]["LogGroup"] for each in account.functions().values()}
    found = []
    for group in sorted(groups):
        for page in logs.get_paginator("filter_log_events").paginate(logGroupName=group):
            said = [event["message"] for event in page["events"] if task in event["message"]]
            found += [json.loads(message) for message in said if message.startswith("{")]
    return found
