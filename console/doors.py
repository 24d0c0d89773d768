"""Calling the functions that record what a person says, and telling what they refuse."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from console.account import Account
from console.errors import Refused
from lambdas.agent import errors

TRIES = 5
_PAUSE = 0.5


def call(
    account: Account,
    function: str,
    told: Mapping[str, Any],
    *,
    pause: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """What the door answers. One that meets another visitor is tried again."""
    for left in reversed(range(TRIES)):
        answer = _invoke(account, function, told)
        name = str(answer.get("errorType", ""))
        if "errorType" not in answer:
            return answer
        if not _may_pass(name) or not left:
            break
        pause(_PAUSE)
    raise Refused(str(answer.get("errorMessage") or f"It was refused with {name}."))


def _invoke(account: Account, function: str, told: Mapping[str, Any]) -> dict[str, Any]:
    answer: Mapping[str, Any] = account.functions.invoke(
        FunctionName=function, Payload=json.dumps(told).encode()
    )
    body: dict[str, Any] = json.loads(answer["Payload"].read())
    if answer.get("FunctionError"):
        return {"errorType": "Unhandled", **body}
    return body


def _may_pass(error: str) -> bool:
    ours = getattr(errors, error, None)
    return isinstance(ours, type) and issubclass(ours, errors.Retryable)
