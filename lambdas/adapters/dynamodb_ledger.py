"""The ledger on DynamoDB. The conditions of its writes stand in `ledger_writes`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import uniform
from typing import TYPE_CHECKING, Any

from lambdas.adapters import ledger_items as items
from lambdas.adapters import ledger_writes as writes
from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, CONFLICT, Refused, refusals
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
from lambdas.agent.costs import NOTHING, Cost, Hold, Purse
from lambdas.agent.errors import IllegalMove, ServiceUnavailable
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.ports import Clock
from lambdas.agent.tasks import Move, NewTask, TaskRecord

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
PAUSES = (0.02, 0.04, 0.08, 0.15, 0.3, 0.4, 0.4, 0.4, 0.4, 0.4)
"""Seconds, at the most each, between attempts at a transaction that met another: about two."""
_NOT_ENDED = {f":{s}": text(s) for s in Status if not s.is_final}


class DynamoDbLedger:
    """See the port for the promises. `retention` is in days after the last write."""

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        clock: Clock,
        *,
        retention: int,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention
        self._pause = pause

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
            self._forget(items.unit_key(unit), refused.old)
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
        item = self._reservation(task_id, key, kind)
        try:
            self._create(item)
        except Refused as refused:
            return items.intent(refused.old)
        return items.intent(item, is_new=True)

    def _reservation(self, task_id: str, key: str, kind: str) -> Item:
        return {
            **items.intent_key(task_id, key),
            "kind": text(kind),
            "stage": text(Stage.RESERVED),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(self._clock.now()),
            "delete_after": number(self._delete_after()),
        }

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        return self._advanced(task_id, key, Stage.SUBMITTED, {"external_id": external_id})

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        return self._advanced(task_id, key, Stage.DONE, {"receipt": receipt})

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        return self._advanced(task_id, key, Stage.FAILED, {"error_code": error_code})

    def reserve_paid(self, task_id: str, key: str, kind: str, hold: Hold) -> Intent | Purse:
        item = {
            **self._reservation(task_id, key, kind),
            **items.paid_attributes(hold.cost, NOTHING),
        }
        try:
            self._transact({"Put": self._put(item)}, self._change(self._holds(task_id, hold)))
        except Refused as refused:
            if refused.place == 0:
                return self._held_for(task_id, items.intent(refused.old), hold)
            if self._is_past(refused.old):
                self._forget(items.purse_key(task_id), refused.old)
                return self.reserve_paid(task_id, key, kind, hold)
            return items.purse(refused.old)
        return items.intent(item, is_new=True)

    def _held_for(self, task_id: str, found: Intent, hold: Hold) -> Intent | Purse:
        """What was reserved before is held for already, unless that was given back."""
        if found.stage is not Stage.RESERVED or found.held != NOTHING:
            return found
        now, delete_after = self._clock.now(), self._delete_after()
        then = replace(found, held=hold.cost)
        intent, _ = writes.pays(task_id, found, then, now=now, delete_after=delete_after)
        try:
            self._together(intent, self._holds(task_id, hold))
        except Refused as refused:
            if refused.place == 0:
                return self._held_for(task_id, items.intent(refused.old), hold)
            return items.purse(refused.old)
        return then

    def close(
        self,
        task_id: str,
        known: Intent,
        *,
        cost: Cost,
        receipt: str = "",
        error_code: str = "",
    ) -> Intent:
        end = Stage.FAILED if error_code else Stage.DONE

        def then(known: Intent) -> Intent | None:
            if known.stage not in writes.FROM[end]:
                return None
            ended = replace(known, stage=end, receipt=receipt, error_code=error_code)
            return replace(ended, held=NOTHING, spent=cost, is_new=False)

        stands = self._paid(task_id, known, then)
        if stands is None:
            raise never_reserved(task_id, known.key)
        return stands

    def forgo(self, task_id: str, known: Intent) -> None:
        def then(stands: Intent) -> Intent | None:
            holds_nothing = stands.held == NOTHING and stands is not known  # which may be a guess
            if stands.stage.is_final or holds_nothing:
                return None
            is_billed = stands.stage is Stage.SUBMITTED
            return replace(stands, held=NOTHING, spent=stands.held if is_billed else stands.spent)

        self._paid(task_id, known, then)

    def held(self, task_id: str) -> Iterator[Intent]:
        found = map(items.intent, self._query(task_id, items.EFFECTS))
        return (intent for intent in found if intent.held != NOTHING)

    def purse(self, task_id: str) -> Purse:
        found = next(self._query(task_id, items.PURSE_SORT_KEY), {})
        return items.purse(found)

    def _paid(
        self, task_id: str, known: Intent, then: Callable[[Intent], Intent | None]
    ) -> Intent | None:
        """Lead an effect on from how it is known, or else from how it stands, if it does."""
        while (after := then(known)) is not None:
            now, delete_after = self._clock.now(), self._delete_after()
            try:
                self._together(
                    *writes.pays(task_id, known, after, now=now, delete_after=delete_after)
                )
            except Refused as refused:
                if not refused.old:
                    return None
                known = items.intent(refused.old)
            else:
                return after
        return known

    def _holds(self, task_id: str, hold: Hold) -> Write:
        now, delete_after = self._clock.now(), self._delete_after()
        return writes.purse_holds(task_id, hold, now=now, delete_after=delete_after)

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
            self._client.put_item(**self._put(item))

    def _put(self, item: Item) -> Any:
        return {
            "TableName": self._table,
            "Item": item,
            "ConditionExpression": ABSENT_OR_PAST,
            "ExpressionAttributeValues": {":now": number(self._clock.now())},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

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
        self._transact(*map(self._change, all_or_none))

    def _change(self, write: Write) -> Item:
        asked = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if write.condition else {}
        return {"Update": {"TableName": self._table, **asked, **write.arguments()}}

    def _transact(self, *changes: Item) -> None:
        """A purse is one item for all workers of a task: who meets another there tries again."""
        told: list[Any] = list(changes)
        for longest in (*PAUSES, 0.0):
            try:
                with translated("DynamoDB", "writing records together"), refusals():
                    self._client.transact_write_items(TransactItems=told)
            except ServiceUnavailable as busy:
                if busy.code != CONFLICT or not longest:
                    raise
                self._pause(uniform(0, longest))  # noqa: S311  # it parts two workers
            else:
                return

    def _forget(self, key: Item, old: Item) -> None:
        """Make room where TTL has not deleted yet. Whoever comes second finds the new item."""
        try:
            with translated("DynamoDB", "deleting an expired record"), refusals():
                self._client.delete_item(
                    TableName=self._table,
                    Key=key,
                    ConditionExpression="delete_after = :past",
                    ExpressionAttributeValues={":past": old["delete_after"]},
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

    def _is_past(self, item: Mapping[str, Any]) -> bool:
        return bool(item) and not self._is_kept(item)

    def _is_kept(self, item: Mapping[str, Any]) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()
