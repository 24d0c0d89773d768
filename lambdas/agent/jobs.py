"""Jobs outside: begun once, then asked after until they end; or answered at once.

The provider's id is saved before anything else happens, an answer before anything is made of it.
Between two questions the state machine waits, as long as the provider says or a little longer each
time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Any, Self

from lambdas.agent.costs import NOTHING, Cost, Hold, Purse
from lambdas.agent.effects import made
from lambdas.agent.endings import Ending, broken
from lambdas.agent.errors import ServiceUnavailable, SourceFailed, SourceUnreadable
from lambdas.agent.identity import effect_key
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.job_state import JobState, Phase, Usage
from lambdas.agent.keeping import check_keepable
from lambdas.agent.model import Outcome
from lambdas.agent.model_ports import Jobs
from lambdas.agent.spending import Spending
from lambdas.agent.work import Work

_BEGINNING: Mapping[str, Any] = MappingProxyType({})
CURSOR = "job"
"""The name under which a unit's cursor keeps its job."""
FIRST_WAIT, LONGEST_WAIT = 2, 60
LONGEST_ID = 512
"""Characters of a provider's id, for which a cursor keeps room."""
LONGEST_HINT = 300
"""Seconds that a provider may send us away for at once."""
WAITED = "waited"
"""The name under which a cursor counts how often a unit waited for what others hold."""
WAITS = (5, 10, 20, *[30] * 18)
"""Seconds, about ten minutes together: what others hold may be given back."""


class Kind(StrEnum):
    """What a job is for."""

    ANSWER = "answer"
    FINDINGS = "findings"
    OCR = "ocr"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a unit's cursor knows of its job. `id` is empty while the provider was too busy."""

    key: str
    since: float
    id: str = ""
    polls: int = 0
    held: Cost = NOTHING

    @classmethod
    def of(cls, intent: Intent, *, id_: str, polls: int) -> Self:
        since, held = intent.reserved_at, intent.held
        return cls(key=intent.key, since=since, id=id_, polls=polls, held=held)

    def cursor(self) -> Mapping[str, Any]:
        told = {"key": self.key, "since": self.since, "id": self.id, "polls": self.polls + 1}
        held = {} if self.held == NOTHING else {"held": asdict(self.held)}
        return {CURSOR: {**told, **held}}


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
    intent = _known(work, kind, subject, ways_on, hold)
    if isinstance(intent, Purse):
        return _without_room(work, intent, hold or Hold(cost=NOTHING), place)
    if intent.stage.is_final:
        return _ended(work, intent, ways_on)
    intent, state = _asked(work, jobs, intent, payload, place)
    state = _priced(replace(state, cursor=place), spending, intent)
    if state.phase is Phase.RUNNING:
        return _patient(work, intent, state, ways_on)
    return _closed(work, intent, state, ways_on)


def waiting(state: JobState, *, result: bytes | None = None) -> Outcome:
    """The outcome of a unit whose job is running."""
    return Outcome.wait(state.cursor, seconds=max(1, ceil(state.wait_seconds)), result=result)


def let_go(
    work: Work,
    jobs: Jobs,
    payload: Mapping[str, Any],
    *,
    kind: Kind,
    subject: str,
    spending: Spending,
) -> None:
    """Of a question whose answer was found elsewhere: a worker before us may hold something."""
    held = spending.hold(payload, jobs).cost
    for key in _keys(work, kind, subject, work.unit.context.get("run", 1)):
        intent = Intent(key=key, kind=kind, stage=Stage.RESERVED, held=held)
        work.ports.ledger.forgo(work.task_id, intent)


def _without_room(work: Work, purse: Purse, hold: Hold, place: Mapping[str, Any]) -> JobState:
    """What is spent stays spent; what others hold is waited for, as long as it may help."""
    waited = int(work.cursor.get(WAITED, 0))
    if waited >= len(WAITS) or not hold.limits.admit(purse.spent + hold.cost):
        return broken(Ending.BUDGET_SPENT)
    return replace(JobState.running(WAITS[waited]), cursor={**place, WAITED: waited + 1})


def _priced(state: JobState, spending: Spending | None, intent: Intent) -> JobState:
    """With what it counts for: what its provider tells, or else what was held for it."""
    if spending is None:
        return state
    if state.usage is None:
        return replace(state, cost=intent.held)
    cost = spending.cost_of(state.usage)
    return replace(state, cost=cost, usage=replace(state.usage, micro_usd=cost.micro_usd))


def _known(
    work: Work, kind: Kind, subject: str, ways_on: Collection[str], hold: Hold | None
) -> Intent | Purse:
    """The job as the cursor knows it, without a request, or else as the ledger does."""
    run = work.unit.context.get("run", 1)
    place, keys = work.cursor.get(CURSOR), _keys(work, kind, subject, run)
    if place and place["id"] and place["key"] in keys:
        return Intent(
            key=place["key"],
            kind=kind,
            stage=Stage.SUBMITTED,
            external_id=place["id"],
            reserved_at=place["since"],
            held=Cost(**place.get("held", {})),
        )
    intent = _reserved(work, keys[0], kind, hold)
    if isinstance(intent, Purse):
        return intent
    if intent.stage is Stage.FAILED and run > 1 and intent.error_code not in ways_on:
        # Somebody has the source tried again, and the old job's key would find the old failure.
        return _reserved(work, keys[-1], kind, hold)
    return intent


def _reserved(work: Work, key: str, kind: Kind, hold: Hold | None) -> Intent | Purse:
    ledger = work.ports.ledger
    if hold is None:
        return ledger.reserve(work.task_id, key, kind)
    return ledger.reserve_paid(work.task_id, key, kind, hold)


def _keys(work: Work, kind: Kind, subject: str, run: int) -> list[str]:
    """What the job may be called outside: another job in the cursor is none of ours."""
    subjects = [subject, *(f"{subject} in run {later}" for later in range(2, run + 1))]
    return [effect_key(work.task_id, work.unit.step, kind, each) for each in subjects]


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
    longest = _Place.of(intent, id_="x" * LONGEST_ID, polls=999)
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
        return _closed(work, intent, expired, ways_on)
    place = _Place.of(intent, id_=intent.external_id, polls=polls)
    growing = min(FIRST_WAIT * 2**polls, LONGEST_WAIT)
    seconds = min(state.wait_seconds, LONGEST_HINT) or growing
    return replace(state, wait_seconds=seconds, cursor={**state.cursor, **place.cursor()})


def _closed(work: Work, intent: Intent, state: JobState, ways_on: Collection[str]) -> JobState:
    """Record the end, artifact first; where the ledger knows of another end, that one stands."""
    if state.usage:
        work.usage += state.usage
    if state.phase is Phase.FAILED:
        stands = _closed_as(work, intent, state, error_code=state.code)
        is_ours = (stands.stage, stands.error_code) == (Stage.FAILED, state.code)
        if is_ours and state.code in ways_on:
            return replace(state, cost=stands.spent)
        return _ended(work, stands, ways_on, why=state.sentence)
    ref = work.write("answer", state.body)
    receipt = _receipt(ref, state.usage)
    stands = _closed_as(work, intent, state, receipt=receipt)
    if stands.receipt == receipt:
        return replace(state, ref=ref, cost=stands.spent)
    return _ended(work, stands, ways_on)


def _closed_as(
    work: Work, intent: Intent, state: JobState, *, receipt: str = "", error_code: str = ""
) -> Intent:
    ledger, task_id = work.ports.ledger, work.task_id
    if state.cost != NOTHING or intent.held != NOTHING:
        told = {"receipt": receipt, "error_code": error_code}
        return ledger.close(task_id, intent, cost=state.cost, **told)
    if error_code:
        return ledger.give_up(task_id, intent.key, error_code)
    return ledger.settle(task_id, intent.key, receipt)


def _ended(
    work: Work, intent: Intent, ways_on: Collection[str], *, why: str = "it ended so before"
) -> JobState:
    if intent.stage is Stage.DONE:
        answer, usage = _answer_of(intent)
        state = replace(JobState.done(work.read(answer), usage=usage), ref=answer)
        return replace(state, cost=intent.spent)
    if intent.error_code in ways_on:
        return replace(JobState.failed(intent.error_code, why), cost=intent.spent)
    raise SourceUnreadable(
        f"The {intent.kind} job of {work.unit} came to nothing: {why}. Try the source again with "
        f"`./ratchet resume {work.task_id} --retry-set-aside`, or remove it",
        code=intent.error_code,
        dependency=intent.external_id,
    )


def _receipt(answer: str, usage: Usage | None) -> str:
    """The answer's artifact, and the tokens it took: who finds it again knows its price too."""
    return f"{answer} {usage.input_tokens} {usage.output_tokens}" if usage else answer


def _answer_of(intent: Intent) -> tuple[str, Usage | None]:
    answer, *tokens = intent.receipt.split(" ")
    if len(tokens) != 2:
        return answer, None
    given, taken = map(int, tokens)
    usd = intent.spent.micro_usd
    return answer, Usage(input_tokens=given, output_tokens=taken, micro_usd=usd)
