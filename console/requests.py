"""From a file to a request: read, completed and checked."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from console.errors import BadInput
from lambdas.adapters.request_schema import PydanticRequests
from lambdas.agent.errors import InvalidRequest
from lambdas.agent.intake import input_id, task_of
from lambdas.agent.request import Request
from sandbox.editions import FIRST

SITE = "{site}"
"""Stands for the address of the sandbox's sample site, whose port nobody knows beforehand."""
ANY_SITE = "http://127.0.0.1:1"
"""A site that is good enough to check a request with, before there is one."""
STANDARD_INPUT = Path("-")
NAME_LIMIT = 120
"""Characters of a workflow id, as the schema has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request that PLAN will accept: `typed` is what it is told, `request` what that means."""

    typed: Mapping[str, Any]
    request: Request

    @property
    def task_id(self) -> str:
        return task_of(self.request)

    @property
    def input_id(self) -> str:
        return input_id(self.request)


def read(path: Path) -> dict[str, Any]:
    name = "Standard input" if path == STANDARD_INPUT else str(path)
    try:
        typed = json.loads(_bytes(path).decode("utf-8-sig"), parse_constant=_no_number)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}.") from None
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"{name} is not JSON in UTF-8: {error}.") from None
    if not isinstance(typed, dict):
        raise BadInput(f"{name} is not a request: it must be a JSON object with its fields.")
    return typed


def _bytes(path: Path) -> bytes:
    return sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()


def prepare(
    typed: Mapping[str, Any], *, site: str, edition: int = FIRST, anew_at: datetime | None = None
) -> Prepared:
    """The request with the site in its place. It is a task of its own for each edition of the site,
    and if it is to start anew.
    """
    told = {name: _with_site(name, value, site) for name, value in typed.items()}
    request = checked(told)
    suffix = "" if edition == FIRST else f"-edition-{edition}"
    suffix += anew_at.astimezone(UTC).strftime("-%Y%m%dT%H%M%SZ") if anew_at else ""
    if not suffix:
        return Prepared(typed=told, request=request)
    named = {**told, "workflow_id": request.workflow_id[: NAME_LIMIT - len(suffix)] + suffix}
    return Prepared(typed=named, request=checked(named))


def sample_sites(typed: Mapping[str, Any]) -> set[str]:
    """The names of those that the request reads."""
    return set(re.findall(re.escape(SITE) + r"/([^/\"]+)", json.dumps(typed.get("sources"))))


def checked(typed: Mapping[str, Any]) -> Request:
    try:
        return PydanticRequests().parse(typed)
    except InvalidRequest as error:
        raise BadInput(str(error)) from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _with_site(name: str, value: Any, site: str) -> Any:
    if name != "sources" or SITE not in json.dumps(value):
        return value
    if not site:
        raise BadInput(
            f"The request reads {SITE}, the sample site of the sandbox, and no sandbox is running: "
            "start one with `make sandbox`, or name addresses of the web."
        )
    return json.loads(json.dumps(value).replace(SITE, site))
