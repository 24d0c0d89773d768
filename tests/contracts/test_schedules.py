"""One contract for schedules and the inbox, in memory and on AWS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_schedules import DynamoDbSchedules
from lambdas.adapters.s3_inbox import TYPED_LIMIT, S3Inbox
from lambdas.agent.ports import Inbox, Schedules
from lambdas.agent.schedules import Schedule, Turn
from tests.contracts.table import a_bucket, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.schedules import MemoryInbox, MemorySchedules

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TURN = Turn(instant="2026-07-29T10:00:00Z", task_id="t", told={"agent_id": "a", "coverage": 0.5})
KNOWN = Schedule(name="weekly", last=TURN, skipped="2026-08-05T10:00:00Z", skips=3)


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture(params=["memory", "dynamodb"])
def schedules(request: pytest.FixtureRequest, clock: FakeClock) -> Schedules:
    if request.param == "memory":
        return MemorySchedules()
    return DynamoDbSchedules(request.getfixturevalue("table"), "ledger", clock, retention=30)


@pytest.fixture(params=["memory", "s3"])
def inbox(request: pytest.FixtureRequest) -> Iterator[Inbox]:
    if request.param == "memory":
        yield MemoryInbox()
        return
    with mock_aws():
        yield S3Inbox(a_bucket(), "artifacts")


def test_of_one_that_never_struck_nothing_is_known(schedules: Schedules) -> None:
    assert schedules.find("weekly") == Schedule(name="weekly")
    assert list(schedules.every()) == []


def test_what_was_written_comes_back_with_its_version(schedules: Schedules) -> None:
    assert schedules.write(KNOWN, version=0)
    assert schedules.write(replace(KNOWN, queued=TURN), version=1)

    assert schedules.find("weekly") == replace(KNOWN, queued=TURN, version=2)
    assert list(schedules.every()) == [replace(KNOWN, queued=TURN, version=2)]
    assert schedules.find("daily").version == 0


@pytest.mark.promise("R8")
@pytest.mark.parametrize("version", [0, 2])
def test_a_write_over_another_version_changes_nothing(schedules: Schedules, version: int) -> None:
    schedules.write(KNOWN, version=0)

    assert not schedules.write(replace(KNOWN, skips=9), version=version)
    assert schedules.find("weekly").skips == 3


@pytest.mark.promise("R8")
def test_of_ten_writes_at_once_one_stands(table: DynamoDBClient, clock: FakeClock) -> None:
    barrier = Barrier(10)

    def write(number: int) -> bool:
        barrier.wait()
        stored = DynamoDbSchedules(table, "ledger", clock, retention=30)
        return stored.write(replace(KNOWN, skips=number), version=0)

    with ThreadPoolExecutor(10) as threads:
        assert sorted(threads.map(write, range(10))) == [False] * 9 + [True]


@pytest.mark.promise("R34")
def test_what_is_past_its_retention_is_as_if_it_had_never_been(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    """DynamoDB deletes days late."""
    stored = DynamoDbSchedules(table, "ledger", clock, retention=30)
    stored.write(KNOWN, version=0)
    clock.pass_seconds(30 * 86_400 + 1)

    assert stored.find("weekly") == Schedule(name="weekly")
    assert list(stored.every()) == []
    assert not stored.write(KNOWN, version=1)
    assert stored.write(KNOWN, version=0)


def test_a_request_that_fits_is_told_itself(inbox: Inbox) -> None:
    assert inbox.told({"agent_id": "a"}) == {"agent_id": "a"}


def test_a_large_one_is_left_under_a_name_of_its_bytes(inbox: Inbox) -> None:
    large = {"agent_id": "a" * TYPED_LIMIT}
    told = inbox.told(large)

    assert set(told) == {"request_ref"}
    assert inbox.told(large) == told
    assert inbox.told({"agent_id": "b" * TYPED_LIMIT}) != told


def test_plan_finds_what_was_left() -> None:
    from lambdas.adapters.s3_artifacts import S3Artifacts

    with mock_aws():
        bucket, large = a_bucket(), {"agent_id": "a" * TYPED_LIMIT}
        ref = S3Inbox(bucket, "artifacts").told(large)["request_ref"]

        assert json.loads(S3Artifacts(bucket, "artifacts").get(ref)) == large
