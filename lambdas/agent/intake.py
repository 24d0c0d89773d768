"""How a request comes in: typed into the console, or named by its artifact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.analysts import check_analyst
from lambdas.agent.codec import request_body
from lambdas.agent.errors import InvalidRequest
from lambdas.agent.identity import digest, task_id
from lambdas.agent.ports import Ports
from lambdas.agent.request import Request
from lambdas.agent.sources import named_once
from lambdas.agent.spending import check_budget


def request_from(typed: Any, ports: Ports) -> Request:
    """The request in an execution's input, which may be {"request_ref": NAME} for a large one."""
    if isinstance(typed, dict) and set(typed) == {"request_ref"}:
        typed = json.loads(ports.artifacts.get(str(typed["request_ref"])))
    if not isinstance(typed, dict):
        raise InvalidRequest("The request is not a JSON object: write one as the README shows")
    return checked(typed, ports)


def checked(typed: Mapping[str, Any], ports: Ports) -> Request:
    """What somebody typed, held to the schema and to what this deployment has."""
    request = ports.requests.parse(typed)
    check_analyst(request.analyst, ports)
    check_budget(request, ports)
    return request


def task_of(request: Request) -> str:
    return task_id(request.agent_id, request.workflow_id)


def input_id(request: Request) -> str:
    """What tells one request from another: its content with every default filled in, where a
    second name of a page adds nothing.
    """
    named = replace(request, sources=named_once(request.sources))
    return digest(request_body(named).decode())
