"""The state machine's side of a run: start it, ask how it stands, read what it went through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from console.account import Account
from lambdas.adapters.stepfunctions_executions import execution_arn
from lambdas.agent.tasks import ExecutionStatus

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

RUNNING = "RUNNING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """`status` is Step Functions', which knows nothing of rejected or expired."""

    arn: str
    name: str
    status: str
    started: datetime
    stopped: datetime | None = None
    error: str = ""
    cause: str = ""

    @property
    def is_running(self) -> bool:
        return self.status == RUNNING


def find(account: Account, name: str) -> Execution | None:
    """None where there never was one, or where AWS has forgotten it after 90 days."""
    try:
        arn = execution_arn(account.resources.state_machine, name)
        found = account.stepfunctions.describe_execution(executionArn=arn)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ExecutionDoesNotExist":
            raise
        return None
    return Execution(
        arn=found["executionArn"],
        name=name,
        status=found["status"],
        started=found["startDate"],
        stopped=found.get("stopDate"),
        error=found.get("error", ""),
        cause=found.get("cause", ""),
    )


def state_of(found: Execution | None) -> ExecutionStatus:
    return ExecutionStatus.of(found.status) if found else ExecutionStatus.ABSENT


def history(account: Account, execution: Execution) -> list[dict[str, Any]]:
    pages = account.stepfunctions.get_paginator("get_execution_history").paginate(
        executionArn=execution.arn, PaginationConfig={"PageSize": 1000}
    )
    return [dict(event) for page in pages for event in page["events"]]


def finished_children(account: Account, execution: Execution) -> int:
    """Sources whose own execution is over, however it ended. The parent's history tells none."""
    return sum(run.finished for run in map_runs(account, execution))


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRun:
    """The executions of a run's sources, counted. Those that `failed` wrote no reason down."""

    status: str
    items: int
    finished: int
    failed: int


def map_runs(account: Account, execution: Execution) -> list[MapRun]:
    client = account.stepfunctions
    found = client.list_map_runs(executionArn=execution.arn)
    # Where there are none an emulator may leave the list out.
    return [_map_run(client, run["mapRunArn"]) for run in found.get("mapRuns", ())]


def console_link(execution: Execution) -> str:
    """The execution's page in AWS's own console."""
    region = execution.arn.split(":")[3]
    where = f"https://{region}.console.aws.amazon.com/states/home?region={region}"
    return f"{where}#/v2/executions/details/{execution.arn}"


def _map_run(client: SFNClient, arn: str) -> MapRun:
    found = client.describe_map_run(mapRunArn=arn)
    counts = found["itemCounts"]
    failed = counts["failed"] + counts["timedOut"] + counts["aborted"]
    return MapRun(
        status=found["status"],
        items=counts["total"],
        finished=counts["succeeded"] + failed,
        failed=failed,
    )
