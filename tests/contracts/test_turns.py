"""One contract for the turns in memory and on DynamoDB."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_turns import ATTEMPTS, LEADING_KEY, DynamoDbTurns
from lambdas.agent.contract import CLOCK_SKEW, SCHEMA_VERSION
from lambdas.agent.errors import ServiceUnavailable, Unexpected
from lambdas.agent.web_ports import Turns
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.turns import MemoryTurns

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOST = "acme.test"
DAYS = 30
QUEUED, IDLE = ["UpdateItem"], ["UpdateItem", "UpdateItem"]


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def turns(request: pytest.FixtureRequest, clock: FakeClock) -> Turns:
    if request.param == "memory":
        return MemoryTurns(clock)
    return on_dynamodb(request.getfixturevalue("table"), clock)


def on_dynamodb(table: DynamoDBClient, clock: FakeClock, *, between: float = 0.0) -> DynamoDbTurns:
    return DynamoDbTurns(table, "ledger", clock, seconds_between=between, retention=DAYS)


def asked_of(table: DynamoDBClient) -> list[str]:
    """The operations that the table is asked for from now on."""
    asked: list[str] = []
    table.meta.events.register(
        "before-send.dynamodb.*",
        lambda event_name, **_: asked.append(event_name.rpartition(".")[2]),
    )
    return asked


def item_of(table: DynamoDBClient, host: str = HOST) -> dict[str, Any]:
    key: Any = {"pk": {"S": f"{LEADING_KEY}{host}"}, "sk": {"S": "TURN"}}
    return dict(table.get_item(TableName="ledger", Key=key)["Item"])


def test_an_idle_host_is_asked_at_once_and_then_in_turns(turns: Turns, clock: FakeClock) -> None:
    began = clock.now()

    assert [turns.next(HOST, every=1.5) - began for _ in range(4)] == [0, 1.5, 3, 4.5]


def test_turns_that_nobody_took_are_not_saved_up(turns: Turns, clock: FakeClock) -> None:
    turns.next(HOST, every=2)
    clock.pass_seconds(600)

    assert [turns.next(HOST, every=2) - clock.now() for _ in range(3)] == [0, 2, 4]


@pytest.mark.parametrize("passed", [0.0, 0.999, 1.0, 1.001, 5.0])
def test_a_turn_comes_when_the_last_is_over_and_not_before_now(
    turns: Turns, clock: FakeClock, passed: float
) -> None:
    first = turns.next(HOST, every=1)
    clock.pass_seconds(passed)

    assert turns.next(HOST, every=1) == pytest.approx(max(first + 1, clock.now()), abs=0.001)


def test_each_host_has_turns_of_its_own(turns: Turns, clock: FakeClock) -> None:
    for host in (HOST, "other.test", "sub.acme.test", "::1", "münchen.test"):
        assert turns.next(host, every=5) == clock.now()


def test_each_turn_leaves_as_long_a_pause_as_was_asked_for(turns: Turns, clock: FakeClock) -> None:
    pauses = (1, 10, 0.25, 1)

    assert [turns.next(HOST, every=every) - clock.now() for every in pauses] == [0, 1, 11, 11.25]


def test_a_turn_that_is_far_off_is_a_turn_all_the_same(turns: Turns, clock: FakeClock) -> None:
    """Whether to wait for it is the caller's affair."""
    far = [turns.next(HOST, every=3600) for _ in range(100)][-1]

    assert far == clock.now() + 99 * 3600


def test_a_turn_that_is_now_lies_not_in_the_future(turns: Turns, clock: FakeClock) -> None:
    """Whoever has it need not wait for a part of a millisecond."""
    clock.pass_seconds(0.0007)

    assert 0 <= clock.now() - turns.next(HOST, every=1) < 0.001


@pytest.mark.parametrize("every", [0.0, 0.0001, -1.0])
def test_where_no_pause_is_asked_for_everybodys_turn_is_now(
    turns: Turns, clock: FakeClock, every: float
) -> None:
    assert {turns.next(HOST, every=every) for _ in range(3)} == {clock.now()}


def test_the_deployments_pause_is_the_shortest_there_is(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    for turns in (
        MemoryTurns(clock, seconds_between=2.5),
        on_dynamodb(table, clock, between=2.5),
    ):
        told = [turns.next(HOST, every=every) - clock.now() for every in (0, 1, 10, 0)]
        assert told == [0, 2.5, 5, 15]


@pytest.mark.promise("R35")
def test_a_turn_costs_one_request_behind_others_and_two_at_an_idle_host(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    turns, asked = on_dynamodb(table, clock), asked_of(table)

    turns.next(HOST, every=1)
    assert asked == IDLE
    asked.clear()
    turns.next(HOST, every=1)
    assert asked == QUEUED
    asked.clear()
    clock.pass_seconds(60)
    turns.next(HOST, every=1)
    assert asked == IDLE


@pytest.mark.promise("R35")
def test_no_pause_costs_no_request(table: DynamoDBClient, clock: FakeClock) -> None:
    turns, asked = on_dynamodb(table, clock), asked_of(table)

    assert turns.next(HOST, every=0) == clock.now()
    assert asked == []


@pytest.mark.parametrize("is_idle", [True, False])
def test_ten_workers_at_once_get_ten_turns(
    table: DynamoDBClient, clock: FakeClock, is_idle: bool
) -> None:
    """Each reads its own clock, and all at the same moment."""
    taken = [] if is_idle else [on_dynamodb(table, clock).next(HOST, every=1)]
    asked = asked_of(table)

    taken += at_once([on_dynamodb(table, clock) for _ in range(10)], rounds=5)

    assert sorted(taken) == [clock.now() + n for n in range(len(taken))]
    assert len(asked) <= 50 + (2 * 10 if is_idle else 0)


def test_a_worker_whose_clock_is_behind_gets_a_turn_of_its_own(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    behind = FakeClock(clock.now() - CLOCK_SKEW)
    turns, theirs = on_dynamodb(table, clock), on_dynamodb(table, behind)

    taken = [turns.next(HOST, every=1), theirs.next(HOST, every=1), turns.next(HOST, every=1)]

    assert [turn - clock.now() for turn in taken] == [0, 1, 2]


def test_a_worker_whose_clock_is_ahead_takes_nobodys_turn(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    ahead = FakeClock(clock.now() + CLOCK_SKEW)
    turns, theirs = on_dynamodb(table, clock), on_dynamodb(table, ahead)

    taken = [turns.next(HOST, every=1), theirs.next(HOST, every=1), turns.next(HOST, every=1)]

    assert [turn - clock.now() for turn in taken] == [0, CLOCK_SKEW, CLOCK_SKEW + 1]


@pytest.mark.promise("R34")
def test_the_record_goes_by_itself_some_time_after_the_last_turn(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    turns = on_dynamodb(table, clock)
    for _ in range(2):
        clock.pass_seconds(10)
        turns.next(HOST, every=100)

        item = item_of(table)
        assert int(item["delete_after"]["N"]) == int(clock.now()) + DAYS * 86_400
    assert item["schema_version"] == {"N": str(SCHEMA_VERSION)}
    assert set(item) == {"pk", "sk", "free_at", "delete_after", "schema_version"}


@pytest.mark.promise("R22")
def test_a_worker_that_always_comes_at_the_wrong_moment_gives_up_and_is_tried_again(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    """The host is idle when it wants to queue, and busy when it wants to be the first."""
    on_dynamodb(table, clock).next(HOST, every=60)
    asked, before = asked_of(table), item_of(table)
    late, early = clock.now() + 100, clock.now()
    asked.clear()
    turns = DynamoDbTurns(table, "ledger", Jumping(late, early), seconds_between=0, retention=DAYS)

    with pytest.raises(ServiceUnavailable, match="too many workers ask at once") as refused:
        turns.next(HOST, every=1)

    assert refused.value.dependency == "DynamoDB"
    assert len(asked) == 2 * ATTEMPTS
    assert item_of(table) == before


@pytest.mark.promise("R21")
def test_a_table_that_cannot_be_asked_is_told_by_its_name(clock: FakeClock) -> None:
    with mock_aws():
        turns = DynamoDbTurns(a_table(), "gone", clock, seconds_between=1, retention=DAYS)

        with pytest.raises(Unexpected, match="DynamoDB refused taking a turn") as refused:
            turns.next(HOST, every=1)

    assert refused.value.dependency == "DynamoDB"


def at_once(workers: list[DynamoDbTurns], *, rounds: int) -> list[float]:
    barrier = Barrier(len(workers))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads that change places at every chance they get

    def work(turns: DynamoDbTurns) -> list[float]:
        barrier.wait()
        return [turns.next(HOST, every=1) for _ in range(rounds)]

    try:
        with ThreadPoolExecutor(len(workers)) as threads:
            taken = [turn for each in threads.map(work, workers) for turn in each]
    finally:
        sys.setswitchinterval(before)
    assert max(Counter(taken).values()) == 1
    return taken


class Jumping:
    """A clock that goes back and forth between two times."""

    def __init__(self, *times: float) -> None:
        self._times = cycle(times)

    def now(self) -> float:
        return next(self._times)
