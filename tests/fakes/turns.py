"""Turns in memory, held to the same contract as those on DynamoDB."""

from __future__ import annotations

from math import floor

from lambdas.agent.ports import Clock


class MemoryTurns:
    def __init__(self, clock: Clock, *, seconds_between: float = 0.0) -> None:
        self._clock = clock
        self._seconds_between = seconds_between
        self._free_at: dict[str, float] = {}

    def next(self, host: str, *, every: float) -> float:
        every = round(max(every, self._seconds_between), 3)
        now = self._clock.now()
        if every <= 0:
            return now
        turn = max(floor(now * 1000) / 1000, self._free_at.get(host, 0.0))
        self._free_at[host] = round(turn + every, 3)
        return turn
