"""Invitations and quotas in memory, held to the same contracts as those on DynamoDB."""

from __future__ import annotations

from collections import Counter

from lambdas.agent.errors import Unexpected
from lambdas.agent.ports import Clock

DAY = 86_400


class MemoryInvitations:
    def __init__(self, clock: Clock, *, retention: int) -> None:
        self._clock = clock
        self._retention = retention * DAY
        self._kept: dict[str, tuple[tuple[str, str], float]] = {}

    def keep(self, link: str, *, task_id: str, item: str) -> None:
        found = self.find(link)
        if found not in (None, (task_id, item)):
            raise Unexpected(f"{item} of task {task_id} drew another's invitation")
        if found is None:
            self._kept[link] = ((task_id, item), self._clock.now())

    def find(self, link: str) -> tuple[str, str] | None:
        leads_to, written_at = self._kept.get(link, (None, 0.0))
        return leads_to if int(written_at) + self._retention > self._clock.now() else None


class MemoryQuota:
    def __init__(self, clock: Clock, *, most: int = 60) -> None:
        self._clock = clock
        self._most = most
        self._taken: Counter[tuple[str, int]] = Counter()

    def take(self, who: str) -> bool:
        key = (who, int(self._clock.now()) // 60)
        if self._taken[key] >= self._most:
            return False
        self._taken[key] += 1
        return True
