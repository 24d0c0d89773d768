"""The state machine's side of a run: start it, ask how it stands, read what it went through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from console.account import Account

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


def start(account: Account, name: str, typed: str) -> bool:
    """False where the name is taken: another start won, or one was made before."""
    try:
        account.stepfunctions.start_execution(
            stateMachineArn=account.resources.state_machine, name=name, input=typed
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != "ExecutionAlreadyExists":
            raise
        return False
    return True


def find(account: Account, name: str) -> Execution | None:
    """None where there never was one, or where AWS has forgotten it after 90 days."""
    try:
        found = account.stepfunctions.describe_execution(executionArn=_arn(account, name))
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


def history(account: Account, execution: Execution) -> list[dict[str, Any]]:
    pages = account.stepfunctions.get_paginator("get_execution_history").paginate(
        executionArn=execution.arn, PaginationConfig={"PageSize": 1000}
    )
    return [dict(event) for page in pages for event in page["events"]]


def finished_children(account: Account, execution: Execution) -> int:
    """Sources whose own execution is over, however it ended. The parent's history tells none."""
    client = account.stepfunctions
    runs = client.list_map_runs(executionArn=execution.arn)["mapRuns"]
    return sum(_finished(client, run["mapRunArn"]) for run in runs)


def console_link(execution: Execution) -> str:
    """The execution's page in AWS's own console."""
    region = execution.arn.split(":")[3]
    where = f"https://{region}.console.aws.amazon.com/states/home?region={region}"
    return f"{where}#/v2/executions/details/{execution.arn}"


def _arn(account: Account, name: str) -> str:
    machine = account.resources.state_machine
    return f"{machine.replace(':stateMachine:', ':execution:', 1)}:{name}"


def _finished(client: SFNClient, map_run: str) -> int:
    counts = client.describe_map_run(mapRunArn=map_run)["itemCounts"]
    return counts["succeeded"] + counts["failed"] + counts["timedOut"] + counts["aborted"]
