"""An execution's history as the states it went through, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

_BROKEN = ("Failed", "TimedOut", "Aborted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An error that was met in a state: retried, caught, or the execution's end."""

    error: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One stay in a state. `left` is None while it lasts, and for ever where the run broke off."""

    state: str
    kind: str
    """Task, Map, Choice, Pass, Wait, Succeed or Fail."""
    entered: datetime
    left: datetime | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()

    @property
    def failure(self) -> Trouble | None:
        """What a Catch took from this state."""
        caught = self.output.get("failure")
        if not caught or "failure" in self.told:
            return None
        error, cause = str(caught.get("Error", "")), str(caught.get("Cause", ""))
        return Trouble(error=error, message=message_of(cause))


def visits(events: Iterable[Mapping[str, Any]]) -> list[Visit]:
    """States of one execution follow each other: an event belongs to the last that was entered."""
    found: list[Visit] = []
    for event in events:
        kind = str(event["type"])
        details = _details(event)
        if kind.endswith("StateEntered"):
            found.append(_entered(kind, details, event["timestamp"]))
        elif kind.endswith("StateExited") and found:
            output = _fields(details.get("output"))
            found[-1] = replace(found[-1], left=event["timestamp"], output=output)
        elif kind.endswith(_BROKEN) and found:
            told = Trouble(
                error=str(details.get("error", "")), message=message_of(details.get("cause", ""))
            )
            found[-1] = replace(found[-1], troubles=(*found[-1].troubles, told))
    return found


def message_of(cause: object) -> str:
    """Lambda wraps an exception's sentence into JSON with its trace; the sentence is enough."""
    told = _fields(cause).get("errorMessage")
    return str(told if told is not None else cause)


def _entered(kind: str, details: Mapping[str, Any], at: datetime) -> Visit:
    return Visit(
        state=str(details.get("name", "")),
        kind=kind.removesuffix("StateEntered"),
        entered=at,
        told=_fields(details.get("input")),
    )


def _details(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Each type of event keeps them under a name of its own."""
    found: Mapping[str, Any] = next(
        (value for name, value in event.items() if name.endswith("EventDetails")), {}
    )
    return found


def _fields(document: object) -> dict[str, Any]:
    try:
        found = json.loads(str(document))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
