"""Which deaths a process of the sandbox dies on purpose: named ones, drawn ones, or both."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from lambdas.agent.identity import digest
from lambdas.agent.model import Unit

ANY = "*"
_HANGS = 0.1
"""Of the drawn deaths: a hanging process costs its function's whole timeout."""


class When(StrEnum):
    """Where a worker dies, seen from a call."""

    BEFORE = "before"
    AFTER = "after"
    HANG = "hang"  # before it, by Lambda's own timeout


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A death by name, written `FETCH:*:after:artifacts.put`; `*` is any step or any item."""

    step: str
    item: str
    when: When
    call: str

    @classmethod
    def parse(cls, written: str) -> Self:
        step, item, when, call = written.split(":")
        return cls(step=step, item=item, when=When(when), call=call)

    def __str__(self) -> str:
        return f"{self.step}:{self.item}:{self.when}:{self.call}"

    def is_at(self, unit: Unit, when: When, call: str) -> bool:
        place = self.step in {ANY, unit.step} and self.item in {ANY, unit.item}
        return place and (self.when, self.call) == (when, call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chaos:
    """The setting, as JSON in the function's environment.

    folder  where each death leaves a marker: none is died twice, so every run has an end
    points  deaths by name, in any unit they fit
    seed    draws others, the same ones each time
    rate    how many of all the places where one could die, from 0 to 1
    each    deaths of one unit at the most
    """

    folder: str
    points: tuple[Point, ...] = ()
    seed: int = 0
    rate: float = 0.0
    each: int = 2

    @classmethod
    def parse(cls, setting: str) -> Self:
        told: dict[str, Any] = json.loads(setting)
        points = tuple(Point.parse(written) for written in told.pop("points", ()))
        return cls(points=points, **told)

    def __str__(self) -> str:
        return json.dumps({**asdict(self), "points": [str(point) for point in self.points]})

    def death(self, unit: Unit, when: When, call: str, number: int) -> str:
        """The name of the death that waits around the `number`-th call; empty where none does."""
        named = next((point for point in self.points if point.is_at(unit, when, call)), None)
        if named:
            return str(named)
        return f"{when}:{call}:{number}" if self._is_drawn(unit, when, call, number) else ""

    def _is_drawn(self, unit: Unit, when: When, call: str, number: int) -> bool:
        place = (self.seed, unit.task_id, unit.step, unit.item, when, call, number)
        odds = self.rate * (_HANGS if when is When.HANG else 1)
        return int(digest(*place)[:8], 16) < odds * 16**8
