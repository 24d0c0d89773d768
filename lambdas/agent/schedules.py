"""What is remembered of a schedule: whose turn it was last, and who waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A tick's: its instant in UTC, the task that it is, and the input of its execution."""

    instant: str
    task_id: str
    told: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """`skipped` is the last instant that was passed over because a run was under way, `skips` how
    many there were. A version of 0 has no record yet.
    """

    name: str
    version: int = 0
    last: Turn | None = None
    queued: Turn | None = None
    skipped: str = ""
    skips: int = 0
