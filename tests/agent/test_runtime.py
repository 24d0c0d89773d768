"""How every step runs, whatever it does."""

from __future__ import annotations

import json
import random

import pytest

from lambdas.agent.contract import INLINE_LIMIT, Step, budget
from lambdas.agent.errors import OutOfTime, SourceRefused, StillClaimed, Unexpected
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import Ran, run
from lambdas.agent.work import Work, stored_result
from tests.fakes.clock import FakeClock
from tests.fakes.world import World

UNIT = Unit(task_id="t", step=Step.FETCH, item="s", args={"url": "https://a.test/"})
LIMITS = budget(Step.FETCH)


def ran(world: World, outcome: Outcome, *, seconds: float = LIMITS.function) -> Ran:
    return run(lambda _: outcome, UNIT, world, owner="one", seconds=seconds)


def never(_: Work) -> Outcome:
    raise AssertionError("this step had no business to run")


@pytest.mark.promise("R10", "R14")
def test_a_finished_step_answers_without_running_again(world: World) -> None:
    first = ran(world, Outcome.done(ref="r", n=1))

    again = run(never, UNIT, world, owner="two", seconds=LIMITS.function)

    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.outcome.as_event() == first.outcome.as_event()


@pytest.mark.promise("R17")
@pytest.mark.parametrize("seconds", [0.0, -5.0, 0.001, LIMITS.margin])
def test_a_step_with_no_time_left_takes_no_work(world: World, seconds: float) -> None:
    with pytest.raises(OutOfTime, match="took no work"):
        run(never, UNIT, world, owner="one", seconds=seconds)

    assert list(world.ledger.units("t")) == []


@pytest.mark.promise("R17", "R18")
@pytest.mark.parametrize(
    ("seconds", "usable"),
    [(LIMITS.function, LIMITS.step), (10.0, 10.0 - LIMITS.margin)],
)
def test_the_deadline_lies_below_what_lambda_leaves(
    world: World, clock: FakeClock, seconds: float, usable: float
) -> None:
    seen: list[tuple[bool, float]] = []

    def looks(work: Work) -> Outcome:
        clock.pass_seconds(usable - 0.5)
        seen.append((work.is_time_up(), work.call_seconds()))
        clock.pass_seconds(0.5)
        seen.append((work.is_time_up(), work.call_seconds()))
        return Outcome.done()

    run(looks, UNIT, world, owner="one", seconds=seconds)

    assert [is_up for is_up, _ in seen] == [False, True]
    assert [left for _, left in seen] == pytest.approx([0.5, 0.0], abs=1e-6)


def test_a_failure_is_kept_and_the_next_attempt_need_not_wait(world: World) -> None:
    def refuses(_: Work) -> Outcome:
        raise SourceRefused("a.test said 404", code="HTTP_404", dependency="a.test")

    with pytest.raises(SourceRefused):
        run(refuses, UNIT, world, owner="one", seconds=LIMITS.function)

    (record,) = world.ledger.units("t")
    assert (record.error_code, record.dependency, record.owner) == ("HTTP_404", "a.test", None)
    assert ran(world, Outcome.done()).record.attempt == 2


@pytest.mark.promise("R33")
def test_a_fault_of_ours_gets_a_name_and_its_message_stays_inside(world: World) -> None:
    def breaks(_: Work) -> Outcome:
        raise KeyError("page text that nobody should read")

    with pytest.raises(Unexpected) as told:
        run(breaks, UNIT, world, owner="one", seconds=LIMITS.function)

    (record,) = world.ledger.units("t")
    assert "KeyError" in str(told.value)
    assert "page text" not in str(told.value) + record.last_error


def test_a_worker_that_dies_leaves_a_lease_and_nothing_else(world: World) -> None:
    def dies(_: Work) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(dies, UNIT, world, owner="dead", seconds=LIMITS.function)

    with pytest.raises(StillClaimed):
        ran(world, Outcome.done())


@pytest.mark.promise("R3", "R4")
@pytest.mark.parametrize("size", [0, 100, INLINE_LIMIT * 10])
def test_a_result_lives_in_its_record_or_as_an_artifact(world: World, size: int) -> None:
    result = random.Random(7).randbytes(size)

    record = ran(world, Outcome.done(result=result)).record
    (stored,) = world.ledger.units("t")

    assert stored.outcome is not None
    assert (stored.outcome.result is None) == (size > INLINE_LIMIT)
    assert stored_result(world, stored) == result
    assert record.owner == "one"


def test_what_compresses_well_stays_in_the_record(world: World) -> None:
    result = json.dumps(["the same again"] * 5000).encode()
    ran(world, Outcome.done(result=result))

    (stored,) = world.ledger.units("t")
    assert stored.outcome is not None
    assert stored.outcome.result == result
