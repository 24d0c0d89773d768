"""Jobs are begun once and followed to their end, whoever dies on the way."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, takewhile
from typing import Any, cast

import pytest

from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.effects import RECEIPT_LIMIT
from lambdas.agent.errors import (
    OutcomeUnknown,
    ServiceUnavailable,
    SourceUnreadable,
    StepError,
)
from lambdas.agent.identity import effect_key
from lambdas.agent.intents import Ability
from lambdas.agent.job_places import Kind
from lambdas.agent.job_state import NOTHING_USED, JobState, Phase, Usage
from lambdas.agent.jobs import LONGEST_HINT, LONGEST_WAIT, PATIENCE, follow, waiting
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import run
from lambdas.agent.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal
from tests.fakes.jobs import FakeJobs
from tests.fakes.world import World

UNIT = Unit(task_id="t", step=Step.ANALYZE, item="s", args={"text": "any"})
ANSWER = b"the answer"
LEASE = budget(UNIT.step).lease + CLOCK_SKEW + 1


def a_provider(ability: Ability = Ability.TOKEN, **kwargs: Any) -> FakeJobs:
    return FakeJobs(ability=ability, **{"end": JobState.done(ANSWER), **kwargs})


def lap(world: Any, unit: Unit = UNIT) -> Outcome:
    """One invocation of a step that wants the answer to one job."""

    def execute(work: Work) -> Outcome:
        model = work.ports.model
        assert model is not None
        state = follow(work, model, {"input": "x"}, kind=Kind.FINDINGS, subject="one")
        if state.phase is Phase.RUNNING:
            return waiting(state)
        return Outcome.done(result=state.body)

    seconds = budget(unit.step).function
    return run(execute, unit, world, owner="any", seconds=seconds).outcome


def told(world: Any) -> Outcome:
    """As many laps as it takes."""
    while "wait_seconds" in (outcome := lap(world)).facts:
        pass
    return outcome


@pytest.mark.promise("R11", "R12")
def test_a_job_is_submitted_once_and_asked_after_until_it_is_done(world: World) -> None:
    world.model = provider = a_provider(lag=3)

    assert told(world).result == ANSWER
    assert (list(provider.jobs), provider.polls) == (["job-1"], ["job-1"] * 4)


@pytest.mark.promise("R12")
@pytest.mark.parametrize("ability", [Ability.TOKEN, Ability.LOOKUP])
def test_there_is_one_job_wherever_a_worker_dies(clock: FakeClock, ability: Ability) -> None:
    died_at = set()
    for boundary in _boundaries():
        world = _a_world(clock)
        world.model = provider = a_provider(ability)
        try:
            outcome = told(Mortal(world, boundary))
        except Died as death:
            died_at.add(str(death))
            clock.pass_seconds(LEASE)
            outcome = told(world)
        else:
            break
        assert outcome.result == ANSWER, boundary
        assert list(provider.jobs) == ["job-1"], boundary

    assert {"after model.submit", "before ledger.submitted", "after ledger.settle"} <= died_at
    assert {"after artifacts.put", "before ledger.commit", "after model.poll"} <= died_at


@pytest.mark.promise("R12")
def test_a_job_that_may_have_been_begun_is_parked_where_nobody_can_tell(
    world: World, clock: FakeClock
) -> None:
    world.model = provider = a_provider(Ability.PARK)
    with pytest.raises(Died):
        lap(Mortal(world, _after(world, "model.submit")))
    clock.pass_seconds(LEASE)

    with pytest.raises(OutcomeUnknown):
        lap(world)
    assert list(provider.jobs) == ["job-1"]


@pytest.mark.promise("R12")
def test_an_answer_that_was_kept_outlives_the_providers_memory(
    world: World, clock: FakeClock
) -> None:
    world.model = provider = a_provider(lag=0)
    with pytest.raises(Died):
        lap(Mortal(world, _after(world, "ledger.settle")))
    clock.pass_seconds(LEASE)
    provider.jobs.clear()

    assert lap(world).result == ANSWER


@pytest.mark.promise("R12")
def test_an_answer_that_was_kept_is_found_by_a_lap_that_knows_the_job(
    world: World, clock: FakeClock
) -> None:
    world.model = provider = a_provider(lag=1)
    lap(world)
    with pytest.raises(Died):
        lap(Mortal(world, Boundary(call=3, after=True)))
    clock.pass_seconds(LEASE)
    provider.jobs.clear()

    assert lap(world).result == ANSWER


@pytest.mark.promise("R23")
@pytest.mark.parametrize("code", ["JOB_FAILED", "JOB_EXPIRED", "JOB_CANCELLED"])
def test_a_job_that_comes_to_nothing_is_told_with_its_code_and_again_at_a_replay(
    world: World, code: str
) -> None:
    world.model = provider = a_provider(end=JobState.failed(code, "it broke"), lag=0)

    assert [failure(world).code for _ in range(2)] == [code, code]
    assert provider.polls == ["job-1"]


def test_a_job_that_the_provider_has_forgotten_has_vanished(world: World) -> None:
    world.model = provider = a_provider(lag=5)
    lap(world)
    provider.jobs.clear()

    assert failure(world).code == "JOB_VANISHED"
    assert list(provider.jobs) == []


def test_a_source_that_is_tried_again_in_a_later_run_gets_a_new_job(world: World) -> None:
    world.model = provider = a_provider(end=JobState.failed("JOB_FAILED", "it broke"), lag=0)
    failure(world)
    provider.end = JobState.done(ANSWER)
    later = Unit(**{**_fields(UNIT), "context": {"run": 2}})

    assert lap(world, later).result == ANSWER
    assert len(provider.jobs) == 2


@pytest.mark.promise("R12")
def test_an_answer_at_once_is_kept_and_never_asked_after(world: World) -> None:
    used = Usage(input_tokens=7, output_tokens=3)
    end = JobState.done(ANSWER, usage=used)
    world.model = provider = a_provider(Ability.AT_LEAST_ONCE, at_once=True, end=end)

    assert lap(world).result == ANSWER
    assert (len(provider.payloads), provider.polls) == (1, [])
    key = effect_key(UNIT.task_id, UNIT.step, Kind.FINDINGS, "one")
    kept = world.ledger.reserve(UNIT.task_id, key, Kind.FINDINGS)
    ref, *tokens = kept.receipt.split(" ")
    assert (world.artifacts.get(ref), tokens) == (ANSWER, ["7", "3"])
    assert len(kept.receipt) < RECEIPT_LIMIT


@pytest.mark.promise("R12", "R23")
def test_a_failure_at_once_is_told_again_and_not_asked_for_again(world: World) -> None:
    end = JobState.failed("MODEL_REFUSED", "it would not")
    world.model = provider = a_provider(Ability.AT_LEAST_ONCE, at_once=True, end=end)

    assert [failure(world).code for _ in range(2)] == ["MODEL_REFUSED"] * 2
    assert len(provider.payloads) == 1


def test_a_failure_with_a_way_on_is_a_state_and_no_error(world: World) -> None:
    world.model = a_provider(end=JobState.failed("TRUNCATED", "it was cut"), lag=0)
    states: list[JobState] = []

    def execute(work: Work) -> Outcome:
        model = work.ports.model
        assert model is not None
        asked = {"kind": Kind.FINDINGS, "subject": "one", "ways_on": {"TRUNCATED"}}
        states.append(follow(work, model, {"input": "x"}, **asked))  # type: ignore[arg-type]  # told by name
        return Outcome.go_on({"more": 1})

    for _ in range(2):
        run(execute, UNIT, world, owner="any", seconds=budget(UNIT.step).function)
    assert [(state.phase, state.code) for state in states] == [(Phase.FAILED, "TRUNCATED")] * 2


def test_a_job_in_the_cursor_that_was_begun_for_something_else_is_not_asked_after(
    world: World,
) -> None:
    world.model = provider = a_provider(lag=1)
    lap(world)
    state = {"input": "x"}

    def execute(work: Work) -> Outcome:
        assert work.ports.model is not None
        told = follow(work, work.ports.model, state, kind=Kind.FINDINGS, subject="another")
        return waiting(told)

    run(execute, UNIT, world, owner="any", seconds=budget(UNIT.step).function)
    assert provider.polls == ["job-1", "job-2"]


def test_what_models_took_is_told_of_a_lap_that_ends_well_and_of_one_that_does_not(
    world: World,
) -> None:
    used = Usage(input_tokens=7, output_tokens=3)
    world.model = a_provider(end=JobState.failed("JOB_FAILED", "it broke", usage=used), lag=0)

    assert failure(world).usage == used
    assert failure(world).usage == NOTHING_USED, "it was not asked again"


@pytest.mark.promise("R22")
def test_the_intervals_grow_and_are_kept_over_the_laps(world: World) -> None:
    world.model = a_provider(lag=10)

    waits = [lap(world).facts["wait_seconds"] for _ in range(8)]
    assert waits == [2, 4, 8, 16, 32, LONGEST_WAIT, LONGEST_WAIT, LONGEST_WAIT]


@pytest.mark.parametrize(
    ("hint", "seconds"), [(7.0, 7), (0.2, 1), (0.0, 2), (86_400.0, LONGEST_HINT)]
)
def test_the_providers_hint_is_followed_within_reason(
    world: World, hint: float, seconds: int
) -> None:
    world.model = a_provider(lag=0, end=JobState.running(hint))

    assert lap(world).facts["wait_seconds"] == seconds


@pytest.mark.promise("R22")
def test_a_job_without_an_end_expires(world: World) -> None:
    world.model = provider = a_provider(lag=10_000)
    laps = list(takewhile(lambda _: _still_waiting(world), count()))

    assert len(laps) == PATIENCE[Kind.FINDINGS].polls
    assert failure(world).code == "JOB_EXPIRED"
    assert len(provider.jobs) == 1


def test_a_job_expires_by_the_clock_too(world: World, clock: FakeClock) -> None:
    world.model = a_provider(lag=10_000)
    lap(world)
    clock.pass_seconds(PATIENCE[Kind.FINDINGS].seconds + 1)

    assert failure(world).code == "JOB_EXPIRED"


class Busy(FakeJobs):
    """Sends everybody away, as long as it is told to."""

    times = 1

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        if self.times:
            self.times -= 1
            raise ServiceUnavailable("busy", wait_seconds=7)
        return super().submit(payload, key=key, seconds=seconds)


def test_a_busy_provider_is_a_wait_and_no_failure(world: World) -> None:
    world.model = provider = Busy(end=JobState.done(ANSWER))

    assert lap(world).facts["wait_seconds"] == 7
    assert told(world).result == ANSWER
    assert len(provider.jobs) == 1


def test_a_fault_of_the_provider_is_tried_again_as_any(world: World) -> None:
    class Down(FakeJobs):
        def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
            raise ServiceUnavailable("it broke the connection")

    world.model = Down()

    with pytest.raises(ServiceUnavailable):
        lap(world)


@pytest.mark.promise("R13")
def test_a_job_is_not_begun_at_the_end_of_a_lease_and_not_asked_after_either(
    world: World, clock: FakeClock
) -> None:
    class Slow(FakeJobs):
        def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
            clock.pass_seconds(budget(UNIT.step).step)
            return super().submit(payload, key=key, seconds=seconds)

    world.model = provider = Slow(end=JobState.done(ANSWER), lag=0)

    assert lap(world).facts["wait_seconds"] == 2
    assert provider.polls == []
    assert lap(world).result == ANSWER


def failure(world: World) -> StepError:
    with pytest.raises(SourceUnreadable) as raised:
        lap(world)
    return raised.value


def _still_waiting(world: World) -> bool:
    try:
        return "wait_seconds" in lap(world).facts
    except SourceUnreadable:
        return False


def _boundaries() -> Any:
    for call in count():
        yield Boundary(call=call, after=False)
        yield Boundary(call=call, after=True)


def _after(world: World, name: str) -> Boundary:
    """The boundary behind the first call of that name, in a lap of a world like this one."""
    watched = Mortal(_a_world(cast("FakeClock", world.clock)))
    watched._world.model = FakeJobs(lag=0)
    lap(watched)
    return Boundary(call=watched.calls.index(name), after=True)


def _a_world(clock: FakeClock) -> World:
    from tests.fakes.world import a_world

    return a_world(clock)


def _fields(unit: Unit) -> dict[str, Any]:
    return {"task_id": unit.task_id, "step": unit.step, "item": unit.item, "args": unit.args}
