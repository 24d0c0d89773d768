"""Visits in memory, held to the same contract as those on DynamoDB."""

from __future__ import annotations

from dataclasses import replace

from lambdas.agent.pages import Visit
from lambdas.agent.ports import Clock

DAY = 86_400


class MemoryVisits:
    """A record holds what was kept and when that was written."""

    def __init__(self, clock: Clock, *, retention: int) -> None:
        self._clock = clock
        self._retention = retention * DAY
        self._visits: dict[tuple[str, str], tuple[Visit, float]] = {}
        self._firsts: dict[tuple[str, str], tuple[str, float]] = {}

    def last(self, scope: str, url: str) -> Visit | None:
        found = self._visits.get((scope, url))
        return found[0] if found and self._is_kept(found[1]) else None

    def remember(self, scope: str, visit: Visit) -> Visit:
        visit = replace(visit, fetched_at=round(visit.fetched_at, 3))
        found = self.last(scope, visit.url)
        if found and found.fetched_at > visit.fetched_at:
            return found
        self._visits[scope, visit.url] = (visit, self._clock.now())
        return visit

    def first(self, scope: str, sha256: str, item: str) -> str:
        found = self._firsts.get((scope, sha256))
        if found and self._is_kept(found[1]):
            return found[0]
        self._firsts[scope, sha256] = (item, self._clock.now())
        return item

    def _is_kept(self, written_at: float) -> bool:
        return int(written_at) + self._retention > self._clock.now()
