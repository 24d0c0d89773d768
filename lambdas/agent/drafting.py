"""A report in the making: composed, and with the answers that a model has written so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from lambdas.agent.model import Outcome
from lambdas.agent.questioning import Place
from lambdas.agent.report import Report
from lambdas.agent.synthesis import Synthesis


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`left` are the questions that are not answered yet, from the one at hand on."""

    document: Report
    synthesis: Synthesis
    place: Place
    left: Sequence[int]

    @classmethod
    def of(cls, document: Report, cursor: Mapping[str, Any], so_far: bytes | None) -> Self:
        """In the next lap. Where nothing was found there is nothing to ask about."""
        place = Place.of(cursor)
        found = [n for n, answer in enumerate(document.answers) if answer.statements]
        left = [n for n in found if n >= place.question]
        return cls(
            document=document,
            synthesis=Synthesis.of(so_far),
            place=place.at(left[0]) if left else place,
            left=left,
        )

    def ended(self, code: str) -> Self:
        """Whatever is left is told by its statements."""
        synthesis = self.synthesis.without(self.left, code)
        end = len(self.document.answers)
        return replace(self, synthesis=synthesis, place=self.place.at(end), left=())

    def elsewhere(self, place: Place) -> Self:
        return replace(self, place=place)

    def behind(self, synthesis: Synthesis) -> Self:
        place = self.place.at(self.place.question + 1)
        return replace(self, synthesis=synthesis, place=place)

    def go_on(self) -> Outcome:
        return Outcome.go_on(self.place.cursor(), result=self.synthesis.body())
