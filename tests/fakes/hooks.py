"""A receiver of webhooks on this machine: it takes them, or refuses as it is told to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    path: str
    headers: dict[str, str]
    """Their names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Hook:
    """`refusals` are its first answers; then it takes everything."""

    requests: list[Received] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


@contextmanager
def receiving(hook: Hook) -> Iterator[str]:
    """The address and port at which it listens."""

    class Handler(_Handler):
        told = hook

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    told: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.told.requests.append(Received(path=self.path, headers=headers, body=body))
        answer = self.told.refusals.pop(0) if self.told.refusals else Refusal(status=204)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Nothing: what it saw is asked of the hook."""
