"""Jobs outside: begun once, then asked after until they end; or answered at once.

The provider's id is saved before anything else happens, an answer before anything is made of it.
Between two questions the state machine waits, as long as the provider says or a little longer each
time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import ceil
from types import MappingProxyType
from typing import Any

from lambdas.agent.costs import NOTHING, Hold, Purse
from lambdas.agent.effects import made
from lambdas.agent.errors import ServiceUnavailable, SourceFailed
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.job_costs import priced, without_room
from lambdas.agent.job_ends import closed, ended
from lambdas.agent.job_places import CURSOR, LONGEST_ID, Kind, Place, known
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.keeping import check_keepable
from lambdas.agent.model import Outcome
from lambdas.agent.model_ports import Jobs
from lambdas.agent.spending import Spending
from lambdas.agent.work import Work

_BEGINNING: Mapping[str, Any] = MappingProxyType({})
FIRST_WAIT, LONGEST_WAIT = 2, 60
LONGEST_HINT = 300
"""Seconds that a provider may send us away for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often, and for how long since it was reserved, a job is asked after."""

    polls: int
    seconds: float


PATIENCE: Mapping[Kind, Patience] = {
    Kind.ANSWER: Patience(polls=30, seconds=1200),  # a report can do without it
    Kind.FINDINGS: Patience(polls=80, seconds=3600),
    Kind.OCR: Patience(polls=80, seconds=3600),
}


def follow(
    work: Work,
    jobs: Jobs,
    payload: Mapping[str, Any],
    *,
    kind: Kind,
    subject: str,
    place: Mapping[str, Any] = _BEGINNING,
    ways_on: Collection[str] = (),
    spending: Spending | None = None,
) -> JobState:
    """DONE with the job's answer, or RUNNING with when and where to ask again.

    `place` is where the unit itself stands; it is in the cursor while the job runs. A job that
    failed, expired or vanished is SourceUnreadable with a code of its own; it is told as FAILED
    where the code is one of `ways_on`, because whoever asks knows what to do then. With `spending`
    it is asked only if the run's budget has room for it: it is FAILED with BUDGET_SPENT where that
    is spent, and RUNNING while others hold what they may give back.
    """
    hold = spending.hold(payload, jobs) if spending else None
    intent = known(work, kind, subject, ways_on, hold)
    if isinstance(intent, Purse):
        return without_room(work, intent, hold or Hold(cost=NOTHING), place)
    if intent.stage.is_final:
        return ended(work, intent, ways_on)
    intent, state = _asked(work, jobs, intent, payload, place)
    state = priced(replace(state, cursor=place), spending, intent)
    if state.phase is Phase.RUNNING:
        return _patient(work, intent, state, ways_on)
    return closed(work, intent, state, ways_on)


def waiting(state: JobState, *, result: bytes | None = None) -> Outcome:
    """The outcome of a unit whose job is running."""
    return Outcome.wait(state.cursor, seconds=max(1, ceil(state.wait_seconds)), result=result)


def _asked(
    work: Work,
    jobs: Jobs,
    intent: Intent,
    payload: Mapping[str, Any],
    place: Mapping[str, Any],
) -> tuple[Intent, JobState]:
    """How the job stands, which is submitted first where it was not; a busy provider is a wait."""
    try:
        if intent.stage is Stage.RESERVED:
            begun = _begun(work, jobs, intent, payload, place)
            if isinstance(begun, JobState):
                return intent, begun
            intent = work.ports.ledger.submitted(work.task_id, intent.key, begun)
        if work.call_seconds() <= 0:
            return intent, JobState.running()
        return intent, jobs.poll(intent.external_id, seconds=work.call_seconds())
    except ServiceUnavailable as busy:
        if busy.wait_seconds is None:
            raise
        return intent, JobState.running(busy.wait_seconds)
    except SourceFailed:
        if intent.held != NOTHING:
            work.ports.ledger.forgo(work.task_id, intent)
        raise


def _begun(
    work: Work,
    jobs: Jobs,
    intent: Intent,
    payload: Mapping[str, Any],
    place: Mapping[str, Any],
) -> str | JobState:
    """The provider's id, or its answer; a cursor that could not be kept is refused before that."""
    longest = Place.of(intent, id_="x" * LONGEST_ID, polls=999)
    check_keepable(work, {**place, **longest.cursor()})

    def submit(key: str) -> str | JobState:
        return jobs.submit(payload, key=key, seconds=work.call_seconds())

    def find(key: str) -> str | JobState | None:
        return jobs.find(key, seconds=work.call_seconds())

    return made(work, intent, jobs.ability, submit, find)


def _patient(work: Work, intent: Intent, state: JobState, ways_on: Collection[str]) -> JobState:
    patience = PATIENCE[Kind(intent.kind)]
    polls = work.cursor.get(CURSOR, {}).get("polls", 0)
    waited = work.ports.clock.now() - intent.reserved_at
    if polls >= patience.polls or waited > patience.seconds:
        late = f"it had not ended after {waited:.0f} s and {polls} questions"
        expired = replace(JobState.failed("JOB_EXPIRED", late), cost=intent.held)
        return closed(work, intent, expired, ways_on)
    place = Place.of(intent, id_=intent.external_id, polls=polls)
    growing = min(FIRST_WAIT * 2**polls, LONGEST_WAIT)
    seconds = min(state.wait_seconds, LONGEST_HINT) or growing
    return replace(state, wait_seconds=seconds, cursor={**state.cursor, **place.cursor()})
