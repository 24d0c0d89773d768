"""One HTTP exchange on the wire: every wait ends with one deadline for all of them together.

A socket's own timeout counts the silence between two bytes, so a server that sends a byte now and
then holds its reader for ever. Here the timeout is set anew, to the time left, before each wait.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING

from lambdas.adapters.http_framing import PIECE, Response, read_response
from lambdas.agent.guard import Target

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Resolve = Callable[[str], Sequence[str]]
"""The IP addresses of a host name, best first; socket.gaierror where there are none."""

Connect = Callable[[str, int, float], socket.socket]
"""A connection to this IP address and port, made within these seconds."""


class Deadline:
    """So many seconds from now, for everything that has to happen."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Seconds, more than none; TimeoutError when there are none."""
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError
        return left


def addresses_of(host: str) -> list[str]:
    """What the system's resolver says, IPv4 first: in Lambda nothing else has a route."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def connect_to(address: str, port: int, seconds: float) -> socket.socket:
    return socket.create_connection((address, port), timeout=seconds)


def resolve_within(host: str, resolve: Resolve, deadline: Deadline) -> Sequence[str]:
    """Ask in a thread: a resolver call cannot be stopped, but it need not be waited for."""
    answer: Future[Sequence[str]] = Future()

    def wait() -> None:
        try:
            answer.set_result(resolve(host))
        except Exception as error:  # noqa: BLE001 - it is raised again in the thread that waits
            answer.set_exception(error)

    Thread(target=wait, daemon=True).start()
    return answer.result(timeout=deadline.left())


def ask(
    sock: socket.socket, target: Target, fields: Iterable[tuple[str, str]], deadline: Deadline
) -> Response:
    """Send the request and read the answer's head; its body is read from what comes back."""
    head = request_head("GET", target.path, target.authority, fields)
    return exchange(sock, head.encode("ascii", "replace"), deadline)


def request_head(method: str, path: str, authority: str, fields: Iterable[tuple[str, str]]) -> str:
    """Everything before the body, of a connection that carries this one exchange."""
    lines = (
        f"{method} {path} HTTP/1.1",
        f"Host: {authority}",
        *(f"{name}: {value}" for name, value in fields),
        "Connection: close",
        "",
        "",
    )
    return "\r\n".join(lines)


def exchange(sock: socket.socket, request: bytes, deadline: Deadline) -> Response:
    """Send these bytes and read the answer's head."""
    sock.settimeout(deadline.left())  # for sendall it is the limit of the whole call
    sock.sendall(request)
    return read_response(io.BufferedReader(_RawReceiving(sock, deadline), PIECE))


class _RawReceiving(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._sock.settimeout(self._deadline.left())
        return self._sock.recv_into(buffer)
