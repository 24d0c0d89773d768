"""Ticks of a clock outside, and what becomes of each: a run, a wait for the run before, or nothing.

A tick is its scheduled instant and nothing else: however often and however late it is delivered,
it is one task.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from lambdas.agent.errors import InvalidRequest, StillClaimed
from lambdas.agent.identity import execution_name
from lambdas.agent.instants import iso
from lambdas.agent.ports import Ports
from lambdas.agent.schedules import Schedule, Turn
from lambdas.agent.tasks import ExecutionStatus

ATTEMPTS = 5
"""At a schedule's record that others write to at the same moment."""
FIRST_RUN = 1


class Overlap(StrEnum):
    """What becomes of a tick while the run of the tick before is under way."""

    SKIP = "skip"
    QUEUE = "queue"  # one waits; a later one takes its place


class Said(StrEnum):
    STARTED = "STARTED"
    ALREADY = "ALREADY"  # this very tick has had its turn
    QUEUED = "QUEUED"
    SKIPPED = "SKIPPED"
    LATE = "LATE"  # a later tick has had its turn: nothing starts out of order


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    schedule: str
    overlap: Overlap
    turn: Turn


def instant_of(told: object) -> str:
    """A scheduled time in UTC, to the second; a zone must be named, or nobody knows when it was."""
    try:
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidRequest(
            f"scheduled_time is {str(told)[:60]!r}: write an instant with its zone, as in "
            "2026-07-29T10:00:00Z"
        )
    return iso(moment.timestamp())


def workflow_of(schedule: str, instant: str) -> str:
    return f"{schedule}-{instant}"


def take_turn(tick: Tick, ports: Ports) -> Said:
    """Written down first, started second: a tick that died between is started by its next
    delivery, by the tick after it, or by the sweeper.
    """
    for _ in range(ATTEMPTS):
        known = ports.schedules.find(tick.schedule)
        said, then = decided(tick, known, is_under_way=is_under_way(known, ports))
        if then == known or ports.schedules.write(then, version=known.version):
            if said is Said.STARTED:
                begin(tick.turn, ports)
            return said
    raise StillClaimed(f"Others are at schedule {tick.schedule} at this moment: it is tried again")


def decided(tick: Tick, known: Schedule, *, is_under_way: bool) -> tuple[Said, Schedule]:
    """What becomes of a tick, and the schedule's record then."""
    at, last, queued = tick.turn.instant, known.last, known.queued
    if last and at == last.instant:
        return Said.ALREADY, known
    if at == known.skipped:
        return Said.SKIPPED, known
    if at < max(last.instant if last else "", known.skipped, queued.instant if queued else ""):
        return Said.LATE, known
    if not is_under_way:
        return Said.STARTED, replace(known, last=tick.turn, queued=None)
    if tick.overlap is Overlap.QUEUE:
        return Said.QUEUED, replace(known, queued=tick.turn)
    return Said.SKIPPED, replace(known, skipped=at, skips=known.skips + 1)


def is_under_way(known: Schedule, ports: Ports) -> bool:
    """Of the tick that had its turn last. One that waits for approval is; one whose turn was
    written down, and that never began, begins here.
    """
    if known.last is None:
        return False
    if task := ports.ledger.task(known.last.task_id):
        return not task.status.is_final
    status = ports.executions.status(execution_name(known.last.task_id, FIRST_RUN))
    if status is ExecutionStatus.ABSENT:
        begin(known.last, ports)
        return True
    return not status.is_over


def begin(turn: Turn, ports: Ports) -> None:
    """Its execution's name follows from the task: begun twice it is one. AWS forgets names after
    90 days, the ledger does not.
    """
    if ports.ledger.task(turn.task_id) is None:
        ports.executions.start(execution_name(turn.task_id, FIRST_RUN), turn.told)


def begin_what_waits(known: Schedule, ports: Ports) -> bool:
    """What was written down and never began; and the queued tick, once the run before has ended."""
    if is_under_way(known, ports) or known.queued is None:
        return False
    tick = Tick(schedule=known.name, overlap=Overlap.QUEUE, turn=known.queued)
    return take_turn(tick, ports) is Said.STARTED
