"""How well each passage answers a question: BM25 over fields, told as a share of the best possible.

The score is the share of the question's matters that a passage covers, each weighed by how rare it
is among the passages, and corrected by the kind of answer the question expects. It lies in 0..1 and
can be compared between documents. Context counts as weaker fields and never suffices alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lambdas.agent.bearing import is_of_the_kind, says_something
from lambdas.agent.evidence import is_statement
from lambdas.agent.fields import Fields, fields_of, near, own
from lambdas.agent.passages import Passage
from lambdas.agent.questions import Matter, Query

KEEP = 0.55
"""A passage below this does not bear on the question."""

SATURATION = 0.8
"""BM25's k1: how soon more mentions stop counting."""
LENGTH = 0.3
"""BM25's b: how much more a passage above average length must say."""
UNREAD = 20
"""Passages of anything else that are imagined beside those of the text, so that in a text of three
sentences a word is not rare because it stands in one of them, nor common."""
COMMONEST = 0.6
"""Weight of a matter that every passage names, where a rare one weighs 1."""
ELSEWHERE = 0.3
"""What the name counts that the whole piece is about, in a passage that leaves it out."""
PLAINLY, OF_THE_KIND, SIDE_BY_SIDE = 0.82, 0.1, 0.08
"""Full coverage alone; with the kind of answer expected; with words side by side as asked."""
NOT_OF_THE_KIND, MISSES_THE_POINT = 0.9, 0.65
"""Factors where the kind is missing that the question suggests, or asks for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    passage: Passage
    score: float


class Ranking:
    """The passages of one piece of a text, ready to be asked."""

    def __init__(self, passages: Iterable[Passage], *, english: bool = True) -> None:
        self._fields = tuple(fields_of(passage, english=english) for passage in passages)
        self._average = sum(fields.length for fields in self._fields) / max(1, len(self._fields))
        self._bodies: dict[str, list[int]] = {}
        self._around: dict[str, list[int]] = {}
        for at, fields in enumerate(self._fields):
            for word in fields.body:
                self._bodies.setdefault(word, []).append(at)
            for word in fields.around:
                self._around.setdefault(word, []).append(at)

    def ask(self, asked: Sequence[Query]) -> tuple[Ranked, ...]:
        """The passages that bear on any of the queries, best first, then in reading order."""
        scores: dict[int, float] = {}
        for query in asked:
            weights = [self._weight(matter) for matter in query.matters]
            for at in self._candidates(query):
                score = self._score(self._fields[at], query, weights)
                scores[at] = max(score, scores.get(at, 0.0))
        ranked = (Ranked(self._fields[at].passage, score) for at, score in scores.items())
        kept = (one for one in ranked if one.score >= KEEP and is_statement(one.passage.quote))
        return tuple(sorted(kept, key=lambda one: (-one.score, one.passage.start)))

    def _candidates(self, query: Query) -> set[int]:
        names = {name for matter in query.matters for name in matter.names}
        places = (index.get(name, ()) for index in (self._bodies, self._around) for name in names)
        return {at for found in places for at in found}

    def _weight(self, matter: Matter) -> float:
        """BM25's inverse frequency, between COMMONEST and 1, times the matter's own weight."""
        names = [name for name in matter.names if matter.is_named_by(name)]
        among = len({at for name in names for at in self._bodies.get(name, ())})
        total = len(self._fields) + UNREAD
        rarity = math.log(1 + (total - among + 0.5) / (among + 0.5)) / math.log(2 + 2 * total)
        return matter.weight * (COMMONEST + (1 - COMMONEST) * rarity)

    def _score(self, fields: Fields, query: Query, weights: list[float]) -> float:
        of_the_kind = is_of_the_kind(fields, query.expects)
        if not says_something(fields, query, of_the_kind=of_the_kind):
            return 0.0
        pairs = zip(weights, query.matters, strict=True)
        covered = math.fsum(weight * self._covered(fields, matter) for weight, matter in pairs)
        share = covered / math.fsum(weights)
        worth = PLAINLY + OF_THE_KIND * of_the_kind
        if query.pairs & fields.pairs:
            worth += SIDE_BY_SIDE
        if not of_the_kind:
            worth *= MISSES_THE_POINT if query.must else NOT_OF_THE_KIND
        return round(share * worth, 4)

    def _covered(self, fields: Fields, matter: Matter) -> float:
        """How far the passage is about the matter; 1 where it names it once in its own words."""
        length = max(1.0, 1 - LENGTH + LENGTH * fields.length / self._average)
        mentions = own(fields, matter) / length + near(fields, matter)
        if not mentions and matter.is_name:
            mentions = self._elsewhere(matter)
        return min(1.0, mentions * (SATURATION + 1) / (mentions + SATURATION))

    def _elsewhere(self, matter: Matter) -> float:
        """Whom the piece speaks of again and again, a sentence need not name."""
        among = max(len(self._bodies.get(name, ())) for name in matter.names)
        return min(ELSEWHERE, among / len(self._fields)) if among > 1 else 0.0
