"""Web servers on this machine that say what they are told to, byte for byte, and invented names
and addresses behind which they stand.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from threading import Event, Thread
from typing import Any

from lambdas.adapters.http_fetcher import HttpFetcher

PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "1.1.1.1"
LONG = 20.0
"""Seconds: more than any exchange here takes."""
SHORT = 0.4
"""Seconds: the whole budget where a server would take for ever."""
USER_AGENT = "Ratchet/0.1 (+any@a.example)"

Answer = Iterable[bytes | float]
"""What a server sends, with pauses in seconds between."""


class Site:
    """A server. `answer` is told the path, and nothing else of a request matters to it."""

    def __init__(self, answer: Callable[[str], Answer], tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[str] = []
        self.connections = 0
        self._answer = answer
        self._tls = tls
        self._over = Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.02)
        self.port: int = self._listening.getsockname()[1]
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def paths(self) -> list[str]:
        return [request.split(" ")[1] for request in self.requests]

    def sent(self, name: str) -> list[str]:
        """What each request said in that header; empty where it said nothing."""
        return [_header(request, name) for request in self.requests]

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listening.accept()
            except TimeoutError:
                continue
            self.connections += 1
            self._threads.append(Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(LONG)
        try:
            with connection:
                if self._tls is None:
                    self._talk(connection)
                else:
                    with self._tls.wrap_socket(connection, server_side=True) as secured:
                        self._talk(secured)
        except OSError:
            return  # the reader went away, as it should

    def _talk(self, connection: socket.socket) -> None:
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            piece = connection.recv(65_536)
            if not piece:
                return
            request += piece
        self.requests.append(request.decode())
        for part in self._answer(self.paths[-1]):
            if isinstance(part, bytes):
                connection.sendall(part)
            elif self._over.wait(part):
                return


@contextmanager
def site(
    answer: Callable[[str], Answer] | bytes, tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    always = (lambda _: [answer]) if isinstance(answer, bytes) else answer
    with closing(Site(always, tls)) as running:
        yield running


def answered(
    body: bytes = b"any body", *headers: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    length = len(body) if length is None else length
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {length}", *headers, "", "")
    return "\r\n".join(lines).encode("latin-1") + body


def moved(location: str, *headers: str, status: str = "302 Found") -> bytes:
    """A redirect. What is not ASCII is sent as UTF-8, as careless servers do."""
    raw = location.encode().decode("latin-1")
    return answered(b"", f"Location: {raw}", *headers, status=status)


def drip(head: bytes, drops: bytes) -> Callable[[str], Answer]:
    """The head at once, then a byte now and then, and then nothing for long."""

    def answer(_: str) -> Answer:
        yield head
        for drop in drops:
            yield bytes([drop])
            yield 0.05
        yield LONG

    return answer


class InventedWeb:
    """Names, addresses and the port behind each address. Whoever connects elsewhere is told that
    nobody is there, or reaches `canary`, who counts.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[str]],
        ports: Mapping[str, int],
        canary: int | None = None,
    ) -> None:
        self._names = names
        self._ports = ports
        self._canary = canary
        self.resolved: list[str] = []
        self.connected: list[str] = []

    def resolve(self, host: str) -> Sequence[str]:
        self.resolved.append(host)
        if host not in self._names:
            raise socket.gaierror
        return self._names[host]

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.connected.append(f"{address}:{port}")
        behind = self._ports.get(address, self._canary)
        if behind is None:
            raise ConnectionRefusedError
        return socket.create_connection(("127.0.0.1", behind), seconds)

    def fetcher(self, **options: Any) -> HttpFetcher:
        return HttpFetcher(
            user_agent=USER_AGENT, resolve=self.resolve, connect=self.connect, **options
        )


def public_web(server: Site) -> InventedWeb:
    return InventedWeb({"public.test": [PUBLIC]}, {PUBLIC: server.port})


def _header(request: str, name: str) -> str:
    fields = (line.partition(": ") for line in request.split("\r\n"))
    return "; ".join(value for field, _, value in fields if field.lower() == name.lower())
