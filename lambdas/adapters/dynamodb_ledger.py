"""The ledger on DynamoDB. The conditions of its writes stand in `ledger_writes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lambdas.adapters import ledger_items as items
from lambdas.adapters import ledger_writes as writes
from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_refusals import (
    as_it_stands,
    illegal,
    never_reserved,
    refuse_commit,
    same_task,
)
from lambdas.adapters.ledger_writes import Write
from lambdas.agent.continuing import refusal
from lambdas.agent.contract import SCHEMA_VERSION, Status
from lambdas.agent.errors import IllegalMove
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.ports import Clock
from lambdas.agent.tasks import Move, NewTask, TaskRecord

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
_NOT_ENDED = {f":{s}": text(s) for s in Status if not s.is_final}


class DynamoDbLedger:
    """See the port for the promises. `retention` is in days after the last write."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock, *, retention: int) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention

    def accept(self, task: NewTask) -> TaskRecord:
        item = items.task_item(task, now=self._clock.now(), delete_after=self._delete_after())
        try:
            self._create(item)
        except Refused as refused:
            return same_task(task, items.task_record(refused.old))
        return items.task_record(item)

    def task(self, task_id: str) -> TaskRecord | None:
        with translated("DynamoDB", "reading a task"):
            item = self._client.get_item(
                TableName=self._table, Key=items.task_key(task_id), ConsistentRead=True
            ).get("Item")
        return self._kept_task(item)

    def continue_run(self, task_id: str, *, run: int, execution: str) -> TaskRecord:
        write = writes.continue_run(
            task_id,
            run=run,
            execution=execution,
            now=self._clock.now(),
            delete_after=self._delete_after(),
        )
        try:
            return items.task_record(self._update(write))
        except Refused as refused:
            found = self._kept_task(refused.old)
        if found and (found.run, found.execution) == (run, execution):
            return found
        raise IllegalMove(refusal(found, task_id, run))

    def move(self, task_id: str, move: Move, *, run: int) -> TaskRecord:
        now, delete_after = self._clock.now(), self._delete_after()
        write = writes.move(task_id, move, now=now, delete_after=delete_after, run=run)
        try:
            return items.task_record(self._update(write))
        except Refused as refused:
            stands = refused.old
        raise illegal(task_id, move, stands)

    def under_way(self) -> Iterator[TaskRecord]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=items.BY_TIME,
            KeyConditionExpression="listed = :listed",
            FilterExpression=f"#status IN ({', '.join(_NOT_ENDED)})",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues={":listed": text(items.LISTED), **_NOT_ENDED},
        )
        with translated("DynamoDB", "listing the tasks under way"):
            for page in pages:
                kept = (item for item in page["Items"] if self._is_kept(item))
                yield from (items.task_record(item) for item in kept)

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        now = self._clock.now()
        write = writes.claim(
            unit, owner=owner, until=until, now=now, delete_after=self._delete_after()
        )
        try:
            return items.unit_record(self._update(write))
        except Refused as refused:
            if self._is_kept(refused.old):
                return as_it_stands(unit, items.unit_record(refused.old))
            self._forget(unit, refused.old)
        return self.claim(unit, owner=owner, until=until)

    def commit(self, unit: Unit, held: UnitRecord, outcome: Outcome) -> None:
        now, delete_after = self._clock.now(), self._delete_after()
        write = writes.commit(unit, held, outcome, now=now, delete_after=delete_after)
        try:
            if outcome.move is None:
                self._update(write)
            else:
                move = writes.move(unit.task_id, outcome.move, now=now, delete_after=delete_after)
                self._together(write, move)
        except Refused as refused:
            refuse_commit(unit, outcome, refused)

    def release(self, unit: Unit, held: UnitRecord, fault: Fault) -> None:
        try:
            self._update(writes.release(unit, held, fault, now=self._clock.now()))
        except Refused:
            return

    def units(self, task_id: str, *, item: str | None = None) -> Iterator[UnitRecord]:
        where = items.partitions(task_id) if item is None else [items.partition(task_id, item)]
        prefix = "UNIT#" if item is None else items.units_of(item)
        for partition in where:
            yield from map(items.unit_record, self._query(partition, prefix))

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        item = {
            **items.intent_key(task_id, key),
            "kind": text(kind),
            "stage": text(Stage.RESERVED),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(self._clock.now()),
            "delete_after": number(self._delete_after()),
        }
        try:
            self._create(item)
        except Refused as refused:
            return items.intent(refused.old)
        return items.intent(item, is_new=True)

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        return self._advanced(task_id, key, Stage.SUBMITTED, {"external_id": external_id})

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        return self._advanced(task_id, key, Stage.DONE, {"receipt": receipt})

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        return self._advanced(task_id, key, Stage.FAILED, {"error_code": error_code})

    def _advanced(self, task_id: str, key: str, to: Stage, told: Mapping[str, str]) -> Intent:
        now, delete_after = self._clock.now(), self._delete_after()
        write = writes.advance(task_id, key, to, told, now=now, delete_after=delete_after)
        try:
            return items.intent(self._update(write))
        except Refused as refused:
            if not refused.old:
                raise never_reserved(task_id, key) from None
            return items.intent(refused.old)

    def _create(self, item: Item) -> None:
        with translated("DynamoDB", "creating a record"), refusals():
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=ABSENT_OR_PAST,
                ExpressionAttributeValues={":now": number(self._clock.now())},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )

    def _update(self, write: Write) -> Item:
        with translated("DynamoDB", "writing a record"), refusals():
            answer = self._client.update_item(
                TableName=self._table,
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **write.arguments(),
            )
        return dict(answer["Attributes"])

    def _together(self, *all_or_none: Write) -> None:
        updates: list[Any] = [
            {
                "Update": {
                    "TableName": self._table,
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    **write.arguments(),
                }
            }
            for write in all_or_none
        ]
        with translated("DynamoDB", "committing a step"), refusals():
            self._client.transact_write_items(TransactItems=updates)

    def _forget(self, unit: Unit, old: Item) -> None:
        """Make room where TTL has not deleted yet. Whoever comes second finds the new item."""
        try:
            with translated("DynamoDB", "deleting an expired record"), refusals():
                self._client.delete_item(
                    TableName=self._table,
                    Key=items.unit_key(unit),
                    ConditionExpression="#version = :version AND delete_after = :past",
                    ExpressionAttributeNames={"#version": "version"},
                    ExpressionAttributeValues={
                        ":version": old["version"],
                        ":past": old["delete_after"],
                    },
                )
        except Refused:
            return

    def _query(self, partition: str, prefix: str) -> Iterator[Item]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={":pk": text(partition), ":prefix": text(prefix)},
        )
        with translated("DynamoDB", "listing units"):
            for page in pages:
                yield from (dict(item) for item in page["Items"] if self._is_kept(item))

    def _kept_task(self, item: Mapping[str, Any] | None) -> TaskRecord | None:
        return items.task_record(item) if item and self._is_kept(item) else None

    def _delete_after(self) -> int:
        return int(self._clock.now()) + self._retention * DAY

    def _is_kept(self, item: Mapping[str, Any]) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()
