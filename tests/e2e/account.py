"""The sandbox account, as the end-to-end tests see it: AWS's APIs and nothing else."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import boto3

from lambdas.adapters import ledger_items as items
from lambdas.agent.contract import Status
from lambdas.agent.identity import canonical, execution_name, task_id
from lambdas.agent.model import BESIDE, UnitRecord
from lambdas.agent.notices import ENDS, Kind
from lambdas.agent.tasks import TaskRecord
from sandbox.life import Running

PATIENCE = 180.0
"""Seconds until a test gives up waiting: a bound on hanging, not a claim about speed."""

Found = TypeVar("Found")


def waited_for(look: Callable[[], Found | None], what: str) -> Found:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {PATIENCE:.0f} s in vain for {what}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An execution that is over."""

    arn: str
    status: str
    error: str
    cause: str


class Account:
    def __init__(self, running: Running) -> None:
        self._running = running
        self.outputs: Mapping[str, str] = running.outputs["Ratchet"]

    @property
    def endpoint(self) -> str:
        return self._running.endpoint

    @property
    def environment(self) -> Mapping[str, str]:
        return self._running.environment

    @property
    def site(self) -> str:
        return self._running.site

    def client(self, service: Any) -> Any:
        return _client(service, tuple(sorted(self._running.environment.items())))

    def start(self, request: Mapping[str, Any], *, name: str = "", machine: str = "") -> str:
        """Start an execution as the console would: by pasting a request."""
        task = task_of(request)
        started = self.client("stepfunctions").start_execution(
            stateMachineArn=machine or self.outputs["StateMachine"],
            name=name or execution_name(task, 1),
            input=json.dumps(request),
        )
        return str(started["executionArn"])

    def start_large(self, request: Mapping[str, Any]) -> str:
        """Start with a request that is stored first, as the command line does."""
        body = canonical(request)
        ref = f"requests/{hashlib.sha256(body).hexdigest()}"
        self.client("s3").put_object(Bucket=self.outputs["ArtifactBucket"], Key=ref, Body=body)
        started = self.client("stepfunctions").start_execution(
            stateMachineArn=self.outputs["StateMachine"],
            name=execution_name(task_of(request), 1),
            input=json.dumps({"request_ref": ref}),
        )
        return str(started["executionArn"])

    def resume(self, task: str, *, retry_set_aside: bool = False) -> str:
        """Start the second run's execution, as the command line does."""
        told = {"resume": {"task_id": task, "run": 2, "retry_set_aside": retry_set_aside}}
        started = self.client("stepfunctions").start_execution(
            stateMachineArn=self.outputs["StateMachine"],
            name=execution_name(task, 2),
            input=json.dumps(told),
        )
        return str(started["executionArn"])

    def ended(self, arn: str) -> Ended:
        def look() -> Ended | None:
            found = self.client("stepfunctions").describe_execution(executionArn=arn)
            if found["status"] == "RUNNING":
                return None
            return Ended(
                arn=arn,
                status=found["status"],
                error=found.get("error", ""),
                cause=found.get("cause", ""),
            )

        return waited_for(look, f"the end of {arn}")

    def asked(self, task: str) -> TaskRecord:
        """The task, once it waits for a person."""

        def look() -> TaskRecord | None:
            found = self.task(task)
            assert not (found and found.status.is_final), f"{task} has ended unasked: {found}"
            return found if found and found.status == "WAITING_FOR_APPROVAL" else None

        return waited_for(look, f"task {task} to ask for approval")

    def asked_in_second_run(self, task: str) -> TaskRecord:
        """Like `asked`; until PLAN has taken the task on, its record is the first run's."""

        def look() -> TaskRecord | None:
            found = self.task(task)
            waits = found and found.run == 2 and found.status is Status.WAITING_FOR_APPROVAL
            return found if waits else None

        return waited_for(look, "the second run to ask")

    def decide(self, task: str, decision: str, note: str = "") -> dict[str, Any]:
        answer = self.client("lambda").invoke(
            FunctionName=self.outputs["DecideFunction"],
            Payload=json.dumps({"task_id": task, "decision": decision, "by": "ann", "note": note}),
        )
        told: dict[str, Any] = json.loads(answer["Payload"].read())
        return told

    def run(self, request: Mapping[str, Any]) -> Ended:
        """Start it, approve it when it asks, and wait for its end."""
        arn = self.start(request)
        self.asked(task_of(request))
        self.decide(task_of(request), "APPROVED")
        return self.ended(arn)

    def task(self, task: str) -> TaskRecord | None:
        found = self.client("dynamodb").get_item(
            TableName=self.outputs["LedgerTable"], Key=items.task_key(task), ConsistentRead=True
        )
        return items.task_record(found["Item"]) if "Item" in found else None

    def units(self, task: str) -> list[UnitRecord]:
        return list(self._units(task))

    def _units(self, task: str) -> Iterator[UnitRecord]:
        for partition in (*items.partitions(task), items.partition(task, BESIDE)):
            pages = (
                self.client("dynamodb")
                .get_paginator("query")
                .paginate(
                    TableName=self.outputs["LedgerTable"],
                    ConsistentRead=True,
                    KeyConditionExpression="pk = :pk AND begins_with(sk, :unit)",
                    ExpressionAttributeValues={":pk": {"S": partition}, ":unit": {"S": "UNIT#"}},
                )
            )
            for page in pages:
                yield from map(items.unit_record, page["Items"])

    def functions(self) -> dict[str, Mapping[str, Any]]:
        """Lambda's word of each function, by its handler."""
        pages = self.client("lambda").get_paginator("list_functions").paginate()
        return {each["Handler"]: each for page in pages for each in page["Functions"]}

    def body(self, key: str) -> bytes:
        found = self.client("s3").get_object(Bucket=self.outputs["ArtifactBucket"], Key=key)
        return bytes(found["Body"].read())

    def keys(self, prefix: str) -> list[str]:
        pages = (
            self.client("s3")
            .get_paginator("list_objects_v2")
            .paginate(Bucket=self.outputs["ArtifactBucket"], Prefix=prefix)
        )
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def history(self, arn: str) -> list[dict[str, Any]]:
        pages = (
            self.client("stepfunctions")
            .get_paginator("get_execution_history")
            .paginate(executionArn=arn)
        )
        return [event for page in pages for event in page["events"]]

    def tellings(self, task: str) -> list[str]:
        """The executions that have told others of a task, once all have ended but its reminder's:
        that one sleeps until the window is nearly over.
        """
        sfn = self.client("stepfunctions")

        def look() -> list[str] | None:
            pages = sfn.get_paginator("list_executions").paginate(
                stateMachineArn=self.outputs["TellingMachine"]
            )
            found = [
                sfn.describe_execution(executionArn=each["executionArn"])
                for page in pages
                for each in page["executions"]
                if each["name"].startswith(f"{task[:60]}-")
            ]
            told = {each["executionArn"]: json.loads(each["input"])["kind"] for each in found}
            awake = [each for each in found if each["status"] == "RUNNING"]
            is_over = all(told[each["executionArn"]] == Kind.APPROVAL_REMINDER for each in awake)
            has_ended = set(ENDS.values()) & set(told.values())
            return list(told) if has_ended and is_over else None

        return waited_for(look, f"what is told of {task} to be told")

    def children(self, arn: str) -> list[str]:
        """The executions of a run's sources."""
        sfn = self.client("stepfunctions")
        map_runs = sfn.list_map_runs(executionArn=arn)["mapRuns"]
        return [
            child["executionArn"]
            for run in map_runs
            for page in sfn.get_paginator("list_executions").paginate(mapRunArn=run["mapRunArn"])
            for child in page["executions"]
        ]


def task_of(request: Mapping[str, Any]) -> str:
    return task_id(request["agent_id"], request["workflow_id"])


@cache
def _client(service: str, environment: tuple[tuple[str, str], ...]) -> Any:
    known = dict(environment)
    session: Any = boto3.Session(
        aws_access_key_id=known["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=known["AWS_SECRET_ACCESS_KEY"],
        region_name=known["AWS_REGION"],
    )
    return session.client(service, endpoint_url=known["AWS_ENDPOINT_URL"])
