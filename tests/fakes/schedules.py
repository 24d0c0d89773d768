"""Schedules and the inbox in memory, held to the same contracts as those on AWS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from lambdas.adapters.s3_inbox import TYPED_LIMIT
from lambdas.agent.identity import canonical
from lambdas.agent.schedules import Schedule


class MemorySchedules:
    def __init__(self) -> None:
        self._known: dict[str, Schedule] = {}

    def find(self, name: str) -> Schedule:
        return self._known.get(name, Schedule(name=name))

    def write(self, then: Schedule, *, version: int) -> bool:
        if self.find(then.name).version != version:
            return False
        self._known[then.name] = replace(then, version=version + 1)
        return True

    def every(self) -> Iterator[Schedule]:
        yield from list(self._known.values())


class MemoryInbox:
    def __init__(self) -> None:
        self.left: dict[str, bytes] = {}

    def told(self, typed: Mapping[str, Any]) -> Mapping[str, Any]:
        body = canonical(typed)
        if len(body) <= TYPED_LIMIT:
            return typed
        name = f"requests/{sha256(body).hexdigest()}"
        self.left[name] = body
        return {"request_ref": name}
