"""The analyst that needs no model: ranked sentences, verbatim. Deterministic, no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lambdas.agent import extractive
from lambdas.agent.extractive import Lap
from lambdas.agent.findings import FINDINGS_EACH, Text


class ExtractiveAnalyst:
    def find(
        self, text: Text, questions: Sequence[str], *, start: int, stop: Callable[[], bool]
    ) -> Lap:
        return extractive.find(text, questions, start=start, stop=stop, per_question=FINDINGS_EACH)
