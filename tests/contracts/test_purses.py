"""One contract for what a task's calls to models hold and cost, in memory and on DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.ledger_table import PAUSES
from lambdas.agent.costs import EMPTY, NOTHING, Cost, Hold, Limits, Purse
from lambdas.agent.errors import ServiceUnavailable, Unexpected
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.ledger_ports import Ledger
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.steps.test_sizes import weights

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TASK, KIND = "agent-flow-0123456789ab", "findings"
RETENTION_DAYS = 30
CALL, COST = Cost(tokens=100, micro_usd=50), Cost(tokens=30, micro_usd=7)


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(
    request: pytest.FixtureRequest, clock: FakeClock, table: DynamoDBClient
) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(clock, retention=RETENTION_DAYS)
    else:
        yield DynamoDbLedger(table, "ledger", clock, retention=RETENTION_DAYS)


def reserve(ledger: Ledger, key: str, **limits: int) -> Intent:
    told = asked(ledger, key, **limits)
    assert isinstance(told, Intent)
    return told


def asked(ledger: Ledger, key: str, **limits: int) -> Intent | Purse:
    return ledger.reserve_paid(TASK, key, KIND, Hold(cost=CALL, limits=Limits(**limits)))


@pytest.mark.promise("R11")
def test_a_call_is_held_before_it_and_costs_what_it_did_after_it(ledger: Ledger) -> None:
    known = reserve(ledger, "one")

    assert (known.is_new, known.held) == (True, CALL)
    assert ledger.purse(TASK) == Purse(held=CALL)
    ended = ledger.close(TASK, known, cost=COST, receipt="answer")
    assert (ended.stage, ended.receipt, ended.held, ended.spent) == (
        Stage.DONE,
        "answer",
        NOTHING,
        COST,
    )
    assert ledger.purse(TASK) == Purse(spent=COST)
    assert reserve(ledger, "one") == ended


def test_a_call_that_failed_costs_too(ledger: Ledger) -> None:
    failed = ledger.close(TASK, reserve(ledger, "one"), cost=COST, error_code="TRUNCATED")

    assert (failed.stage, failed.error_code) == (Stage.FAILED, "TRUNCATED")
    assert ledger.purse(TASK) == Purse(spent=COST)


@pytest.mark.parametrize("limits", [{"tokens": 199}, {"micro_usd": 99}])
def test_what_would_pass_a_limit_is_not_reserved(ledger: Ledger, limits: dict[str, int]) -> None:
    reserve(ledger, "one", **limits)

    assert asked(ledger, "two", **limits) == Purse(held=CALL)
    assert ledger.purse(TASK) == Purse(held=CALL)
    assert ledger.reserve(TASK, "two", KIND).is_new, "nothing was written of it"


def test_a_limit_may_be_reached(ledger: Ledger) -> None:
    reserve(ledger, "one", tokens=200, micro_usd=100)

    assert reserve(ledger, "two", tokens=200, micro_usd=100).is_new


def test_a_limit_below_one_call_leaves_room_for_none(ledger: Ledger) -> None:
    assert asked(ledger, "one", tokens=99) == EMPTY
    assert ledger.purse(TASK) == EMPTY


def test_what_is_settled_makes_room(ledger: Ledger) -> None:
    known = reserve(ledger, "one", tokens=150)
    assert isinstance(asked(ledger, "two", tokens=150), Purse)
    ledger.close(TASK, known, cost=COST, receipt="answer")

    assert reserve(ledger, "two", tokens=150).is_new


@pytest.mark.promise("R11", "R13")
def test_who_comes_again_holds_nothing_more(ledger: Ledger) -> None:
    known = reserve(ledger, "one")

    again = reserve(ledger, "one", tokens=1)
    assert (again.is_new, again.held) == (False, CALL)
    ledger.close(TASK, known, cost=COST, receipt="answer")
    assert reserve(ledger, "one", tokens=1).stage is Stage.DONE
    assert ledger.purse(TASK) == Purse(spent=COST)


@pytest.mark.promise("R13")
def test_of_two_ends_the_first_stands_and_is_paid_once(ledger: Ledger) -> None:
    known = reserve(ledger, "one")
    ended = ledger.close(TASK, known, cost=COST, receipt="answer")

    assert ledger.close(TASK, known, cost=CALL, receipt="another") == ended
    assert ledger.close(TASK, known, cost=CALL, error_code="ANY") == ended
    assert ledger.purse(TASK) == Purse(spent=COST)


def test_a_job_under_way_holds_until_it_ends(ledger: Ledger) -> None:
    reserve(ledger, "one")
    under_way = ledger.submitted(TASK, "one", "job-1")

    assert (under_way.external_id, under_way.held) == ("job-1", CALL)
    ended = ledger.close(TASK, under_way, cost=COST, receipt="answer")
    assert ended.external_id == "job-1"
    assert ledger.purse(TASK) == Purse(spent=COST)


def test_who_knows_too_little_of_it_ends_it_all_the_same(ledger: Ledger) -> None:
    reserve(ledger, "one")
    ledger.submitted(TASK, "one", "job-1")
    stale = Intent(key="one", kind=KIND, stage=Stage.RESERVED)

    assert ledger.close(TASK, stale, cost=COST, receipt="answer").external_id == "job-1"
    assert ledger.purse(TASK) == Purse(spent=COST)


def test_what_was_reserved_without_a_price_is_paid_at_its_end(ledger: Ledger) -> None:
    """A version before budgets has begun it."""
    known = ledger.reserve(TASK, "one", KIND)
    ledger.close(TASK, known, cost=COST, receipt="answer")

    assert ledger.purse(TASK) == Purse(spent=COST)


def test_what_was_reserved_without_a_price_is_held_before_it_is_asked(ledger: Ledger) -> None:
    ledger.reserve(TASK, "one", KIND)

    assert isinstance(asked(ledger, "one", tokens=99), Purse)
    known = reserve(ledger, "one", tokens=100)
    assert (known.is_new, known.held) == (False, CALL)
    assert ledger.purse(TASK) == Purse(held=CALL)


def test_what_nobody_has_reserved_cannot_end(ledger: Ledger) -> None:
    nobodys = Intent(key="one", kind=KIND, stage=Stage.RESERVED, held=CALL)

    with pytest.raises(Unexpected, match="no record of the effect"):
        ledger.close(TASK, nobodys, cost=COST, receipt="answer")
    ledger.forgo(TASK, nobodys)
    assert ledger.purse(TASK) == EMPTY


def test_what_is_not_waited_for_is_given_back_once(ledger: Ledger) -> None:
    known = reserve(ledger, "one")
    ledger.forgo(TASK, known)
    ledger.forgo(TASK, known)

    assert ledger.purse(TASK) == EMPTY
    assert list(ledger.held(TASK)) == []


def test_who_knows_too_little_of_it_gives_it_back_all_the_same(ledger: Ledger) -> None:
    reserve(ledger, "one")
    ledger.forgo(TASK, Intent(key="one", kind=KIND, stage=Stage.RESERVED))

    assert ledger.purse(TASK) == EMPTY


def test_a_job_that_nobody_waits_for_is_billed_all_the_same(ledger: Ledger) -> None:
    known = reserve(ledger, "one")
    ledger.submitted(TASK, "one", "job-1")
    ledger.forgo(TASK, known)

    assert ledger.purse(TASK) == Purse(spent=CALL)
    ledger.close(TASK, known, cost=COST, receipt="answer")
    assert ledger.purse(TASK) == Purse(spent=COST), "now it is known"


@pytest.mark.promise("R13")
def test_who_comes_back_after_it_was_given_up_pays_what_it_cost(ledger: Ledger) -> None:
    known = reserve(ledger, "one")
    ledger.forgo(TASK, known)
    ledger.close(TASK, known, cost=COST, receipt="answer")

    assert ledger.purse(TASK) == Purse(spent=COST)


def test_what_has_ended_is_not_given_back(ledger: Ledger) -> None:
    known = reserve(ledger, "one")
    ledger.close(TASK, known, cost=COST, receipt="answer")
    ledger.forgo(TASK, known)

    assert ledger.purse(TASK) == Purse(spent=COST)


def test_a_purse_is_a_tasks_own_and_is_the_sum_of_its_calls(ledger: Ledger) -> None:
    for number in range(5):
        reserve(ledger, f"call-{number}")
    ledger.close(TASK, reserve(ledger, "call-0"), cost=COST, receipt="answer")
    ledger.forgo(TASK, reserve(ledger, "call-1"))

    held = list(ledger.held(TASK))
    assert {intent.key for intent in held} == {"call-2", "call-3", "call-4"}
    assert sum((intent.held for intent in held), NOTHING) == ledger.purse(TASK).held
    assert ledger.purse(TASK).spent == COST
    assert ledger.purse("another-task") == EMPTY


def test_a_purse_whose_retention_is_over_is_empty(ledger: Ledger, clock: FakeClock) -> None:
    ledger.close(TASK, reserve(ledger, "one"), cost=CALL, receipt="answer")
    clock.pass_seconds((RETENTION_DAYS + 1) * 86_400)

    assert ledger.purse(TASK) == EMPTY
    assert reserve(ledger, "one", tokens=100).is_new
    assert ledger.purse(TASK) == Purse(held=CALL)


@pytest.mark.promise("R3")
def test_a_purse_does_not_grow_with_its_calls(clock: FakeClock, table: DynamoDBClient) -> None:
    ledger = DynamoDbLedger(table, "ledger", clock, retention=RETENTION_DAYS)
    for number in range(50):
        reserve(ledger, f"{number:064}", tokens=10**12, micro_usd=10**12)

    assert max(weights(table)) < 1024


class Meeting:
    """A client of the table, at which another transaction has the item, so often."""

    def __init__(self, table: DynamoDBClient, times: int) -> None:
        self.left = times
        self._table = table

    def transact_write_items(self, **asked: Any) -> Any:
        if not self.left:
            return self._table.transact_write_items(**asked)
        self.left -= 1
        reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
        told = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
        raise ClientError(cast("Any", told), "TransactWriteItems")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def a_ledger(table: Meeting, clock: FakeClock, pauses: list[float]) -> DynamoDbLedger:
    client = cast("DynamoDBClient", table)
    return DynamoDbLedger(client, "ledger", clock, retention=RETENTION_DAYS, pause=pauses.append)


def test_workers_who_meet_at_the_purse_try_again_after_a_pause(
    clock: FakeClock, table: DynamoDBClient
) -> None:
    meeting, pauses = Meeting(table, len(PAUSES)), list[float]()

    assert reserve(a_ledger(meeting, clock, pauses), "one").is_new
    assert (meeting.left, len(pauses)) == (0, len(PAUSES))
    assert all(0 <= pause <= longest for pause, longest in zip(pauses, PAUSES, strict=True))


def test_who_never_gets_at_the_purse_is_retried_and_has_written_nothing(
    clock: FakeClock, table: DynamoDBClient
) -> None:
    ledger = a_ledger(Meeting(table, len(PAUSES) + 1), clock, [])

    with pytest.raises(ServiceUnavailable, match="TransactionConflict"):
        reserve(ledger, "one")
    assert ledger.purse(TASK) == EMPTY
