"""When two passages say the same: the same numbers and negations, nearly the same words."""

from __future__ import annotations

from dataclasses import dataclass

from lambdas.agent.markup import plain
from lambdas.agent.terms import NEGATIONS, terms

NEARLY = 0.85
"""Share of common words from which on one passage repeats the other."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a passage is compared by; equal where all its words are."""

    words: frozenset[str]
    figures: tuple[str, ...]
    negations: int

    def repeats(self, other: Likeness) -> bool:
        """True for nearly the same words about the same figures."""
        if (self.figures, self.negations) != (other.figures, other.negations):
            return False
        common = len(self.words & other.words)
        return common >= NEARLY * len(self.words | other.words)


def likeness(quote: str) -> Likeness:
    said = terms(plain(quote))
    figures = [word for word in said if any(letter.isdigit() for letter in word)]
    negations = sum(word in NEGATIONS for word in said)
    return Likeness(frozenset(said), tuple(sorted(figures)), negations)
