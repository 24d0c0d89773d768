"""Waking a state that waits on a task token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.agent.identity import canonical

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

# AWS says TaskTimedOut for a token that was used or is over, its emulators InvalidToken.
_NOBODY_WAITS = {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}


class StepFunctionsCallbacks:
    def __init__(self, client: SFNClient) -> None:
        self._client = client

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        with translated("Step Functions", "answering a waiting state"):
            try:
                self._client.send_task_success(taskToken=token, output=canonical(answer).decode())
            except ClientError as error:
                if code_of(error) not in _NOBODY_WAITS:
                    raise
                return False
        return True
