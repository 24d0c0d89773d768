"""The story up to a state, what is done before it unharmed, and the verb that is killed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fakes.story import Story

Verb = Callable[[Story], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    name: str
    before: str
    verb: Verb
    prepare: Verb = lambda _: None

    def __str__(self) -> str:
        return self.name
