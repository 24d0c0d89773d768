"""The ledger's tasks: accepted once, taken on by one run after the other, moved by their steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lambdas.adapters import ledger_items as items
from lambdas.adapters import ledger_task_writes as writes
from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import Refused
from lambdas.adapters.ledger_items import text
from lambdas.adapters.ledger_refusals import illegal, same_task
from lambdas.adapters.ledger_table import LedgerTable
from lambdas.agent.continuing import refusal
from lambdas.agent.contract import Status
from lambdas.agent.errors import IllegalMove
from lambdas.agent.tasks import Move, NewTask, Place, TaskRecord

_NOT_ENDED = {f":{s}": text(s) for s in Status if not s.is_final}


class LedgerTasks(LedgerTable):
    """What the port promises of tasks."""

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

    def newest(self, limit: int, *, before: Place | None = None) -> list[TaskRecord]:
        found: list[TaskRecord] = []
        behind = _behind(before) if before else {}
        while len(found) < limit:
            with translated("DynamoDB", "listing the newest tasks"):
                page = self._client.query(
                    TableName=self._table,
                    IndexName=items.BY_TIME,
                    KeyConditionExpression="listed = :listed",
                    ExpressionAttributeValues={":listed": text(items.LISTED)},
                    ScanIndexForward=False,
                    Limit=limit,
                    **behind,
                )
            found += [items.task_record(item) for item in page["Items"] if self._is_kept(item)]
            if "LastEvaluatedKey" not in page:
                break
            behind = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        return found[:limit]

    def _kept_task(self, item: Mapping[str, Any] | None) -> TaskRecord | None:
        return items.task_record(item) if item and self._is_kept(item) else None


def _behind(place: Place) -> dict[str, Any]:
    key = {
        **items.task_key(place.task_id),
        "listed": text(items.LISTED),
        "created_at": items.number(place.created_at),
    }
    return {"ExclusiveStartKey": key}
