"""What goes wrong with a call of the API, as RFC 9457 tells it: application/problem+json."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from lambdas.agent.errors import (
    IllegalMove,
    InputChanged,
    InvalidRequest,
    Retryable,
    StepError,
    StillClaimed,
)

MEDIA_TYPE = "application/problem+json"
ASK_AGAIN = "2"
"""Seconds until whoever came at a bad moment may come again."""

Faults = tuple[tuple[str, str], ...]
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Kind(Enum):
    """What tells one problem from another: the end of its `type`, its status and its title."""

    MALFORMED = ("malformed", HTTPStatus.BAD_REQUEST, "The call cannot be read")
    NOT_FOUND = ("not-found", HTTPStatus.NOT_FOUND, "There is no such thing")
    WRONG_METHOD = ("wrong-method", HTTPStatus.METHOD_NOT_ALLOWED, "It cannot be called that way")
    OTHER_REQUEST = ("other-request", HTTPStatus.CONFLICT, "The id belongs to another request")
    NOT_NOW = ("not-as-it-stands", HTTPStatus.CONFLICT, "The task does not allow it")
    TOO_LARGE = ("too-large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large")
    INVALID = ("invalid-request", HTTPStatus.UNPROCESSABLE_ENTITY, "The request has faults")
    FAULT = ("fault-of-ours", HTTPStatus.INTERNAL_SERVER_ERROR, "A fault of ours")
    BUSY = ("try-again", HTTPStatus.SERVICE_UNAVAILABLE, "It cannot be answered just now")

    def __init__(self, word: str, status: HTTPStatus, title: str) -> None:
        self.type = f"urn:ratchet:problem:{word}"
        self.status = status
        self.title = title


class Problem(Exception):
    """`faults` are pairs of a field and what is wrong with it."""

    def __init__(
        self,
        kind: Kind,
        detail: str,
        *,
        faults: Faults = (),
        headers: Mapping[str, str] = _NO_HEADERS,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.faults = faults
        self.headers = headers

    def body(self) -> dict[str, Any]:
        told = {
            "type": self.kind.type,
            "title": self.kind.title,
            "status": self.kind.status.value,
            "detail": self.detail,
        }
        listed = [{"field": name, "fault": fault} for name, fault in self.faults]
        return {**told, "faults": listed} if listed else told


def refusal(error: InvalidRequest | InputChanged | IllegalMove) -> Problem:
    """What whoever calls can do something about is told in the error's own words."""
    if isinstance(error, InvalidRequest):
        return invalid(error.faults or (("request", str(error)),))
    kind = Kind.OTHER_REQUEST if isinstance(error, InputChanged) else Kind.NOT_NOW
    return Problem(kind, str(error))


def excuse(error: StepError, request_id: str) -> Problem:
    """Of our services and faults nothing is told but where whoever runs them finds it."""
    if isinstance(error, StillClaimed):  # by another call; its words are for whoever calls
        return Problem(Kind.BUSY, str(error), headers={"Retry-After": ASK_AGAIN})
    if isinstance(error, Retryable):
        told = "A service behind the API did not answer: call again, nothing is done twice"
        return Problem(Kind.BUSY, told, headers={"Retry-After": ASK_AGAIN})
    return Problem(
        Kind.FAULT,
        "It is not what was sent. Calling again does nothing twice; where that fails too, whoever "
        f"runs the API finds the reason in its log, under the request id {request_id}",
    )


def invalid(faults: Faults) -> Problem:
    count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    detail = f"The request has {count}, and nothing was done: mend each and send it again"
    return Problem(Kind.INVALID, detail, faults=faults)
