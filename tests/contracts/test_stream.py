"""The ledger's stream over moto: what each write of a task brings, as NOTICE reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.ledger_stream import Change, changes
from lambdas.agent.contract import Status, Step
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.tasks import Move, NewTask
from tests.contracts.table import REGION, a_table
from tests.fakes.clock import FakeClock

TASK = NewTask(task_id="t", agent_id="acme", workflow_id="w", input_id="any", execution="run-1")
PLAN = Unit(task_id="t", step=Step.PLAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    ledger: DynamoDbLedger
    streams: Any
    arn: str

    def brought(self) -> list[Change]:
        (shard, *_) = self.streams.describe_stream(StreamArn=self.arn)["StreamDescription"][
            "Shards"
        ]
        iterator = self.streams.get_shard_iterator(
            StreamArn=self.arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        records = self.streams.get_records(ShardIterator=iterator)["Records"]
        return list(changes({"Records": records}))


@pytest.fixture
def watched() -> Iterator[Watched]:
    with mock_aws():
        table = a_table()
        table.update_table(
            TableName="ledger",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        )
        arn = table.describe_table(TableName="ledger")["Table"]["LatestStreamArn"]
        ledger = DynamoDbLedger(table, "ledger", FakeClock(), retention=90)
        streams = boto3.client("dynamodbstreams", region_name=REGION)
        yield Watched(ledger=ledger, streams=streams, arn=arn)


def test_a_task_is_brought_as_each_write_left_it_and_units_are_not(watched: Watched) -> None:
    ledger = watched.ledger
    ledger.accept(TASK)
    record = ledger.claim(PLAN, owner="any", until=FakeClock().now() + 10)
    waits = Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL)
    ledger.commit(PLAN, record, Outcome.done(move=waits))

    brought = watched.brought()

    assert [(each.is_new, each.task.status) for each in brought] == [
        (True, Status.RUNNING),
        (False, Status.WAITING_FOR_APPROVAL),
    ]
    assert brought[-1].task == ledger.task("t")
