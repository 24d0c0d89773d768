"""The bytes of one source, in our turn at its host.

FETCH does it, and PLAN for a page that may be as it was.
"""

from __future__ import annotations

from dataclasses import asdict
from math import ceil
from typing import Any

from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.identity import canonical, digest
from lambdas.agent.instants import iso
from lambdas.agent.manners import Turn, turn_to_read
from lambdas.agent.model import Outcome
from lambdas.agent.revisits import Found, visited
from lambdas.agent.spending import check_time
from lambdas.agent.work import Work

LONGEST_PAUSE = 300
"""Seconds that a source may ask us to stay away for; after a longer one the run would be stale."""
PAUSES = 5
"""Times that one source may ask for a pause."""
FIRST_PAUSE = 5
TURNS = 50
"""Turns that may be lost one after the other: each is a wait of its own in the execution."""


def fetch(work: Work) -> Outcome:
    check_time(work)
    url = work.args["url"]
    try:
        turn = turn_to_read(work.ports, work.task_id, url, _held(work), seconds=work.call_seconds())
        if turn.at > work.ports.clock.now():
            return _in_turn(work, turn)
        return _done(work, visited(work, work.unit.context["agent_id"], url))
    except SourceUnavailable as busy:
        return _later(work, busy)


def _done(work: Work, found: Found) -> Outcome:
    page = found.page
    provenance = {
        "url": page.url,
        "status": page.status,
        "fetched_at": iso(work.ports.clock.now()),
        "sha256": found.sha256,
    }
    return Outcome.done(
        ref=found.ref,
        result=canonical(provenance),
        content_type=page.content_type[:200],
        unchanged=found.is_unchanged,
        **_twin(work, found),
    )


def _twin(work: Work, found: Found) -> dict[str, Any]:
    """`same_as` names the source that came first with these bytes, which is read for both."""
    bytes_and_type = digest(found.sha256, found.page.content_type)
    first = work.ports.visits.first(_try(work), bytes_and_type, work.unit.item)
    return {} if first == work.unit.item else {"same_as": first}


def _try(work: Work) -> str:
    """The task, or of a source that is tried again the task in that run: what its first try found
    is no reason not to read it now.
    """
    _, _, run = work.unit.item.partition(".")
    return f"{work.task_id}.{run}" if run else work.task_id


def _held(work: Work) -> Turn | None:
    turn = work.cursor.get("turn")
    return Turn(**turn) if turn else None


def _in_turn(work: Work, turn: Turn) -> Outcome:
    lost = work.cursor.get("turns", 0)
    if lost >= TURNS:
        raise SourceRefused(
            f"{work.unit} was given {lost} turns at its host and came late to each: too much is "
            f"asked of that host at once. Go on with `./ratchet resume {work.task_id} "
            "--retry-set-aside`",
            code="NO_TURN",
        )
    now = work.ports.clock.now()
    return Outcome.wait(
        {**work.cursor, "turn": asdict(turn), "turns": lost + 1},
        seconds=max(1, ceil(turn.at - now)),
    )


def _later(work: Work, busy: SourceUnavailable) -> Outcome:
    """A source that is only busy says when it is not; one out of reach is the state's to retry."""
    if busy.wait_seconds is None:
        raise busy
    pauses = work.cursor.get("pauses", 0)
    seconds = ceil(busy.wait_seconds) or FIRST_PAUSE * 2**pauses
    if seconds > LONGEST_PAUSE or pauses >= PAUSES:
        raise SourceRefused(
            f"{busy} It asks us to stay away for {seconds} s, after {pauses} pauses: longer than "
            f"the run waits. Read it later with `./ratchet resume {work.task_id} "
            "--retry-set-aside`.",
            code=busy.code,
            dependency=busy.dependency,
        ) from None
    return Outcome.wait({**work.cursor, "turn": None, "pauses": pauses + 1}, seconds=seconds)
