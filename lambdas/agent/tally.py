"""How many sources of a task have passed each of their steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lambdas.agent.contract import Step

OF_A_SOURCE = (Step.FETCH, Step.EXTRACT, Step.ANALYZE, Step.SET_ASIDE)
"""The steps that each source goes through, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a unit tells of how far its source has come."""

    step: Step
    item: str
    is_done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    passed: Mapping[Step, int] = field(default_factory=dict)

    @property
    def read(self) -> int:
        return self.passed.get(Step.ANALYZE, 0)

    @property
    def aside(self) -> int:
        return self.passed.get(Step.SET_ASIDE, 0)

    @property
    def done(self) -> int:
        return self.read + self.aside


def tallied(traces: Iterable[Trace]) -> Tally:
    """A source that a later run tries again counts as far as it has come in that run."""
    traces = list(traces)
    last = last_tries(trace.item for trace in traces)
    done = Counter(trace.step for trace in traces if trace.is_done and trace.item in last)
    return Tally(passed={step: done[step] for step in OF_A_SOURCE})


def last_tries(items: Iterable[str]) -> set[str]:
    """Of a source that was tried again only the place of its last try."""
    last = dict[str, tuple[int, str]]()
    for item in items:
        source, _, run = item.partition(".")
        last[source] = max(last.get(source, (0, "")), (int(run or 1), item))
    return {item for _, item in last.values()}
