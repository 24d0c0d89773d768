"""What is remembered of schedules, in the ledger's table: a partition for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import Refused, refusals
from lambdas.adapters.ledger_items import BY_TIME, Item, number, text
from lambdas.adapters.ledger_upcasts import current
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.identity import canonical
from lambdas.agent.ports import Clock
from lambdas.agent.schedules import Schedule, Turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
SCHEDULES = "SCHEDULE#"
LISTED = "SCHEDULE"
"""The partition of the index that lists them."""
# What is past its retention counts as absent, and its version as none.
AS_IT_WAS = (
    "(version = :was AND delete_after > :now)"
    " OR (:was = :none AND (attribute_not_exists(version) OR delete_after <= :now))"
)


class DynamoDbSchedules:
    """See the port for the promises. `retention` is in days after the last write."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock, *, retention: int) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention

    def find(self, name: str) -> Schedule:
        with translated("DynamoDB", "reading a schedule"):
            item = self._client.get_item(
                TableName=self._table, Key=_key(name), ConsistentRead=True
            ).get("Item")
        kept = item and self._is_kept(dict(item))
        return _schedule(dict(item)) if item and kept else Schedule(name=name)

    def write(self, then: Schedule, *, version: int) -> bool:
        now = self._clock.now()
        item = {
            **_key(then.name),
            "version": number(version + 1),
            "last": text(_json(then.last)),
            "queued": text(_json(then.queued)),
            "skipped": text(then.skipped),
            "skips": number(then.skips),
            "schema_version": number(SCHEMA_VERSION),
            "listed": text(LISTED),
            "created_at": number(now),
            "delete_after": number(int(now) + self._retention * DAY),
        }
        try:
            with translated("DynamoDB", "writing a schedule"), refusals():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression=AS_IT_WAS,
                    ExpressionAttributeValues={
                        ":was": number(version),
                        ":none": number(0),
                        ":now": number(now),
                    },
                )
        except Refused:
            return False
        return True

    def every(self) -> Iterator[Schedule]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=BY_TIME,
            KeyConditionExpression="listed = :listed",
            ExpressionAttributeValues={":listed": text(LISTED)},
        )
        with translated("DynamoDB", "listing the schedules"):
            for page in pages:
                found = (dict(item) for item in page["Items"])
                yield from (_schedule(item) for item in found if self._is_kept(item))

    def _is_kept(self, item: Item) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()


def _key(name: str) -> Item:
    return {"pk": text(f"{SCHEDULES}{name}"), "sk": text("SCHEDULE")}


def _json(turn: Turn | None) -> str:
    return canonical(asdict(turn)).decode() if turn else "null"


def _turn(told: str) -> Turn | None:
    found = json.loads(told)
    return Turn(**found) if found else None


def _schedule(item: Item) -> Schedule:
    item = dict(current(item))
    return Schedule(
        name=item["pk"]["S"].removeprefix(SCHEDULES),
        version=int(item["version"]["N"]),
        last=_turn(item["last"]["S"]),
        queued=_turn(item["queued"]["S"]),
        skipped=item["skipped"]["S"],
        skips=int(item["skips"]["N"]),
    )
