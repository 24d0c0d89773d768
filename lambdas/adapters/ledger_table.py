"""The ledger's table: records written under conditions, alone or together, and read while kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from random import uniform
from typing import TYPE_CHECKING, Any

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, CONFLICT, Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_write import Write
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
PAUSES = (0.02, 0.04, 0.08, 0.15, 0.3, 0.4, 0.4, 0.4, 0.4, 0.4)
"""Seconds, at the most each, between attempts at a transaction that met another: about two."""


class LedgerTable:
    """`retention` is in days after the last write."""

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

    def _query(self, partition: str, prefix: str, **more: Any) -> Iterator[Item]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={":pk": text(partition), ":prefix": text(prefix)},
            **more,
        )
        with translated("DynamoDB", "listing units"):
            for page in pages:
                yield from (dict(item) for item in page["Items"] if self._is_kept(item))

    def _delete_after(self) -> int:
        return int(self._clock.now()) + self._retention * DAY

    def _is_past(self, item: Mapping[str, Any]) -> bool:
        return bool(item) and not self._is_kept(item)

    def _is_kept(self, item: Mapping[str, Any]) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()
