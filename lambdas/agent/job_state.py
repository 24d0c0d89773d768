"""How a job outside stands, in the words of whoever waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from lambdas.agent.costs import NOTHING, Cost


class Phase(StrEnum):
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a model took, as its provider counts it; `micro_usd` where its price is known."""

    calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            micro_usd=self.micro_usd + other.micro_usd,
        )


NOTHING_USED = Usage(calls=0)
NOT_TAKEN = Usage(calls=1)
"""Of a question that its provider did not take: it costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """RUNNING, DONE with a body, or FAILED with a code and a sentence.

    wait_seconds  the provider's hint when to ask again; 0 where it gave none
    cursor        where the next invocation finds a running job again
    usage         what it took, of a job that failed too; None where the provider did not tell, and
                  where a failure is told again from the ledger
    ref           the artifact that holds the body, once it is kept
    cost          what it counts for in the run's budget, whoever had it counted
    """

    phase: Phase
    wait_seconds: float = 0
    cursor: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    code: str = ""
    sentence: str = ""
    usage: Usage | None = None
    ref: str = field(default="", compare=False)
    cost: Cost = field(default=NOTHING, compare=False)

    @classmethod
    def running(cls, wait_seconds: float = 0) -> Self:
        return cls(phase=Phase.RUNNING, wait_seconds=wait_seconds)

    @classmethod
    def done(cls, body: bytes, *, usage: Usage | None = None) -> Self:
        return cls(phase=Phase.DONE, body=body, usage=usage)

    @classmethod
    def failed(cls, code: str, sentence: str, *, usage: Usage | None = None) -> Self:
        return cls(phase=Phase.FAILED, code=code, sentence=sentence, usage=usage)
