"""Death at every boundary: a world whose worker dies before or after its n-th call of a port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class Died(BaseException):
    """The runtime is gone: no handler of ours may catch this, nothing after it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Where a worker dies: around the `call`-th call, before it happened or after."""

    call: int
    after: bool


class Mortal:
    """The ports of a world, counted. `died_at` names the call around which the worker died."""

    def __init__(self, world: Any, boundary: Boundary) -> None:
        self._world = world
        self._boundary = boundary
        self._calls = 0
        self.died_at = ""

    def __getattr__(self, port: str) -> Any:
        return _Port(self, port, getattr(self._world, port))

    def pass_through(self, name: str, call: Any, *args: Any, **kwargs: Any) -> Any:
        number, self._calls = self._calls, self._calls + 1
        if number != self._boundary.call:
            return call(*args, **kwargs)
        if self._boundary.after:
            answer = call(*args, **kwargs)
            # A generator does nothing until it is asked: its reading belongs to the call.
            _ = list(answer) if isinstance(answer, Iterator) else answer
        self.died_at = f"{'after' if self._boundary.after else 'before'} {name}"
        raise Died(self.died_at)


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
