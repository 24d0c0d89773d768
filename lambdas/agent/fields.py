"""The words of a passage and of what stands around it, and how they name a matter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lambdas.agent.markup import plain
from lambdas.agent.passages import Passage
from lambdas.agent.questions import Matter
from lambdas.agent.terms import terms

HEADER, HEADING, LEAD, TITLE = 0.8, 0.5, 0.4, 0.35
"""What a word counts in the fields around a passage, where it counts 1 in the passage itself."""
HINT, MORE_HINTS, ALL_HINTS = 0.4, 0.15, 0.7
"""What one word counts that only hints at a matter, each further one, and all together."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The terms of a passage and of what stands around it."""

    passage: Passage
    words: str
    body: Counter[str]
    pairs: frozenset[tuple[str, str]]
    around: dict[str, float]
    length: int


def fields_of(passage: Passage, *, english: bool) -> Fields:
    words = plain(passage.quote)
    body = _terms(words, english)
    around: dict[str, float] = {}
    for weight, part in _context(passage):
        for word in _terms(part, english):
            around[word] = max(weight, around.get(word, 0.0))
    return Fields(
        passage=passage,
        words=words,
        body=Counter(body),
        pairs=frozenset(pairwise(body)),
        around=around,
        length=len(body),
    )


def _context(passage: Passage) -> Iterator[tuple[float, str]]:
    yield TITLE, passage.title
    yield from ((HEADING, heading) for heading in passage.headings)
    yield LEAD, passage.lead
    yield from ((HEADER, name) for name in passage.header)


@lru_cache(maxsize=4096)
def _terms(part: str, english: bool) -> tuple[str, ...]:  # noqa: FBT001 - a cache key
    return terms(plain(part), english=english)


def own(fields: Fields, matter: Matter) -> float:
    """How often the passage itself names the matter."""
    said = matter.names.keys() & fields.body.keys()
    names = [name for name in said if matter.is_named_by(name)]
    hints = len(said) - len(names)
    hinted = min(ALL_HINTS, HINT + MORE_HINTS * (hints - 1)) if hints else 0.0
    return math.fsum(matter.names[name] * fields.body[name] for name in names) + hinted


def near(fields: Fields, matter: Matter) -> float:
    """How well the best word around the passage names the matter."""
    said = matter.names.keys() & fields.around.keys()
    return max((matter.names[name] * fields.around[name] for name in said), default=0.0)
