"""One JSON exchange with a service that the operator named, within one deadline.

No redirect is followed, because the request carries a key. Plain http is spoken to this machine
alone, where the sandbox's stand-ins are.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from lambdas.adapters.http_body import body_of
from lambdas.adapters.http_framing import Response
from lambdas.adapters.http_head import BadAnswer
from lambdas.adapters.http_wire import (
    Deadline,
    addresses_of,
    connect_to,
    exchange,
    request_head,
    resolve_within,
)
from lambdas.agent.errors import ServiceUnavailable, SourceUnavailable
from lambdas.agent.identity import canonical

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. `fields` is empty where the body is no JSON object."""

    status: int
    retry_after: str
    fields: Mapping[str, Any]


class JsonService:
    """`base` is the address under which its paths lie."""

    def __init__(
        self,
        base: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(base)
        self.host = parts.hostname or ""
        if parts.scheme != "https" and not (parts.scheme == "http" and self.host in LOOPBACK):
            raise ValueError(f"{base} is no https address, and a key is sent over nothing else")
        self._is_plain = parts.scheme == "http"
        self._port = parts.port or (80 if self._is_plain else 443)
        self._authority = parts.netloc.rpartition("@")[2]
        self._prefix = parts.path.rstrip("/")
        self._clock = clock
        self._given_trust = trust

    def call(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        seconds: float,
    ) -> Answer:
        """One attempt; ServiceUnavailable where no whole answer came in time."""
        content = b"" if body is None else canonical(body)
        request = self._head(method, path, headers, len(content)) + content
        try:
            deadline = Deadline(seconds, self._clock)
            with self._connected(deadline) as sock:
                return _answer(exchange(sock, request, deadline), self.host)
        except TimeoutError:
            raise self._silent("DEADLINE", f"did not answer within {seconds:.0f} s") from None
        except SourceUnavailable as broken:
            raise self._silent(broken.code, "broke its answer off") from None
        except (OSError, BadAnswer):
            raise self._silent("CONNECT_FAILED", "took no connection, or broke it") from None

    def _head(self, method: str, path: str, headers: Mapping[str, str], length: int) -> bytes:
        fields = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Content-Length": str(length),
            **headers,
        }
        head = request_head(method, f"{self._prefix}{path}", self._authority, fields.items())
        return head.encode("ascii")

    def _connected(self, deadline: Deadline) -> socket.socket:
        address = resolve_within(self.host, addresses_of, deadline)[0]
        sock = connect_to(address, self._port, deadline.left())
        if self._is_plain:
            return sock
        try:
            sock.settimeout(deadline.left())
            return self._trust.wrap_socket(sock, server_hostname=self.host)
        except BaseException:
            sock.close()
            raise

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return self._given_trust or ssl.create_default_context()

    def _silent(self, code: str, what: str) -> ServiceUnavailable:
        return ServiceUnavailable(
            f"{self.host} {what}: it is asked again", code=code, dependency=self.host
        )


def _answer(response: Response, host: str) -> Answer:
    body = body_of(response, host, most=MOST_BYTES)
    try:
        told = json.loads(body)
    except ValueError:
        told = {}
    return Answer(
        status=response.head.status,
        retry_after=response.head.get("Retry-After"),
        fields=told if isinstance(told, dict) else {},
    )
