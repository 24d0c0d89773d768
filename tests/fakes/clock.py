"""Time that passes when told to."""

from __future__ import annotations


class FakeClock:
    def __init__(self, now: float = 1_780_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def pass_seconds(self, seconds: float) -> None:
        self._now += seconds
