"""Three ways to see a run: drawn on a terminal, line by line in a pipe, as JSON for a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Self, TypeGuard

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from console import show, words
from console.screen import is_live, plain, print_json, put
from console.visits import Visit
from console.watch import Look, View

TENTH = 10


def view_on(console: Console) -> View:
    return LiveView(console) if is_live(console) else LineView(console)


class LineView:
    """A line for each state that was passed, and one now and then while sources are read."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._passed = 0
        self._told = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def show(self, look: Look) -> None:
        for visit in _newly_passed(look, self._passed):
            put(self._console, show.state_line(visit, look))
        self._passed = _count_passed(look)
        if look.here and look.here.state == words.EACH_SOURCE:
            self._show_progress(look)

    def say(self, sentence: str) -> None:
        self._console.print(plain(sentence))

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield

    def _show_progress(self, look: Look) -> None:
        if look.done - self._told < max(TENTH, look.sources / TENTH):
            return
        self._told = look.done
        told = f"{look.done} of {look.sources} done"
        self._console.print(plain(f"{'':{show.TIME}} {words.EACH_SOURCE:{show.STATE}} {told}"))


class LiveView:
    """Passed states scroll by; the one the run is in is drawn below them until it is passed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._passed = 0
        self._look: Look | None = None
        self._live = self._new_live()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, look: Look) -> None:
        for visit in _newly_passed(look, self._passed):
            self._console.print(show.state_line(visit, look))
        self._passed = _count_passed(look)
        self._look = look

    def say(self, sentence: str) -> None:
        self._console.print(plain(sentence))

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._live.stop()
        yield
        self._live = self._new_live()
        self._live.start()

    def _new_live(self) -> Live:
        return Live(console=self._console, transient=True, get_renderable=self._bottom)

    def _bottom(self) -> RenderableType:
        look = self._look
        here = look.here if look else None
        return show.running_line(here, look) if look and _is_told(here) else Text()


class JsonView:
    """One JSON object a line and state; a question is one too."""

    def __init__(self) -> None:
        self._passed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def show(self, look: Look) -> None:
        for visit in _newly_passed(look, self._passed):
            print_json(_as_json(visit, look), indent=None)
        self._passed = _count_passed(look)

    def say(self, sentence: str) -> None:
        print_json({"said": sentence}, indent=None)

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield


def _newly_passed(look: Look, known: int) -> list[Visit]:
    return [visit for visit in look.visits[known : _count_passed(look)] if _is_told(visit)]


def _is_told(visit: Visit | None) -> TypeGuard[Visit]:
    """Choices are the graph's grammar and say nothing to a person."""
    return visit is not None and visit.kind != "Choice"


def _count_passed(look: Look) -> int:
    return len(look.visits) - (look.here is not None)


def _as_json(visit: Visit, look: Look) -> dict[str, Any]:
    told = {"passed": dict(look.tally.passed), "spent": asdict(look.purse.spent)}
    counts = told if visit.state == words.EACH_SOURCE else {}
    return {
        "state": visit.state,
        "entered_at": visit.entered.isoformat(),
        "left_at": visit.left.isoformat() if visit.left else None,
        "word": words.word(visit, look.tally),
        "errors": [asdict(trouble) for trouble in visit.troubles],
        **counts,
    }
