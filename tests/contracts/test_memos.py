"""One contract for the memos in memory and on DynamoDB: where models' answers are kept."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_memos import ANSWERS, DynamoDbMemos
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import Unexpected
from lambdas.agent.identity import digest
from lambdas.agent.model import Memo
from lambdas.agent.model_ports import Memos
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.memos import MemoryMemos

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAYS = 30
DAY = 86_400
KEY, OTHER = digest("a question"), digest("another")
MEMO = Memo(ref="tasks/t/answer/1", by="ANALYZE of s in task t")
LATER = Memo(ref="tasks/u/answer/2", by="ANALYZE of s in task u")


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def memos(request: pytest.FixtureRequest, clock: FakeClock) -> Memos:
    if request.param == "memory":
        return MemoryMemos(clock, retention=DAYS)
    return on_dynamodb(request.getfixturevalue("table"), clock)


def on_dynamodb(table: DynamoDBClient, clock: FakeClock) -> DynamoDbMemos:
    return DynamoDbMemos(table, "ledger", clock, retention=DAYS)


def test_a_memo_comes_back_as_it_was_under_its_key_alone(memos: Memos) -> None:
    assert memos.get(KEY) is None
    assert memos.keep(KEY, MEMO) == MEMO

    assert memos.get(KEY) == MEMO
    assert memos.get(OTHER) is None


@pytest.mark.promise("R10")
def test_the_first_answer_stays_and_whoever_comes_later_is_told_it(memos: Memos) -> None:
    memos.keep(KEY, MEMO)

    assert memos.keep(KEY, MEMO) == MEMO
    assert memos.keep(KEY, LATER) == MEMO
    assert memos.get(KEY) == MEMO


def test_what_is_of_no_use_any_more_is_replaced_and_only_that(memos: Memos) -> None:
    memos.keep(KEY, MEMO)

    assert memos.keep(KEY, LATER, instead_of="tasks/t/answer/another") == MEMO
    assert memos.keep(KEY, LATER, instead_of=MEMO.ref) == LATER
    assert memos.get(KEY) == LATER


@pytest.mark.promise("R34")
def test_a_memo_whose_retention_is_over_is_none_though_it_is_still_there(
    memos: Memos, clock: FakeClock
) -> None:
    """DynamoDB deletes days late."""
    memos.keep(KEY, MEMO)
    clock.pass_seconds(DAYS * DAY - 1)
    assert memos.get(KEY) == MEMO

    clock.pass_seconds(1)
    assert memos.get(KEY) is None
    assert memos.keep(KEY, LATER) == LATER


@pytest.mark.promise("R8")
def test_of_ten_answers_at_once_one_is_kept_and_all_are_told_which(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    barrier = Barrier(10)

    def keep(number: int) -> Memo:
        barrier.wait()
        return on_dynamodb(table, clock).keep(KEY, Memo(ref=f"ref-{number}", by="any"))

    with ThreadPoolExecutor(10) as threads:
        told = set(threads.map(keep, range(10)))

    assert told == {on_dynamodb(table, clock).get(KEY)}


@pytest.mark.promise("R35")
def test_each_call_is_one_request(table: DynamoDBClient, clock: FakeClock) -> None:
    asked: list[str] = []
    table.meta.events.register(
        "before-send.dynamodb.*",
        lambda event_name, **_: asked.append(event_name.rpartition(".")[2]),
    )
    stored = on_dynamodb(table, clock)

    for _ in range(2):
        stored.get(KEY)
        stored.keep(KEY, MEMO)

    assert asked == ["GetItem", "PutItem"] * 2


@pytest.mark.promise("R5", "R33", "R34")
def test_an_item_is_a_hash_and_a_reference_with_a_version_and_an_end(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    on_dynamodb(table, clock).keep(KEY, MEMO)

    (item,) = table.scan(TableName="ledger")["Items"]
    now = clock.now()
    assert item["pk"] == {"S": f"{ANSWERS}{KEY}"}
    assert item["schema_version"] == {"N": str(SCHEMA_VERSION)}
    assert item["delete_after"] == {"N": str(int(now) + DAYS * DAY)}
    assert set(item) == {
        "pk", "sk", "ref", "by", "schema_version", "created_at", "delete_after"
    }  # fmt: skip


def test_a_memo_of_a_later_version_is_not_guessed_at(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    stored = on_dynamodb(table, clock)
    stored.keep(KEY, MEMO)
    (item,) = table.scan(TableName="ledger")["Items"]
    newer = {**item, "schema_version": {"N": str(SCHEMA_VERSION + 1)}}
    table.put_item(TableName="ledger", Item=newer)

    with pytest.raises(Unexpected, match="newer version"):
        stored.get(KEY)
