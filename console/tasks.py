"""What the ledger knows: a task, the newest tasks, the units of a task. Reads only."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from console.account import Account
from console.errors import BadInput
from lambdas.adapters.ledger_items import (
    BY_TIME,
    LISTED,
    SHORT,
    Item,
    number,
    partitions,
    purse_key,
    task_key,
    task_record,
    text,
    trace_of,
    unit_key,
    unit_record,
)
from lambdas.adapters.ledger_items import purse as purse_of
from lambdas.agent.costs import EMPTY, Purse
from lambdas.agent.model import Unit, UnitRecord
from lambdas.agent.tally import Tally, tallied
from lambdas.agent.tasks import TaskRecord


def task(account: Account, task_id: str) -> TaskRecord | None:
    item = _item(account, task_key(task_id))
    return task_record(item) if item and _is_kept(item) else None


def known_task(account: Account, task_id: str) -> TaskRecord:
    found = task(account, task_id)
    if found is None:
        raise BadInput(
            f"There is no task {task_id} in {account.name}: `./ratchet list` shows those there are."
        )
    return found


def newest(account: Account, limit: int) -> list[TaskRecord]:
    return list(islice(_all(account, page=max(10, min(limit, 100))), limit))


def under_way(account: Account) -> list[TaskRecord]:
    """Those that have not ended, newest first."""
    return [task for task in _all(account, page=100) if not task.status.is_final]


def _all(account: Account, *, page: int) -> Iterator[TaskRecord]:
    pages = account.dynamodb.get_paginator("query").paginate(
        TableName=account.resources.ledger_table,
        IndexName=BY_TIME,
        KeyConditionExpression="listed = :listed",
        ExpressionAttributeValues={":listed": text(LISTED)},
        ScanIndexForward=False,
        PaginationConfig={"PageSize": page},
    )
    return (task_record(item) for each in pages for item in each["Items"] if _is_kept(item))


def unit(account: Account, asked: Unit) -> UnitRecord | None:
    item = _item(account, unit_key(asked))
    return unit_record(item) if item and _is_kept(item) else None


def units(account: Account, task_id: str) -> list[UnitRecord]:
    return [
        unit_record(item)
        for partition in partitions(task_id)
        for item in _units_in(account, partition)
    ]


def purse(account: Account, task_id: str) -> Purse:
    item = _item(account, purse_key(task_id))
    return purse_of(item) if item and _is_kept(item) else EMPTY


def tally(account: Account, task_id: str) -> Tally:
    """Counted from four attributes of each unit: a run of thousands is read often."""
    return tallied(
        trace_of(item)
        for partition in partitions(task_id)[1:]  # the first one holds no unit of the first run's
        for item in _units_in(account, partition, **SHORT)
    )


def _item(account: Account, key: Item) -> Item | None:
    return account.dynamodb.get_item(
        TableName=account.resources.ledger_table, Key=key, ConsistentRead=True
    ).get("Item")


def _units_in(account: Account, partition: str, **more: Any) -> Iterator[Item]:
    pages = account.dynamodb.get_paginator("query").paginate(
        TableName=account.resources.ledger_table,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :unit)",
        ExpressionAttributeValues={":pk": text(partition), ":unit": text("UNIT#")},
        ConsistentRead=True,
        **more,
    )
    return (item for page in pages for item in page["Items"] if _is_kept(item))


def _is_kept(item: Mapping[str, Any]) -> bool:
    """DynamoDB deletes days after its TTL: what is past it counts as absent."""
    return float(item.get("delete_after", number(0))["N"]) > time.time()
