"""Lambda's Runtime API over HTTP, for machines on which awslambdaric builds no native client.

awslambdaric compiles its module of this name on Linux only. Elsewhere this file lies beside it and
is found instead: the same four functions, the same endpoints, nothing else.
"""

from __future__ import annotations

import http.client
import os

_ENDPOINT = os.environ.get("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001")
_INVOCATION = "/2018-06-01/runtime/invocation"


def initialize_client(user_agent: str) -> None:
    """Nothing to prepare: each exchange has a connection of its own."""


def next() -> tuple[bytes, dict[str, str | int | None]]:  # noqa: A001 - its name over there
    """Wait for the next invocation, however long it takes to come."""
    body, headers = _exchange("GET", f"{_INVOCATION}/next", None, {})
    found: dict[str, str | int | None] = dict(headers.items())
    return body, found | {"Lambda-Runtime-Deadline-Ms": int(headers["Lambda-Runtime-Deadline-Ms"])}


def post_invocation_result(
    invoke_id: str, result: bytes, content_type: str, _invocation_id: str | None = None
) -> None:
    headers = {"Content-Type": content_type}
    _exchange("POST", f"{_INVOCATION}/{invoke_id}/response", result, headers)


def post_error(
    invoke_id: str, error: str, _xray_fault: str, _invocation_id: str | None = None
) -> None:
    headers = {"Content-Type": "application/json"}
    _exchange("POST", f"{_INVOCATION}/{invoke_id}/error", error.encode(), headers)


def _exchange(
    method: str, path: str, body: bytes | None, headers: dict[str, str]
) -> tuple[bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection(_ENDPOINT)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if answer.status >= http.HTTPStatus.MULTIPLE_CHOICES:
            raise RuntimeError(f"{method} {path} was answered with {answer.status}")
        return answer.read(), answer.headers
    finally:
        connection.close()
