"""A decision on one exact report: recorded first, signalled second.

The decision is the outcome of the APPROVE unit, committed under its lease like any other: so
the first answer wins, a second one is told what was decided, and a repeated one heals a signal
that was lost. The end of the window is an answer too, and comes first or too late like the others.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from lambdas.agent.contract import Decision, Status, Step
from lambdas.agent.errors import IllegalMove
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.invitation import opened
from lambdas.agent.model import Outcome, Unit, UnitRecord
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran, run
from lambdas.agent.tasks import Move, TaskRecord
from lambdas.agent.verdicts import (
    BY_A_PERSON,
    BY_BYTES,
    HEAD_BYTES,
    NOTE_BYTES,
    NOTE_LIMIT,
    PACKED_BYTES,
    Verdict,
)
from lambdas.agent.work import Work

NEXT_STEP = {
    Decision.APPROVED: Step.PUBLISH,
    Decision.CHANGES_REQUESTED: Step.REPORT,
    Decision.REJECTED: Step.COMPLETE,
    Decision.EXPIRED: Step.COMPLETE,
}
WAITS = Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL)
OF_THE_LINK = ("link", "until")
"""Facts of the question that stay beside its answer: where it was asked, and until when."""
REVISIONS = 10
"""Reports of one run at the most; each is a round through the graph, whose history is finite."""
EXTENSIONS = 2
"""How often a revision may be given another window, for the same reason."""


def decided(work: Work, verdict: Verdict) -> Outcome:
    """The outcome of an APPROVE unit whose report was decided on."""
    asked = work.held.outcome
    known = (
        {name: asked.facts[name] for name in OF_THE_LINK if name in asked.facts} if asked else {}
    )
    note = verdict.note[:NOTE_LIMIT]
    is_small = len(canonical(note)) <= NOTE_BYTES
    return Outcome.done(
        callback=asked.callback if asked else "",
        result=None if is_small else _packable(note),
        move=Move(to=NEXT_STEP[verdict.decision], status=Status.RUNNING),
        decision=verdict.decision.value,
        by=_short(verdict.by, BY_BYTES),
        note=note if is_small else _short(note, HEAD_BYTES),
        at=iso(work.ports.clock.now()),
        report=work.args["report"],
        rule=verdict.rule,
        **known,
    )


def extended(work: Work, verdict: Verdict) -> Outcome:
    """The question stands, and its state is woken to wait anew; once, however often it is asked."""
    asked = work.held.outcome
    if asked is None or is_extended(asked):
        return still_asked(work)
    if "extensions" not in asked.facts:
        raise IllegalMove(
            f"Task {work.task_id} is run by a machine from before there was more time: approve its "
            "report, reject it or ask for changes"
        )
    count = int(asked.facts["extensions"])
    if count >= EXTENSIONS:
        raise IllegalMove(
            f"Task {work.task_id} has been given more time {EXTENSIONS} times, which is all there "
            "is to give: approve its report, reject it or ask for changes"
        )
    told = {"extensions": count + 1, "more_time": iso(work.ports.clock.now())}
    by = _short(verdict.by, BY_BYTES)
    facts = {**asked.facts, **told, "more_time_by": by}
    return Outcome.ask(callback=asked.callback, move=WAITS, **facts)


def still_asked(work: Work) -> Outcome:
    """What stands, committed once more."""
    asked = work.held.outcome
    if asked is None:
        raise IllegalMove(f"Nobody has been asked about task {work.task_id} yet")
    return Outcome.ask(callback=asked.callback, move=WAITS, **asked.facts)


def is_extended(asked: Outcome) -> bool:
    """More time was asked for, and the state has not come back to wait for it."""
    return "more_time" in asked.facts


def note_in(decided: Outcome) -> str:
    """What was said to the report, whole."""
    if decided.result is not None:
        return decided.result.decode()
    return str(decided.facts.get("note", ""))


def _packable(note: str) -> bytes:
    while len(zlib.compress(note.encode(errors="replace"))) > PACKED_BYTES:
        note = note[: len(note) * 9 // 10]
    return note.encode(errors="replace")


def _short(text: str, most: int) -> str:
    """As it is, or its beginning and that it was longer."""
    if len(canonical(text)) <= most:
        return text
    while len(canonical(f"{text}…")) > most:
        text = text[: len(text) * 9 // 10]
    return f"{text}…"


def signal_of(outcome: Outcome) -> dict[str, Any]:
    """What the waiting state gets to see: who and why stand in the record, which has the room."""
    if is_extended(outcome):
        return {"decision": Decision.MORE_TIME.value, "at": outcome.facts["more_time"]}
    return {"decision": outcome.facts["decision"], "at": outcome.facts["at"]}


def record_of(ports: Ports, task_id: str, revision: int) -> UnitRecord | None:
    """The APPROVE unit of that revision, if anybody was ever asked."""
    found = ports.ledger.units(task_id, item=f"r{revision}")
    return next((unit for unit in found if unit.step is Step.APPROVE), None)


def is_open(task: TaskRecord, asked: UnitRecord) -> bool:
    """Whether an answer would be heard: once the run has ended, or has made another report, the
    state that asked waits no more.
    """
    is_followed = int(asked.item.removeprefix("r")) < task.revision
    return not (asked.is_done or task.status.is_final or is_followed)


def decide(
    verdict: Verdict, asked: UnitRecord, task_id: str, ports: Ports, *, owner: str, seconds: float
) -> Ran:
    """Record the verdict; `is_replay` where one had been recorded before, which then stands."""
    if verdict.decision not in BY_A_PERSON:
        raise IllegalMove(
            f"{verdict.decision} is nobody's answer to task {task_id}: the clock's only"
        )
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
    said = extended if verdict.decision is Decision.MORE_TIME else decided
    unit = unit_of(task_id, asked.item, asked.outcome.facts["report"])
    return run(lambda work: said(work, verdict), unit, ports, owner=owner, seconds=seconds)


def on_record(work: Work, revision: int, decision: Decision) -> Mapping[str, Any]:
    """What was decided on a revision whose state was woken by `decision`; empty where nobody was
    asked. An operator who answered the raw token outside is recorded now, if nobody is before.
    """
    asked = record_of(work.ports, work.task_id, revision)
    if asked is None or asked.outcome is None:
        return {}
    if asked.is_done:
        return asked.outcome.facts
    verdict = Verdict(decision=decision, by="task token", note="Answered outside Ratchet")
    seconds = work.deadline - work.ports.clock.now()
    owner = str(work.held.owner)
    ran = decide(verdict, asked, work.task_id, work.ports, owner=owner, seconds=seconds)
    return ran.outcome.facts


def unit_of(task_id: str, item: str, report: str) -> Unit:
    return Unit(task_id=task_id, step=Step.APPROVE, item=item, args={"report": report})


def told(ran: Ran, *, heard: bool) -> dict[str, Any]:
    """What stands, in a person's words: `already` where it had been said before, `heard` where
    somebody waited for it.
    """
    facts, before = ran.outcome.facts, ran.record.outcome
    common = {"progress": ran.outcome.progress.value, "report": facts["report"], "heard": heard}
    if is_extended(ran.outcome):
        return {
            **common,
            **signal_of(ran.outcome),
            "by": facts["more_time_by"],
            "already": before is not None and is_extended(before),
        }
    said = {name: facts.get(name, "") for name in ("by", "rule")} | {"note": note_in(ran.outcome)}
    return {**common, **said, **signal_of(ran.outcome), "already": ran.is_replay}


def signalled(recorded: Outcome, task_id: str, ports: Ports) -> bool:
    """Wake the state that waits for what was recorded; False where nothing waits any more."""
    held = opened(recorded, task_id, ports.seals)
    return held is not None and ports.callbacks.succeed(held.token, signal_of(recorded))
