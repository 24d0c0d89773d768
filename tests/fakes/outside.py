"""Stand-ins for what lies outside: the web, the shelf, the bus, a waiting state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.errors import ServiceUnavailable, SourceRefused, SourceUnavailable
from lambdas.agent.intents import Ability
from lambdas.agent.pages import Page, Unchanged, Validators
from lambdas.agent.tasks import ExecutionStatus


class FakeWeb:
    """Pages by address, with their validators where they have any. `down` names those that do not
    answer, `refused` those that answer with such a code.
    """

    def __init__(self, pages: Mapping[str, bytes] | None = None) -> None:
        self.pages = dict(pages or {})
        self.validators: dict[str, Validators] = {}
        self.down: set[str] = set()
        self.refused: dict[str, str] = {}
        self.asked: list[str] = []

    @property
    def pages_asked(self) -> list[str]:
        """Without what the sites were asked about robots."""
        return [url for url in self.asked if not url.endswith("/robots.txt")]

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        self.asked.append(url)
        if url in self.down:
            raise SourceUnavailable(f"{url} did not answer", code="CONNECT_FAILED")
        if url in self.refused:
            raise SourceRefused(f"{url} is not for us", code=self.refused[url])
        if url not in self.pages:
            raise SourceRefused(f"{url} is not there", code="HTTP_404")
        has = self.validators.get(url, Validators())
        if _is_known(has, known):
            return Unchanged(url=url, validators=has)
        body = self.pages[url]
        return Page(url=url, status=200, content_type="text/html", body=body, validators=has)


def _is_known(has: Validators, known: Validators | None) -> bool:
    """As RFC 9110 has it: the date counts only where no ETag was asked for."""
    if known is None:
        return False
    if known.etag:
        return known.etag == has.etag
    return bool(known.last_modified) and known.last_modified == has.last_modified


class FakeShelf:
    ability = Ability.TOKEN

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.pointers: dict[str, tuple[str, dict[str, Any]]] = {}

    def address(self, folder: str) -> str:
        return f"shelf://{folder}/"

    def place(self, folder: str, files: Mapping[str, bytes]) -> None:
        for name, body in files.items():
            self.files.setdefault(f"{folder}/{name}", body)

    def point(self, name: str, to: Mapping[str, Any], *, order: str) -> bool:
        stands = self.pointers.get(name, ("", {}))[0]
        if stands >= order:
            return stands == order
        self.pointers[name] = (order, dict(to))
        return True

    def pointed(self, name: str) -> dict[str, Any] | None:
        return self.pointers[name][1] if name in self.pointers else None

    def noticed(self) -> list[str]:
        return sorted([*self.files, *self.pointers])


class FakeLinks:
    def __init__(self) -> None:
        self.given: list[tuple[str, str, int]] = []

    def signed(self, key: str, *, content_type: str, seconds: int) -> str:
        self.given.append((key, content_type, seconds))
        return f"https://shelf.example/{key}?signed-for={seconds}"


class FakeBus:
    ability = Ability.AT_LEAST_ONCE

    def __init__(self) -> None:
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        self.events.append((kind, key, dict(detail)))
        return f"receipt-{len(self.events)}"

    def noticed(self) -> list[tuple[str, str]]:
        """An event may come twice, but then under the same id."""
        return sorted({(kind, key) for kind, key, _ in self.events})


class FakeCallbacks:
    """Knows the tokens that somebody waits on; each wakes its state once."""

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        self.woken: list[tuple[str, dict[str, Any]]] = []

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        try:
            self.waiting.remove(token)
        except KeyError:
            return False
        self.woken.append((token, dict(answer)))
        return True

    def noticed(self) -> list[str]:
        return [token for token, _ in self.woken]


class FakeExecutions:
    """Executions by name, with their inputs; a started one runs until a test ends it."""

    def __init__(self) -> None:
        self.standing: dict[str, ExecutionStatus] = {}
        self.told: dict[str, dict[str, Any]] = {}
        self.unknown: set[str] = set()
        """Those that cannot be looked at just now."""
        self.refuses: set[str] = set()
        """What cannot be done just now: start, stop."""

    def status(self, name: str) -> ExecutionStatus:
        if name in self.unknown:
            raise ServiceUnavailable(f"{name} cannot be looked at")
        return self.standing.get(name, ExecutionStatus.ABSENT)

    def start(self, name: str, told: Mapping[str, Any]) -> bool:
        self._perhaps_refuse("start")
        if name in self.standing:
            return not self.standing[name].is_over and self.told[name] == dict(told)
        self.standing[name] = ExecutionStatus.RUNNING
        self.told[name] = dict(told)
        return True

    def stop(self, name: str, *, cause: str) -> None:
        self._perhaps_refuse("stop")
        if self.standing.get(name) is ExecutionStatus.RUNNING:
            self.standing[name] = ExecutionStatus.ABORTED

    def _perhaps_refuse(self, what: str) -> None:
        if what in self.refuses:
            raise ServiceUnavailable(f"Step Functions does not {what} executions just now")

    def noticed(self) -> list[str]:
        return sorted(self.told)
