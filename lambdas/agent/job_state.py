"""How a job outside stands, in the words of whoever waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self


class Phase(StrEnum):
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """RUNNING, DONE with a body, or FAILED with a code and a sentence.

    wait_seconds  the provider's hint when to ask again; 0 where it gave none
    cursor        where the next invocation finds a running job again
    """

    phase: Phase
    wait_seconds: float = 0
    cursor: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    code: str = ""
    sentence: str = ""

    @classmethod
    def running(cls, wait_seconds: float = 0) -> Self:
        return cls(phase=Phase.RUNNING, wait_seconds=wait_seconds)

    @classmethod
    def done(cls, body: bytes) -> Self:
        return cls(phase=Phase.DONE, body=body)

    @classmethod
    def failed(cls, code: str, sentence: str) -> Self:
        return cls(phase=Phase.FAILED, code=code, sentence=sentence)
