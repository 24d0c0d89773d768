"""Death at every boundary: a world whose worker meets its fate around its n-th call of a port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Fate = Callable[[str], None]
"""What happens at a boundary, given its name. Where it returns, the worker goes on."""


class Died(BaseException):
    """The runtime is gone: no handler of ours may catch this, nothing after it runs."""


def die(at: str) -> None:
    raise Died(at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """A place around the `call`-th call of a port, before it happened or after."""

    call: int
    after: bool


class Mortal:
    """The ports of a world, counted and named. Without a boundary the worker only is watched."""

    def __init__(self, world: Any, boundary: Boundary | None = None, fate: Fate = die) -> None:
        self._world = world
        self._boundary = boundary
        self._fate = fate
        self.calls: list[str] = []
        self.died_at = ""
        self.replays = 0

    def __getattr__(self, port: str) -> Any:
        found = getattr(self._world, port)
        return None if found is None else _Port(self, port, found)

    def pass_through(self, name: str, call: Any, *args: Any, **kwargs: Any) -> Any:
        number = len(self.calls)
        self.calls.append(name)
        self._arrive(Boundary(call=number, after=False), name)
        try:
            answer = _read(call(*args, **kwargs))
        except Exception:  # a refusal is an answer too
            self._arrive(Boundary(call=number, after=True), name)
            raise
        self.replays += name == "ledger.claim" and answer.is_done
        self._arrive(Boundary(call=number, after=True), name)
        return answer

    def _arrive(self, boundary: Boundary, name: str) -> None:
        if boundary == self._boundary:
            self.died_at = f"{'after' if boundary.after else 'before'} {name}"
            self._fate(self.died_at)


def _read(answer: Any) -> Any:
    """A generator does nothing until it is asked: its reading belongs to the call."""
    return iter(list(answer)) if isinstance(answer, Iterator) else answer


class _Port:
    def __init__(self, mortal: Mortal, name: str, port: Any) -> None:
        self._mortal = mortal
        self._name = name
        self._port = port

    def __getattr__(self, method: str) -> Any:
        call = getattr(self._port, method)
        # Looking at the clock is no boundary: nothing outside changes there.
        if self._name == "clock" or not callable(call):
            return call
        name = f"{self._name}.{method}"
        return lambda *args, **kwargs: self._mortal.pass_through(name, call, *args, **kwargs)
