"""A decision on one exact report: recorded first, signalled second.

The decision is the outcome of the APPROVE unit, committed under its lease like any other: so
the first answer wins, a second one is told what was decided, and a repeated one heals a signal
that was lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lambdas.agent.contract import Decision, Status, Step
from lambdas.agent.errors import IllegalMove
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.model import Outcome, Unit, UnitRecord
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran, run
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work

NEXT_STEP = {
    Decision.APPROVED: Step.PUBLISH,
    Decision.CHANGES_REQUESTED: Step.REPORT,
    Decision.REJECTED: Step.COMPLETE,
}
REVISIONS = 20
"""Reports of one run at the most; each is a round through the graph, whose history is finite."""
NOTE_LIMIT = 1000
"""Characters of a reviewer's note: it is kept in the record, which stays small."""
NOTE_BYTES = 2000
"""The same as JSON, where a character outside ASCII takes six."""
BY_BYTES = 200
"""Of the name of who decided, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What somebody says to a report."""

    decision: Decision
    by: str
    note: str = ""


def decided(work: Work, verdict: Verdict) -> Outcome:
    """The outcome of an APPROVE unit whose report was decided on."""
    return Outcome.done(
        callback=work.held.outcome.callback if work.held.outcome else "",
        move=Move(to=NEXT_STEP[verdict.decision], status=Status.RUNNING),
        decision=verdict.decision.value,
        by=_short(verdict.by, BY_BYTES),
        note=_short(verdict.note[:NOTE_LIMIT], NOTE_BYTES),
        at=iso(work.ports.clock.now()),
        report=work.args["report"],
    )


def _short(text: str, most: int) -> str:
    while len(canonical(text)) > most:
        text = text[: len(text) * 9 // 10]
    return text


def signal_of(outcome: Outcome) -> dict[str, Any]:
    """What the waiting state gets to see: who and why stand in the record, which has the room."""
    return {"decision": outcome.facts["decision"], "at": outcome.facts["at"]}


def record_of(ports: Ports, task_id: str, revision: int) -> UnitRecord | None:
    """The APPROVE unit of that revision, if anybody was ever asked."""
    found = ports.ledger.units(task_id, item=f"r{revision}")
    return next((unit for unit in found if unit.step is Step.APPROVE), None)


def decide(
    verdict: Verdict, asked: UnitRecord, task_id: str, ports: Ports, *, owner: str, seconds: float
) -> Ran:
    """Record the verdict; `is_replay` where one had been recorded before, which then stands."""
    if asked.outcome is None:
        raise IllegalMove(
            f"Nobody has been asked about task {task_id} yet: "
            "answer when its status is WAITING_FOR_APPROVAL"
        )
    if verdict.decision is Decision.CHANGES_REQUESTED and asked.item == f"r{REVISIONS}":
        raise IllegalMove(
            f"Task {task_id} is at revision {REVISIONS}, the last one: approve it, or reject it "
            "and start a new run"
        )
    unit = Unit(
        task_id=task_id,
        step=Step.APPROVE,
        item=asked.item,
        args={"report": asked.outcome.facts["report"]},
    )
    return run(lambda work: decided(work, verdict), unit, ports, owner=owner, seconds=seconds)
