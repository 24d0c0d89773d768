"""Jobs outside that take longer than an invocation: begun once, then asked after until they end.

The provider's id is saved before anything else happens. Between two questions the state machine
waits, as long as the provider says or a little longer each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Any

from lambdas.agent.effects import made
from lambdas.agent.errors import ServiceUnavailable, SourceUnreadable
from lambdas.agent.identity import effect_key
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.keeping import check_keepable
from lambdas.agent.model import Effect, Intent, Outcome, Stage
from lambdas.agent.ports import Jobs
from lambdas.agent.work import Work

_BEGINNING: Mapping[str, Any] = MappingProxyType({})
CURSOR = "job"
"""The name under which a unit's cursor keeps its job."""
FIRST_WAIT, LONGEST_WAIT = 2, 60
LONGEST_ID = 512
"""Characters of a provider's id, for which a cursor keeps room."""
LONGEST_HINT = 300
"""Seconds that a provider may send us away for at once."""


class Kind(StrEnum):
    """What a job is for."""

    FINDINGS = "findings"
    OCR = "ocr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often, and for how long since it was reserved, a job is asked after."""

    polls: int
    seconds: float


PATIENCE: Mapping[Kind, Patience] = {
    Kind.FINDINGS: Patience(polls=80, seconds=3600),
    Kind.OCR: Patience(polls=80, seconds=3600),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a unit's cursor knows of its job. `id` is empty while the provider was too busy."""

    key: str
    since: float
    id: str = ""
    polls: int = 0

    def cursor(self) -> Mapping[str, Any]:
        told = {"key": self.key, "since": self.since, "id": self.id, "polls": self.polls + 1}
        return {CURSOR: told}


def follow(
    work: Work,
    jobs: Jobs,
    payload: Mapping[str, Any],
    *,
    kind: Kind,
    subject: str,
    place: Mapping[str, Any] = _BEGINNING,
) -> JobState:
    """DONE with the job's answer, or RUNNING with when and where to ask again.

    `place` is where the unit itself stands; it is in the cursor while the job runs.
    SourceUnreadable, with a code of its own, for a job that failed, expired or vanished.
    """
    intent = _known(work, kind, subject)
    if intent.stage.is_final:
        return _ended(work, intent)
    intent, state = _asked(work, jobs, intent, payload, place)
    state = replace(state, cursor=place)
    if state.phase is Phase.RUNNING:
        return _patient(work, intent, state, PATIENCE[kind])
    return _closed(work, intent, state)


def waiting(state: JobState, *, result: bytes | None = None) -> Outcome:
    """The outcome of a unit whose job is running."""
    return Outcome.wait(state.cursor, seconds=max(1, ceil(state.wait_seconds)), result=result)


def _known(work: Work, kind: Kind, subject: str) -> Intent:
    """The job as the cursor knows it, without a request, or else as the ledger does."""
    place = work.cursor.get(CURSOR)
    if place and place["id"]:
        return Intent(
            key=place["key"],
            kind=kind,
            stage=Stage.SUBMITTED,
            external_id=place["id"],
            reserved_at=place["since"],
        )
    intent = _reserved(work, kind, subject)
    run = work.unit.context.get("run", 1)
    if intent.stage is Stage.FAILED and run > 1:
        # Somebody has the source tried again, and the old job's key would find the old failure.
        return _reserved(work, kind, f"{subject} in run {run}")
    return intent


def _reserved(work: Work, kind: Kind, subject: str) -> Intent:
    key = effect_key(work.task_id, work.unit.step, kind, subject)
    return work.ports.ledger.reserve(work.task_id, key, kind)


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
            intent = _submitted(work, jobs, intent, payload, place)
        if work.call_seconds() <= 0:
            return intent, JobState.running()
        return intent, jobs.poll(intent.external_id, seconds=work.call_seconds())
    except ServiceUnavailable as busy:
        if busy.wait_seconds is None:
            raise
        return intent, JobState.running(busy.wait_seconds)


def _submitted(
    work: Work,
    jobs: Jobs,
    intent: Intent,
    payload: Mapping[str, Any],
    place: Mapping[str, Any],
) -> Intent:
    """Begun, and its id saved; a cursor that could not be kept is refused before that."""
    longest = _Place(key=intent.key, since=intent.reserved_at, id="x" * LONGEST_ID, polls=999)
    check_keepable(work, {**place, **longest.cursor()})
    begin = Effect(
        kind=intent.kind,
        subject=intent.key,
        act=lambda key: jobs.submit(payload, key=key, seconds=work.call_seconds()),
        ability=jobs.ability,
        find=lambda key: jobs.find(key, seconds=work.call_seconds()),
    )
    return work.ports.ledger.submitted(work.task_id, intent.key, made(work, intent, begin))


def _patient(work: Work, intent: Intent, state: JobState, patience: Patience) -> JobState:
    polls = work.cursor.get(CURSOR, {}).get("polls", 0)
    waited = work.ports.clock.now() - intent.reserved_at
    if polls >= patience.polls or waited > patience.seconds:
        late = f"it had not ended after {waited:.0f} s and {polls} questions"
        return _closed(work, intent, JobState.failed("JOB_EXPIRED", late))
    place = _Place(key=intent.key, since=intent.reserved_at, id=intent.external_id, polls=polls)
    growing = min(FIRST_WAIT * 2**polls, LONGEST_WAIT)
    seconds = min(state.wait_seconds, LONGEST_HINT) or growing
    return replace(state, wait_seconds=seconds, cursor={**state.cursor, **place.cursor()})


def _closed(work: Work, intent: Intent, state: JobState) -> JobState:
    """Record the end, artifact first; where the ledger knows of another end, that one stands."""
    ledger = work.ports.ledger
    if state.phase is Phase.FAILED:
        stands = ledger.give_up(work.task_id, intent.key, state.code)
        return _ended(work, stands, why=state.sentence)
    answer = work.write("answer", state.body)
    stands = ledger.settle(work.task_id, intent.key, answer)
    return state if stands.receipt == answer else _ended(work, stands)


def _ended(work: Work, intent: Intent, *, why: str = "it ended so before") -> JobState:
    if intent.stage is Stage.DONE:
        return JobState.done(work.read(intent.receipt))
    raise SourceUnreadable(
        f"The {intent.kind} job of {work.unit} came to nothing: {why}. Try the source again with "
        f"`./ratchet resume {work.task_id} --retry-set-aside`, or remove it",
        code=intent.error_code,
        dependency=intent.external_id,
    )
