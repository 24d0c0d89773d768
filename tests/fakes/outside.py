"""Stand-ins for what lies outside: the web, the shelf, the bus, a waiting state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.model import Page


class FakeWeb:
    """Pages by address. `down` names those that do not answer."""

    def __init__(self, pages: Mapping[str, bytes] | None = None) -> None:
        self.pages = dict(pages or {})
        self.down: set[str] = set()
        self.asked: list[str] = []

    def get(self, url: str, *, seconds: float) -> Page:
        self.asked.append(url)
        if url in self.down:
            raise SourceUnavailable(f"{url} did not answer", code="CONNECT_FAILED")
        if url not in self.pages:
            raise SourceRefused(f"{url} is not there", code="HTTP_404")
        return Page(url=url, status=200, content_type="text/html", body=self.pages[url])


class FakeShelf:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.pointers: dict[str, tuple[str, dict[str, Any]]] = {}

    def place(self, folder: str, files: Mapping[str, bytes]) -> str:
        for name, body in files.items():
            self.files.setdefault(f"{folder}/{name}", body)
        return f"shelf://{folder}/"

    def point(self, name: str, to: Mapping[str, Any], *, order: str) -> bool:
        stands = self.pointers.get(name, ("", {}))[0]
        if stands >= order:
            return stands == order
        self.pointers[name] = (order, dict(to))
        return True


class FakeBus:
    def __init__(self) -> None:
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        self.events.append((kind, key, dict(detail)))
        return f"receipt-{len(self.events)}"


class FakeCallbacks:
    """Knows the tokens that somebody waits on; each wakes its state once."""

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        self.woken: list[tuple[str, dict[str, Any]]] = []

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        if token not in self.waiting:
            return False
        self.waiting.discard(token)
        self.woken.append((token, dict(answer)))
        return True
