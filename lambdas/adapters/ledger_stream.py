"""The ledger's stream, as Lambda hands it on: which tasks' records have changed, and to what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.adapters.ledger_items import TASK_SORT_KEY, task_record
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A task's record as one write left it, and whether that write made it."""

    task: TaskRecord
    is_new: bool


def changes(event: Mapping[str, Any]) -> Iterator[Change]:
    """In the order of the writes. What was deleted, or is no task, is passed over."""
    for record in event["Records"]:
        image = record["dynamodb"].get("NewImage")
        if image and image["sk"]["S"] == TASK_SORT_KEY:
            yield Change(task=task_record(image), is_new=record["eventName"] == "INSERT")
