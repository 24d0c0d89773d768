"""One lap over the lists of a request: as many as its time holds, asked as politely as a page.

A list that does not answer is put off until the others are read, and given up after TRIES.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, Self

from lambdas.agent.contract import budget
from lambdas.agent.errors import SourceFailed, SourceUnavailable, StepError, Unexpected
from lambdas.agent.expansion import Expansion, ToAsk
from lambdas.agent.listing import Listing
from lambdas.agent.manners import Turn, turn_to_read
from lambdas.agent.model import Fault
from lambdas.agent.pages import Page
from lambdas.agent.request import SourceKind
from lambdas.agent.work import Work

LAPS = 500
"""Of one PLAN, waits included: each leaves events in the run's history, which is bounded."""
TRIES = 3
"""Times that a list is asked for before it is given up."""
FIRST_WAIT, LONGEST_WAIT = 10, 300
"""Seconds before a list is asked again that did not answer; it may name a time itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How the work goes on between two laps, as the cursor keeps it.

    laps     that were taken
    rounds   times that was waited for those that had not answered
    turn     the one that we hold at the host of the next list
    """

    laps: int = 0
    rounds: int = 0
    turn: Turn | None = None

    @classmethod
    def of(cls, cursor: Mapping[str, Any]) -> Self:
        turn = cursor.get("turn")
        return cls(**{**cursor, "turn": Turn(**turn) if turn else None})

    def cursor(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """`wait` is in seconds before the next one; 0 where it may come at once."""

    expansion: Expansion
    pace: Pace
    wait: int = 0


def lap(work: Work, expansion: Expansion, pace: Pace) -> Lap:
    """At least one list is asked for, unless there is something to wait for."""
    if pace.laps >= LAPS:
        return Lap(expansion=expansion.cut_short(), pace=pace)
    now = Lap(expansion=expansion, pace=replace(pace, laps=pace.laps + 1))
    is_first = True
    while now.expansion.todo and (is_first or _has_time(work)):
        now = _next(work, now)
        if now.wait:
            break
        is_first = False
    return now


def _has_time(work: Work) -> bool:
    """For a list and for the robots.txt that may have to be asked before it."""
    left = work.deadline - work.ports.clock.now()
    return left >= 2 * budget(work.unit.step).call


def _next(work: Work, now: Lap) -> Lap:
    """The next list is asked for; or it is too early for it."""
    expansion, pace, to_ask = now.expansion, now.pace, now.expansion.next
    if to_ask.tries > pace.rounds:
        return replace(now, pace=replace(pace, rounds=to_ask.tries), wait=to_ask.wait)
    ports, seconds = work.ports, work.call_seconds()
    try:
        turn = turn_to_read(ports, work.task_id, to_ask.url, pace.turn, seconds=seconds)
        if (early := ceil(turn.at - ports.clock.now())) > 0:
            return replace(now, pace=replace(pace, turn=turn), wait=early)
        expansion = expansion.heard(_listing(work, expansion.asked[to_ask.of].kind, to_ask.url))
    except SourceUnavailable as error:
        expansion = _put_off(expansion, error)
    except SourceFailed as error:
        expansion = expansion.failed(_fault(to_ask, error))
    return Lap(expansion=expansion, pace=replace(pace, turn=None))


def _listing(work: Work, kind: SourceKind, url: str) -> Listing:
    page = work.ports.fetcher.get(url, seconds=work.call_seconds())
    if not isinstance(page, Page):
        raise Unexpected(f"The fetcher calls {url} unchanged, of which nothing was known")
    reader = work.ports.feeds if kind is SourceKind.FEED else work.ports.sitemaps
    return reader.listing(page)


def _put_off(expansion: Expansion, error: SourceUnavailable) -> Expansion:
    to_ask = expansion.next
    if to_ask.tries + 1 >= TRIES:
        return expansion.failed(_fault(to_ask, error))
    wait = max(FIRST_WAIT * 2**to_ask.tries, ceil(error.wait_seconds or 0))
    return expansion.put_off(min(wait, LONGEST_WAIT))


def _fault(to_ask: ToAsk, error: StepError) -> Fault:
    """Of a list in a list it is told which: the report names only the source."""
    which = "" if to_ask.depth == 1 else f"{to_ask.url}: "
    return Fault(error_code=error.code, message=which + str(error), dependency=error.dependency)
