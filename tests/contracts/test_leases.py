"""Leases as DynamoDB keeps them: what was left by the dead, by clocks that differ, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.agent.contract import CLOCK_SKEW, LAMBDA_MAXIMUM, LEASE_MARGIN, Step, budget
from lambdas.agent.errors import LeaseLost, StepError, StillClaimed
from lambdas.agent.model import Fault, Outcome, Unit
from lambdas.agent.runtime import run
from lambdas.agent.work import Work
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.world import World

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

UNIT = Unit(task_id="t", step=Step.FETCH, item="s1", args={"url": "https://a.test/"})
LIMITS = budget(UNIT.step)
LEASE = float(LIMITS.lease)


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


def ledger_at(table: DynamoDBClient, clock: FakeClock) -> DynamoDbLedger:
    return DynamoDbLedger(table, "ledger", clock, retention=30)


@pytest.mark.promise("R9")
@pytest.mark.parametrize(("ended", "is_free"), [(-1, False), (0, False), (1, True), (LEASE, True)])
def test_a_lease_is_over_when_the_clocks_skew_has_passed_since_its_end(
    table: DynamoDBClient, clock: FakeClock, ended: float, is_free: bool
) -> None:
    """Cases A01, A03 and A15: one attempt of a fresh process, and no waiting to judge."""
    ledger_at(table, clock).claim(UNIT, owner="dead", until=clock.now() + LEASE)
    clock.pass_seconds(LEASE + CLOCK_SKEW + ended)

    def heir() -> str | None:
        return ledger_at(table, clock).claim(UNIT, owner="heir", until=clock.now() + LEASE).owner

    if is_free:
        assert heir() == "heir"
    else:
        with pytest.raises(StillClaimed):
            heir()


@pytest.mark.promise("R9")
@pytest.mark.parametrize(
    ("age", "is_free"),
    [
        (2, False),
        (LAMBDA_MAXIMUM, False),
        (LAMBDA_MAXIMUM + LEASE_MARGIN + 3, True),
        (86_400, True),
    ],
)
def test_a_lease_whose_end_was_lost_holds_as_long_as_a_function_may_live(
    table: DynamoDBClient, clock: FakeClock, age: float, is_free: bool
) -> None:
    """Case A04: neither an orphan at once nor a lock for ever."""
    ledger = ledger_at(table, clock)
    ledger.claim(UNIT, owner="one", until=clock.now() + LEASE)
    table.update_item(
        TableName="ledger", Key=items.unit_key(UNIT), UpdateExpression="REMOVE leased_until"
    )
    clock.pass_seconds(age)

    try:
        owner = ledger.claim(UNIT, owner="two", until=clock.now() + LEASE).owner
    except StillClaimed:
        owner = "one"
    assert owner == ("two" if is_free else "one")


@pytest.mark.promise("R8", "R9")
@pytest.mark.parametrize("skew", [-CLOCK_SKEW, 0.0, CLOCK_SKEW])
@pytest.mark.parametrize("slow", [0.0, 3.0])
def test_nobody_takes_over_from_a_function_that_may_still_be_alive(
    table: DynamoDBClient, clock: FakeClock, skew: float, slow: float
) -> None:
    """Case A18: the lease counts from before its write, however slow that is, and outlives
    the function on any clock that is not off by more than the skew.
    """
    began = clock.now()
    others = FakeClock(began + skew)
    ledger_at(table, clock).claim(UNIT, owner="one", until=began + LIMITS.function + LEASE_MARGIN)
    clock.pass_seconds(slow)
    others.pass_seconds(LIMITS.function + LEASE_MARGIN)

    with pytest.raises(StillClaimed):
        ledger_at(table, others).claim(UNIT, owner="two", until=others.now() + LEASE)


@pytest.mark.promise("R8", "R10")
def test_a_worker_that_wakes_after_its_heir_has_checkpointed_changes_nothing(
    world: World, table: DynamoDBClient, clock: FakeClock
) -> None:
    """Case A14: it ends with LeaseLost, and its failure does not become the unit's."""
    world.ledger = ledger_at(table, clock)

    def sleeps(_: Work) -> Outcome:
        clock.pass_seconds(LEASE + CLOCK_SKEW + 1)
        held = world.ledger.claim(UNIT, owner="heir", until=clock.now() + LEASE)
        world.ledger.commit(UNIT, held, Outcome.go_on({"next": 5}))
        return Outcome.go_on({"next": 3})

    with pytest.raises(LeaseLost):
        run(sleeps, UNIT, world, owner="late", seconds=LIMITS.function)

    (record,) = world.ledger.units("t")
    assert (record.cursor, record.error_code, record.version) == ({"next": 5}, "", 3)


@pytest.mark.promise("R17")
@pytest.mark.parametrize("seconds", [0.0, -5.0, 0.001])
def test_a_worker_with_no_time_left_claims_nothing(
    world: World, table: DynamoDBClient, clock: FakeClock, seconds: float
) -> None:
    """Case A02: no time left is a value, and no record without an end of its lease comes of it."""
    world.ledger = ledger_at(table, clock)

    with pytest.raises(StepError):
        run(lambda _: Outcome.done(), UNIT, world, owner="any", seconds=seconds)

    assert table.scan(TableName="ledger")["Items"] == []


@pytest.mark.promise("R2", "R9")
def test_every_claim_has_an_end_in_epoch_seconds(
    world: World, table: DynamoDBClient, clock: FakeClock
) -> None:
    """Cases A02 and A03."""
    world.ledger = ledger_at(table, clock)
    seen: list[Any] = []

    def looks(_: Work) -> Outcome:
        seen.extend(table.scan(TableName="ledger")["Items"])
        return Outcome.done()

    run(looks, UNIT, world, owner="any", seconds=LIMITS.margin + 0.5)

    (item,) = seen
    assert float(item["leased_until"]["N"]) == clock.now() + LIMITS.margin + 0.5 + LEASE_MARGIN


@pytest.mark.promise("R23")
def test_a_fault_is_told_whatever_its_words_are(table: DynamoDBClient, clock: FakeClock) -> None:
    ledger = ledger_at(table, clock)
    held = ledger.claim(UNIT, owner="one", until=clock.now() + LEASE)

    ledger.release(UNIT, held, Fault(error_code="X", message="half \ud83c of a pair"))

    (record,) = ledger.units("t")
    assert record.last_error == "half ? of a pair"
