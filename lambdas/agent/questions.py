"""What a question asks for: its matters, the words that name each, and the kind of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from lambdas.agent.expectations import Expects, expected
from lambdas.agent.synonyms import VAGUE, related
from lambdas.agent.terms import NEGATIONS, STOPWORDS, TOKEN, listed, stem, term, words

EXACT, STRONG, WEAK = 1.0, 0.85, 0.5
"""How well a word names a matter: the question's own word, a synonym, a hint."""

NAME, PLAIN, VAGUER = 1.1, 1.0, 0.4
"""How much a matter weighs: all names together, an ordinary word, a word that fits anything."""

NEWNESS = ("new", "latest", "recent", "current")

# Words of the asking, not of what is asked.
ASKING = frozenset(
    map(
        stem,
        listed(
            """tell describe list summarize summarise give find explain show please any know want
            exactly currently there much long often per name named called"""
        ),
    )
)

# The same in German, French, Spanish, Italian, Portuguese and Dutch.
SMALL_WORDS_ELSEWHERE = listed(
    """der die das den dem des ein eine einen einem einer und oder ist sind war wird werden hat
    haben kann auf von bei mit für aus nach zum zur über wie wer was wann wo warum wieviel viel
    viele welche welcher welches welchen gibt es le la les un une du de et ou est sont qui que
    quoi quand où comment pourquoi combien quel quelle quels quelles dans pour sur avec au aux
    ce il elle el los las una y o son en del al por para con qué cuál cuándo cuánto cuánta dónde
    cómo se su lo gli uno e è di da nel nella per che chi quando quanto dove come quale quali os
    as um uma em no na nos nas do dos são foi quem onde qual quais het een van voor hoe wat waar
    wanneer hoeveel welke zijn"""
)

CLAUSES = re.compile(
    r"[?;\n]+|[,\s]+(?:and|or|&)\s+(?=(?:what|which|who|when|where|why|how)\b)", re.IGNORECASE
)
ALTERNATIVE = re.compile(
    r"\s*(?:,|/|,?\s*(?:or|and|&))\s*(?:(?:the|an?|any|in|its|their)\s+)?", re.IGNORECASE
)
NAME_LIKE = re.compile(r"[A-Z]|\d")
REFERS_BACK = re.compile(
    r"\b(?:it|its|they|their|them|he|she|his|her|this|that|these|those)\b", re.IGNORECASE
)
JOINED = re.compile(r"and|&", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Matter:
    """One thing the question is about, and how well each word names it."""

    names: dict[str, float]
    weight: float
    is_name: bool = False

    def is_named_by(self, word: str) -> bool:
        return self.names.get(word, 0.0) >= STRONG

    def __or__(self, other: Matter) -> Matter:
        both = self.names.keys() | other.names.keys()
        return Matter(
            {name: max(self.names.get(name, 0.0), other.names.get(name, 0.0)) for name in both},
            max(self.weight, other.weight),
            self.is_name and other.is_name,
        )


@dataclass(frozen=True, slots=True)
class Query:
    """One clause of a question."""

    matters: tuple[Matter, ...]
    pairs: frozenset[tuple[str, str]]
    """Terms that stand side by side."""
    expects: Expects
    must: bool
    """It asks for exactly this kind, so that a passage without it hardly answers."""


@dataclass(frozen=True, slots=True)
class _Word:
    name: str
    start: int
    end: int
    is_name: bool


def queries(question: str, *, english: bool = True) -> tuple[Query, ...]:
    """A question is as many queries as it has clauses of its own; none, where it asks nothing."""
    found: list[Query] = []
    named: tuple[Matter, ...] = ()
    for clause in CLAUSES.split(question):
        query = _query(clause, named, english=english)
        named = tuple(matter for matter in query.matters if matter.is_name) or named
        found += [query] if query.matters else []
    return tuple(found)


def _query(clause: str, named: tuple[Matter, ...], *, english: bool) -> Query:
    """One clause; what it calls "it" are the names before."""
    expects, must = expected(clause.strip().casefold()) if english else (Expects.ANYTHING, False)
    content = _content(clause, english=english)
    matters = tuple(_matters(content, clause, english=english))
    if matters and REFERS_BACK.search(clause) and not any(one.is_name for one in matters):
        matters += named
    names = [word.name for word in content]
    return Query(
        matters=matters,
        pairs=frozenset(pairwise(names)),
        expects=expects,
        must=must,
    )


def _content(clause: str, *, english: bool) -> list[_Word]:
    """The words that say what is asked."""
    tokens = list(TOKEN.finditer(clause))
    small = NEGATIONS | (ASKING if english else SMALL_WORDS_ELSEWHERE)
    found = [
        _Word(name, *token.span(), is_name)
        for token, is_name in zip(tokens, _are_names(tokens, english=english), strict=True)
        for word in words(token[0])
        if (name := term(word, english=english)) and name not in small
    ]
    return [word for word in found if len(word.name) > 1 or not word.name.isascii()] or found


def _are_names(tokens: list[re.Match[str]], *, english: bool) -> list[bool]:
    """In English a capital inside a sentence makes a name; elsewhere it may be any noun."""
    found = [
        english and at > 0 and NAME_LIKE.search(token[0]) is not None
        for at, token in enumerate(tokens)
    ]
    small = [token[0].casefold() in STOPWORDS for token in tokens]
    # Where Every Word Begins With a Capital, a capital tells nothing.
    is_title = any(name and word for name, word in zip(found, small, strict=True))
    return [False] * len(tokens) if is_title else found


def _matters(content: list[_Word], clause: str, *, english: bool) -> list[Matter]:
    """One matter a word; alternatives and words that mean the same are one matter."""
    found: list[Matter] = []
    end = 0
    name = NAME / max(1, sum(word.is_name for word in content))
    for word in content:
        matter = _matter(word, name, english=english)
        link = ALTERNATIVE.fullmatch(clause, end, word.start) if found else None
        if link and not (word.is_name and JOINED.search(link[0])):
            found[-1] |= matter
        else:
            found = _joined(found, word, matter)
        end = word.end
    return [matter for matter in found if not _goes_without_saying(matter, found)]


def _goes_without_saying(matter: Matter, found: list[Matter]) -> bool:
    """The "new" beside "launched" asks nothing more."""
    others = [other for other in found if other is not matter]
    return any(
        matter.names.get(word) == EXACT and any(word in one.names for one in others)
        for word in NEWNESS
    )


def _joined(found: list[Matter], word: _Word, matter: Matter) -> list[Matter]:
    same = [old for old in found if old.is_named_by(word.name)]
    return [old | matter if old in same else old for old in found] if same else [*found, matter]


def _matter(word: _Word, name: float, *, english: bool) -> Matter:
    if word.is_name:
        return Matter({word.name: EXACT}, name, is_name=True)
    strong, weak = related(word.name) if english else (frozenset[str](), frozenset[str]())
    names = dict.fromkeys(weak, WEAK) | dict.fromkeys(strong, STRONG) | {word.name: EXACT}
    return Matter(names, VAGUER if english and word.name in VAGUE else PLAIN)
