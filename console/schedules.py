"""The schedules of a deployment: how they stand, and setting one going, out or going again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from console import doors
from console.account import Account
from console.errors import BadInput
from lambdas.adapters.dynamodb_schedules import DynamoDbSchedules
from lambdas.adapters.system_clock import SystemClock
from lambdas.agent.instants import iso

ON, OFF = "ENABLED", "DISABLED"
_RETENTION = 90  # nothing is written here


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleLine:
    """`last` is the instant whose task began last; `status` how that task stands."""

    name: str
    expression: str
    time_zone: str
    state: str
    overlap: str
    last: str = ""
    task_id: str = ""
    status: str = ""
    queued: str = ""
    skipped: str = ""
    skips: int = 0


def listed(account: Account) -> list[ScheduleLine]:
    return [_line(account, _found(account, name)) for name in names(account)]


def run_now(account: Account, name: str, *, now: datetime | None = None) -> dict[str, Any]:
    """As if its hour had come: a run that is under way is not overtaken."""
    told = _told(_found(account, name))
    at = iso((now or datetime.now(UTC)).timestamp())
    return doors.call(account, account.resources.tick_function, {**told, "scheduled_time": at})


def switch(account: Account, name: str, state: str) -> bool:
    """False where it was so already. An update names every field: what is left out is forgotten."""
    found = _found(account, name)
    if found["State"] == state:
        return False
    kept = (
        "Description",
        "FlexibleTimeWindow",
        "GroupName",
        "Name",
        "ScheduleExpression",
        "ScheduleExpressionTimezone",
        "Target",
    )
    known = {field: found[field] for field in kept if field in found}
    account.scheduler.update_schedule(**{**known, "State": state})
    return True


def names(account: Account) -> list[str]:
    pages = account.scheduler.get_paginator("list_schedules").paginate(
        GroupName=account.resources.schedule_group
    )
    return sorted(each["Name"] for page in pages for each in page["Schedules"])


def _found(account: Account, name: str) -> dict[str, Any]:
    group = account.resources.schedule_group
    try:
        return dict(account.scheduler.get_schedule(GroupName=group, Name=name))
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
    known = names(account)
    there = (
        f"there are {', '.join(known)}" if known else "there are none, see `schedules` in cdk.json"
    )
    raise BadInput(f"There is no schedule {name} in {account.name}: {there}.")


def _told(found: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(found["Target"]["Input"])
    return told


def _line(account: Account, found: Mapping[str, Any]) -> ScheduleLine:
    stored = DynamoDbSchedules(
        account.dynamodb, account.resources.ledger_table, SystemClock(), retention=_RETENTION
    )
    known = stored.find(found["Name"])
    task = account.ledger.task(known.last.task_id) if known.last else None
    return ScheduleLine(
        name=found["Name"],
        expression=found["ScheduleExpression"],
        time_zone=found.get("ScheduleExpressionTimezone", "UTC"),
        state=found["State"],
        overlap=_told(found)["overlap"],
        last=known.last.instant if known.last else "",
        task_id=known.last.task_id if known.last else "",
        status=task.status.value if task else "",
        queued=known.queued.instant if known.queued else "",
        skipped=known.skipped,
        skips=known.skips,
    )
