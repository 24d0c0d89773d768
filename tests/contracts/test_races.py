"""Workers that truly run at once, in threads, against DynamoDB's conditions as moto keeps them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any, cast

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.agent.contract import CLOCK_SKEW, Decision, Status, Step
from lambdas.agent.costs import Cost, Hold, Limits, Purse
from lambdas.agent.errors import IllegalMove, InputChanged, LeaseLost, StepError, StillClaimed
from lambdas.agent.intents import Intent
from lambdas.agent.model import Outcome, Unit, UnitRecord
from lambdas.agent.tasks import Move, NewTask, TaskRecord
from lambdas.doors.decide import decide
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeCallbacks
from tests.fakes.story import Story
from tests.matrix.scene import Scene
from tests.matrix.takes import on_aws

ROUNDS = range(15)
LEASE = 60.0
TASK = NewTask(
    task_id="agent-flow-0123456789ab",
    agent_id="agent",
    workflow_id="flow",
    input_id="request-1",
    execution="any",
)
UNIT = Unit(task_id=TASK.task_id, step=Step.FETCH, item="s1", args={"url": "https://a.test/"})


@pytest.fixture(autouse=True)
def eager_threads() -> Iterator[None]:
    """Threads that change places at every chance they get."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def ledger(clock: FakeClock) -> Iterator[DynamoDbLedger]:
    with mock_aws():
        yield DynamoDbLedger(a_table(), "ledger", clock, retention=30)


@pytest.mark.promise("R8")
def test_of_two_workers_on_one_unit_one_is_sent_away(
    ledger: DynamoDbLedger, clock: FakeClock
) -> None:
    """Case A15: whoever comes first takes it with its first request, nobody waits to judge."""
    for unit in units():
        told = at_once(
            *(partial(ledger.claim, unit, owner=o, until=clock.now() + LEASE) for o in "12")
        )

        (record,) = ledger.units(unit.task_id)
        assert kinds(told) == {StillClaimed, UnitRecord}
        assert record in told
        assert (record.version, record.attempt) == (1, 1)


@pytest.mark.promise("R9")
def test_of_two_heirs_one_inherits(ledger: DynamoDbLedger, clock: FakeClock) -> None:
    for unit in units():
        ledger.claim(unit, owner="dead", until=clock.now() + LEASE)
        clock.pass_seconds(LEASE + CLOCK_SKEW + 1)

        told = at_once(
            *(partial(ledger.claim, unit, owner=o, until=clock.now() + LEASE) for o in "12")
        )

        (record,) = ledger.units(unit.task_id)
        assert kinds(told) == {StillClaimed, UnitRecord}
        assert record in told
        assert record.attempt == 2


@pytest.mark.promise("R8", "R10")
def test_a_commit_as_an_heir_claims_has_won_or_lost_and_nothing_between(
    ledger: DynamoDbLedger, clock: FakeClock
) -> None:
    """Case A14."""
    for unit in units():
        late = ledger.claim(unit, owner="late", until=clock.now() + LEASE)
        clock.pass_seconds(LEASE + CLOCK_SKEW + 1)
        done = Outcome.done(ref="late")

        lost, heir = at_once(
            partial(ledger.commit, unit, late, done),
            partial(ledger.claim, unit, owner="heir", until=clock.now() + LEASE),
        )

        if lost is None:
            assert (heir.is_done, heir.outcome) == (True, done)
        else:
            assert (type(lost), heir.owner, heir.outcome) == (LeaseLost, "heir", None)


def test_of_two_commits_under_one_lease_one_is_refused(
    ledger: DynamoDbLedger, clock: FakeClock
) -> None:
    for unit in units():
        ledger.accept(replace(TASK, task_id=unit.task_id))
        held = ledger.claim(unit, owner="one", until=clock.now() + LEASE)
        move = Move(to=Step.EXTRACT)

        told = at_once(
            *(
                partial(ledger.commit, unit, held, Outcome.done(ref=ref, move=move))
                for ref in ("a", "b")
            )
        )

        (record,), task = ledger.units(unit.task_id), ledger.task(unit.task_id)
        assert kinds(told) == {LeaseLost, type(None)}
        assert record.outcome is not None
        assert record.outcome.ref == "ab"[told.index(None)]
        assert task is not None
        assert task.state_version == 2


@pytest.mark.promise("R15")
def test_of_two_ends_at_once_the_first_stands(ledger: DynamoDbLedger, clock: FakeClock) -> None:
    """Case B17: success never turns into failure, however close they come."""
    ends = {Step.COMPLETE: Status.SUCCEEDED, Step.RECORD_FAILURE: Status.FAILED}
    for any_unit in units():
        ledger.accept(replace(TASK, task_id=any_unit.task_id))
        commits = []
        for step, status in ends.items():
            unit = replace(any_unit, step=step)
            held = ledger.claim(unit, owner=step, until=clock.now() + LEASE)
            end = Outcome.done(move=Move(to=step, status=status))
            commits.append(partial(ledger.commit, unit, held, end))

        told = at_once(*commits)

        task = ledger.task(any_unit.task_id)
        assert kinds(told) == {IllegalMove, type(None)}
        assert task is not None
        assert task.status is list(ends.values())[told.index(None)]


@pytest.mark.promise("R15")
def test_of_an_end_and_a_cancellation_at_once_the_first_stands(
    ledger: DynamoDbLedger, clock: FakeClock
) -> None:
    for unit in units():
        ledger.accept(replace(TASK, task_id=unit.task_id))
        held = ledger.claim(unit, owner="any", until=clock.now() + LEASE)
        end = Outcome.done(move=Move(to=Step.COMPLETE, status=Status.SUCCEEDED))
        called_off = Move(to=Step.COMPLETE, status=Status.CANCELLED)

        committed, cancelled = at_once(
            partial(ledger.commit, unit, held, end),
            partial(ledger.move, unit.task_id, called_off, run=1),
        )

        task = ledger.task(unit.task_id)
        assert kinds([committed, cancelled]) & {IllegalMove} == {IllegalMove}
        assert task is not None
        assert task.status is (Status.SUCCEEDED if committed is None else Status.CANCELLED)


@pytest.mark.promise("R11")
def test_of_two_reservations_of_one_effect_one_is_new(ledger: DynamoDbLedger) -> None:
    for unit in units():
        told = at_once(*[partial(ledger.reserve, unit.task_id, "any key", "any kind")] * 2)

        assert sorted(intent.is_new for intent in told) == [False, True]


@pytest.mark.promise("R28")
def test_of_two_requests_under_one_name_one_is_accepted(ledger: DynamoDbLedger) -> None:
    for unit in units():
        asked = [replace(TASK, task_id=unit.task_id, input_id=each) for each in ("one", "two")]

        told = at_once(*(partial(ledger.accept, task) for task in asked))

        assert kinds(told) == {InputChanged, TaskRecord}
        assert ledger.task(unit.task_id) in told


@pytest.mark.promise("R28")
def test_of_two_answers_to_a_report_at_once_the_first_stands_and_both_are_told_so() -> None:
    """Case B13, over the ledger alone: nobody clicks so fast that two decisions stand."""
    scene = Scene(name="any", before="DECIDE", verb=Story.approve)
    with on_aws(scene) as take:
        for _ in ROUNDS:
            story = take()

            one, two = at_once(
                partial(_answered, story, Decision.APPROVED, "ann"),
                partial(_answered, story, Decision.REJECTED, "ben"),
            )

            callbacks = cast("FakeCallbacks", story.ports.callbacks)
            assert (one["decision"], one["by"]) == (two["decision"], two["by"])
            assert sorted((one["already"], two["already"])) == [False, True]
            assert [answer["decision"] for _, answer in callbacks.woken] == [one["decision"]]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each call returned, or the error of ours that it raised, in the calls' order."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return call()
        except StepError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


@pytest.mark.promise("R12")
def test_workers_at_once_never_hold_more_than_the_budget_has(ledger: DynamoDbLedger) -> None:
    """Four ask for the last two calls, again and again."""
    call = Cost(tokens=10, micro_usd=3)
    hold = Hold(cost=call, limits=Limits(tokens=25))
    for any_unit in units():
        task_id = any_unit.task_id

        told = at_once(
            *(partial(ledger.reserve_paid, task_id, key, "findings", hold) for key in "abcd")
        )

        reserved = [each for each in told if isinstance(each, Intent)]
        assert kinds(told) == {Intent, Purse}
        assert len(reserved) == 2
        assert ledger.purse(task_id).held == call + call
        at_once(*(partial(ledger.close, task_id, one, cost=call, receipt="r") for one in reserved))
        assert ledger.purse(task_id) == Purse(spent=call + call)


@pytest.mark.promise("R13")
def test_of_two_bills_for_one_call_at_once_one_is_paid(ledger: DynamoDbLedger) -> None:
    for any_unit in units():
        task_id, bills = any_unit.task_id, [Cost(tokens=1), Cost(tokens=2)]
        hold = Hold(cost=Cost(tokens=10))
        known = ledger.reserve_paid(task_id, "a", "findings", hold)
        assert isinstance(known, Intent)

        one, two = at_once(
            *(partial(ledger.close, task_id, known, cost=bill, receipt="r") for bill in bills)
        )

        assert one == two
        assert ledger.purse(task_id) == Purse(spent=one.spent)


def units() -> list[Unit]:
    """One for each round, each of a task of its own."""
    return [replace(UNIT, task_id=f"{UNIT.task_id}-{n}") for n in ROUNDS]


def kinds(told: list[Any]) -> set[type]:
    """Two that were told the same kind of thing count as one: then somebody has won twice."""
    return set(map(type, told))


def _answered(story: Story, decision: Decision, by: str) -> dict[str, Any]:
    """As the console does: an answer that meets another one under way waits for it."""
    event = {"task_id": story.state["task_id"], "decision": decision, "by": by}
    while True:
        try:
            return decide(event, story.ports, owner=f"door of {by}", seconds=20)
        except StillClaimed:
            continue
