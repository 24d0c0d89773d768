"""Where a report stands in the questions that a model is to answer, and the way on from each end.

Cut or overflowed: the same question again, with half as many findings. Unusable: asked once more,
told what was wrong. Else, and where nobody answers, the statements are the answer. A report never
waits for a model without an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from lambdas.agent.costs import Price
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState
from lambdas.agent.model_ports import Jobs
from lambdas.agent.piecewise import LONGEST_FAULT, ONCE_MORE, SMALLER

MOST_LAPS, MOST_LAPS_LATER = 150, 22
"""Of the first revision and of each later one, waits included: each lap leaves events in the run's
history, which is bounded. Twenty questions that are answered at once fit into either.
"""
MOST_SILENCES = 5
"""Calls in a row that a model may leave without any answer; each may be paid for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a unit's cursor knows of it.

    most    findings of the question that are shown; 0 for as many as fit
    again   what was wrong with an answer to this very question
    silent  how often in a row the model did not answer
    """

    question: int = 0
    most: int = 0
    again: str = ""
    silent: int = 0
    laps: int = 0

    @classmethod
    def of(cls, cursor: Mapping[str, Any]) -> Self:
        """In the next lap."""
        told = cls(**{name: cursor[name] for name in _NAMES if name in cursor})
        return replace(told, laps=told.laps + 1)

    def cursor(self) -> dict[str, Any]:
        told = {name: value for name, value in asdict(self).items() if value}
        return {"question": self.question, **told}

    def at(self, question: int) -> Self:
        return self if question == self.question else type(self)(question=question, laps=self.laps)

    def unanswered(self) -> Self:
        return replace(self, silent=self.silent + 1)

    def once_more(self, fault: str) -> Self | None:
        """None where it was asked again already."""
        again = replace(self, again=fault[:LONGEST_FAULT], silent=0)
        return None if self.again else again

    def smaller(self, shown: int) -> Self | None:
        """None where one finding alone is too much."""
        return replace(self, most=shown // 2, again="", silent=0) if shown > 1 else None


def way_on(place: Place, shown: int, code: str, fault: str) -> Place | None:
    """Where the same question is asked otherwise; None where its statements are the answer."""
    if code in SMALLER:
        return place.smaller(shown)
    return place.once_more(fault) if code in ONCE_MORE else None


def most_laps(revision: int) -> int:
    return MOST_LAPS if revision == 1 else MOST_LAPS_LATER


class Unhurried:
    """A model whose silence is a wait, as it is where it is busy: a report can do without it, so
    its run must not fail with it. The state's retries are left to what the run cannot do without.
    """

    def __init__(self, model: Jobs) -> None:
        self._model = model
        self.was_silent = False

    @property
    def ability(self) -> Ability:
        return self._model.ability

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def longest_answer(self) -> int:
        return self._model.longest_answer

    @property
    def price(self) -> Price | None:
        return self._model.price

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        with self._waiting():
            return self._model.submit(payload, key=key, seconds=seconds)

    def find(self, key: str, *, seconds: float) -> str | None:
        with self._waiting():
            return self._model.find(key, seconds=seconds)

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        with self._waiting():
            return self._model.poll(job_id, seconds=seconds)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        try:
            yield
        except ServiceUnavailable as error:
            if error.wait_seconds is not None:
                raise
            self.was_silent = True
            raise ServiceUnavailable(
                str(error), code=error.code, dependency=error.dependency, wait_seconds=0
            ) from error


_NAMES = ("question", "most", "again", "silent", "laps")
