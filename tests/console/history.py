"""Histories of executions, told by their events as AWS and the sandbox write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

BEGIN = datetime(2026, 11, 30, 19, 45, 0, tzinfo=UTC)
Event = dict[str, Any]


def entered(state: str, kind: str = "Task", told: Mapping[str, Any] | None = None) -> Event:
    details = {"name": state, "input": json.dumps(told or {})}
    return {"type": f"{kind}StateEntered", "stateEnteredEventDetails": details}


def left(state: str, kind: str = "Task", output: Mapping[str, Any] | None = None) -> Event:
    details = {"name": state, "output": json.dumps(output or {})}
    return {"type": f"{kind}StateExited", "stateExitedEventDetails": details}


def broke(kind: str, error: str, cause: str = "") -> Event:
    name = f"{kind[0].lower()}{kind[1:]}EventDetails"
    return {"type": kind, name: {"error": error, "cause": cause}}


def raised(message: str, name: str) -> str:
    """An exception's `Cause`, as Lambda's runtime writes it."""
    return json.dumps({"errorMessage": message, "errorType": name, "stackTrace": []})


def timed(*events: Event) -> list[Event]:
    """A second between each and the next."""
    return [
        {**event, "id": number + 1, "timestamp": BEGIN + timedelta(seconds=number)}
        for number, event in enumerate(events)
    ]
