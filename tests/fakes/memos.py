"""Memos in memory, held to the same contract as those on DynamoDB."""

from __future__ import annotations

from lambdas.agent.model import Memo
from lambdas.agent.ports import Clock

DAY = 86_400


class MemoryMemos:
    def __init__(self, clock: Clock, *, retention: int) -> None:
        self._clock = clock
        self._retention = retention * DAY
        self._memos: dict[str, tuple[Memo, float]] = {}

    def get(self, key: str) -> Memo | None:
        memo, written_at = self._memos.get(key, (None, 0.0))
        return memo if int(written_at) + self._retention > self._clock.now() else None

    def keep(self, key: str, memo: Memo, *, instead_of: str = "") -> Memo:
        found = self.get(key)
        if found and found.ref != instead_of:
            return found
        self._memos[key] = (memo, self._clock.now())
        return memo
