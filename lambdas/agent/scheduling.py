"""Ticks of a clock outside, and what becomes of each: a run, a wait for the run before, or nothing.

A tick is its scheduled instant and nothing else: however often and however late it is delivered,
it is one task.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from lambdas.agent.beginning import FIRST_RUN
from lambdas.agent.errors import InvalidRequest, StillClaimed
from lambdas.agent.identity import execution_name
from lambdas.agent.instants import epoch, iso
from lambdas.agent.ports import Ports
from lambdas.agent.schedules import Schedule, Turn
from lambdas.agent.tasks import ExecutionStatus

ATTEMPTS = 5
"""At a schedule's record that others write to at the same moment."""
BEGINS_WITHIN = 2 * 86_400
"""Seconds after its instant in which a tick may begin late: twice as long as it is redelivered."""


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


def take_turn(tick: Tick, ports: Ports) -> tuple[Said, Turn]:
    """What was said, and the turn that stands for this tick.

    Written down first, started second: a tick that died between is started by its next
    delivery, by the tick after it, or by the sweeper.
    """
    for _ in range(ATTEMPTS):
        known = ports.schedules.find(tick.schedule)
        said, then = decided(tick, known, is_under_way=is_under_way(known, ports))
        if then == known or ports.schedules.write(then, version=known.version):
            turn = then.last if said in {Said.STARTED, Said.ALREADY} and then.last else tick.turn
            if turn is then.last:
                begin(turn, ports)
            return said, turn
    raise StillClaimed(f"Others are at schedule {tick.schedule} at this moment: it is tried again")


def decided(tick: Tick, known: Schedule, *, is_under_way: bool) -> tuple[Said, Schedule]:
    """What becomes of a tick, and the schedule's record then."""
    at, last = tick.turn.instant, known.last
    if last and at == last.instant:
        return Said.ALREADY, known
    if at == known.skipped:
        return Said.SKIPPED, known
    if at < _latest(known, at):
        return Said.LATE, known
    if not is_under_way:
        return Said.STARTED, replace(known, last=tick.turn, queued=None)
    if tick.overlap is Overlap.QUEUE:
        return Said.QUEUED, replace(known, queued=tick.turn)
    return Said.SKIPPED, replace(known, skipped=at, skips=known.skips + 1)


def _latest(known: Schedule, at: str) -> str:
    """The last instant that was decided on. What waits is not overtaken by what was skipped since:
    a deployment may have changed its mind on what becomes of such ticks.
    """
    last = known.last.instant if known.last else ""
    waits = known.queued.instant if known.queued else ""
    return last if waits == at else max(last, known.skipped, waits)


def is_under_way(known: Schedule, ports: Ports) -> bool:
    """Of the tick that had its turn last. One that waits for approval is; one whose turn was
    written down a moment ago, and that never began, begins here. Of an old one nobody knows
    whether it never was or is forgotten, and it is left alone.
    """
    if known.last is None:
        return False
    if task := ports.ledger.task(known.last.task_id):
        return not task.status.is_final
    status = ports.executions.status(execution_name(known.last.task_id, FIRST_RUN))
    if status is ExecutionStatus.ABSENT:
        is_new = ports.clock.now() - epoch(known.last.instant) < BEGINS_WITHIN
        if is_new:
            begin(known.last, ports)
        return is_new
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
    said, _ = take_turn(tick, ports)
    return said is Said.STARTED
