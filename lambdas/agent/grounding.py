"""Find a quote again in the text it was taken from, or say that it is not there.

Only typography may differ (see folding), never a number, a word or a "not". What is answered is
the span of the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from lambdas.agent.bounds import is_whole
from lambdas.agent.folding import BREAK, Folded, fold, visible
from lambdas.agent.twin import Edit, Twin, rewritten
from lambdas.agent.typography import UNSPACED

WORDS, CHARACTERS, UNSPACED_CHARACTERS = 3, 12, 6
"""A quote has so many words, or two of so many characters, or characters of a script without
spaces."""

CANDIDATES = 500
"""Places looked at, where a quote occurs again and again but never stands free."""

LOOSE = re.compile(rf"(?<=[^\W\d_])(?:{BREAK}|- ?)(?=[^\W\d_])")
ANY_BREAK = "(?:- ?)?"
WORD = re.compile(r"\w+(?:[-'.]\w+)*")
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


def locate(quote: str, text: str, near: int | None = None) -> Span | None:
    """Where the text says the quote; of several places the one nearest to `near`, or the first."""
    return Grounds(text).locate(quote, near)


class Grounds:
    """A text in which quotes are looked up; what that needs is prepared once."""

    def __init__(self, text: str) -> None:
        self._text = text

    def locate(self, quote: str, near: int | None = None) -> Span | None:
        """Where the text says the quote; of several places the one nearest to `near`, or the first.

        A quote that stands at `near` letter by letter may be short; one that must be searched for
        may not, because a short one is found anywhere.
        """
        sought = fold(visible(quote)).text.strip()
        if not any(map(str.isalpha, sought)):
            return None
        if near is not None and self._text.startswith(quote, near):
            there = Span(near, near + len(quote))
            if self._is_whole(there):
                return there
        if not _is_long_enough(sought):
            return None
        verbatim = self._best(self._verbatim(quote.strip()), near)
        return verbatim or self._best(self._alike(sought), near)

    def _best(self, spans: Iterator[Span], near: int | None) -> Span | None:
        places: Iterable[Span] = islice(spans, CANDIDATES)
        if near is not None:
            places = sorted(places, key=lambda span: abs(span.start - near))
        return next(filter(self._is_whole, places), None)

    def _is_whole(self, span: Span) -> bool:
        """Judged on what a reader sees: the Markdown around a word does not set it free."""
        seen = self._seen
        return is_whole(seen.text, seen.copy(span.start), seen.copy(span.end))

    def _verbatim(self, quote: str) -> Iterator[Span]:
        for at in _places(quote, self._text):
            yield Span(at, at + len(quote))

    def _alike(self, sought: str) -> Iterator[Span]:
        for at in _places(sought, self._folded.text):
            span = self._folded.origin(at, at + len(sought))
            if span:
                yield Span(*span)
        if BREAK in self._folded.text:
            yield from self._across_breaks(sought)

    def _across_breaks(self, sought: str) -> Iterator[Span]:
        """Where lines are broken after a hyphen, the quote may have it or not."""
        joined = LOOSE.sub("", sought)
        for at in _places(joined, self._unbroken.text):
            span = self._unbroken.origin(at, at + len(joined))
            origin = self._folded.origin(*span) if span else None
            if span and origin and _is_broken_form(self._folded.text[slice(*span)], sought):
                yield Span(*origin)

    @cached_property
    def _seen(self) -> Twin:
        return visible(self._text)

    @cached_property
    def _folded(self) -> Folded:
        return fold(self._seen)

    @cached_property
    def _unbroken(self) -> Twin:
        breaks = LOOSE.finditer(self._folded.text)
        return rewritten(self._folded.text, (Edit(*one.span(), "") for one in breaks))


def _places(needle: str, text: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _is_broken_form(text: str, sought: str) -> bool:
    """True where the two differ in the hyphens at the ends of the text's lines only."""
    pattern = ANY_BREAK.join(map(re.escape, text.split(BREAK)))
    return re.fullmatch(pattern, sought.replace(BREAK, "- ")) is not None


def is_one_word(quote: str) -> bool:
    """True for what proves nothing wherever it stands: a single word, figures, no word at all."""
    sought = fold(visible(quote)).text
    is_short = len(WORD.findall(sought)) < 2 or not any(map(str.isalpha, sought))
    return is_short and not _is_long_without_spaces(sought)


def _is_long_enough(sought: str) -> bool:
    words = len(WORD.findall(sought))
    is_long = words >= WORDS or (words > 1 and len(sought) >= CHARACTERS)
    return is_long or _is_long_without_spaces(sought)


def _is_long_without_spaces(sought: str) -> bool:
    return len(UNSPACED_CHARACTER.findall(sought)) >= UNSPACED_CHARACTERS
