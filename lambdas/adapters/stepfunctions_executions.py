"""The state machine's executions, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.agent.contract import Status
from lambdas.agent.identity import canonical
from lambdas.agent.tasks import ExecutionStatus

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


class StepFunctionsExecutions:
    def __init__(self, client: SFNClient, state_machine: str) -> None:
        self._client = client
        self._state_machine = state_machine

    def status(self, name: str) -> ExecutionStatus:
        arn = execution_arn(self._state_machine, name)
        with translated("Step Functions", "looking at an execution"):
            try:
                found = self._client.describe_execution(executionArn=arn)["status"]
            except ClientError as error:
                if code_of(error) != "ExecutionDoesNotExist":
                    raise
                return ExecutionStatus.ABSENT
        return ExecutionStatus.of(found)

    def start(self, name: str, told: Mapping[str, Any]) -> bool:
        with translated("Step Functions", "starting an execution"):
            try:
                self._client.start_execution(
                    stateMachineArn=self._state_machine,
                    name=name,
                    input=canonical(told).decode(),
                )
            except ClientError as error:
                if code_of(error) != "ExecutionAlreadyExists":
                    raise
                return False
        return True

    def stop(self, name: str, *, cause: str) -> None:
        arn = execution_arn(self._state_machine, name)
        with translated("Step Functions", "stopping an execution"):
            try:
                self._client.stop_execution(executionArn=arn, error=Status.CANCELLED, cause=cause)
            except ClientError as error:
                if code_of(error) != "ExecutionDoesNotExist":
                    raise


def execution_arn(state_machine: str, name: str) -> str:
    return f"{state_machine.replace(':stateMachine:', ':execution:', 1)}:{name}"
