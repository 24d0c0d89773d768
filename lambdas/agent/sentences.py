"""Where sentences end. Abbreviations, initials, decimals, addresses and list numbers end none.

One pass over the text; the rules look at a bounded window around each stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lambdas.agent.terms import listed

CLOSING = r"\"'\u201d\u2019\u00bb)\]"
OPENING = r"(\[\"'\u201c\u2018\u00ab*_"
FULL_WIDTH = "\u3002\uff01\uff1f\uff61"
STOP = re.compile(
    rf"""
    [{FULL_WIDTH}]++[{CLOSING}\u300d\u300f\uff09\u3011\u300b]*+\s*+  # needs no space behind it
    | (?<![.!?\u2026])[.!?\u2026]++[{CLOSING}*_`]{{0,8}}+(?=\s|\Z)    # closing marks belong to it
    | \n[^\S\n]*+\n                                  # an empty line ends whatever stands there
    """,
    re.VERBOSE,
)

# Never the end of a sentence: a name, a number or an example follows.
TITLES = listed(
    """mr mrs ms dr prof st sen rep gov gen col lt sgt capt rev hon mt messrs mme mlle vs v e.g i.e
    cf fig figs eq sec ch vol pp ed eds al approx ca viz resp incl excl est dept ext bzw nr abs
    art"""
)
# The end of a sentence only where the next word usually begins one.
SHORTENED = listed(
    """inc ltd llc corp co bros plc gmbh jr sr etc usw ph.d b.sc m.sc jan feb mar apr jun jul aug
    sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd ft min max avg"""
)
OPENERS = listed(
    """the a an it its this that these those they he she we you i in on at by for from to with as
    if when while after before since but and or so however our their his her your my there here
    what who why how all both each no not new now then also although because during under until
    even some many most more one two despite today yesterday meanwhile instead"""
)
MONTHS = listed(
    """januar februar märz april mai juni juli august september oktober november dezember
    january february march may june july october december"""
)

WORD_BEFORE = re.compile(rf"[^\s{OPENING}]*\Z")
WORD_BEHIND = re.compile(rf"[\s{OPENING}]*(\w*)")
WINDOW = 40


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences between two offsets, without the white space around them."""
    begin = start
    for stop in STOP.finditer(text, start, end):
        if _is_end(text, begin, stop, end):
            yield from trimmed(text, begin, stop.end())
            begin = stop.end()
    yield from trimmed(text, begin, end)


def trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without the white space at its ends; nothing where there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _is_end(text: str, begin: int, stop: re.Match[str], end: int) -> bool:
    mark = stop[0]
    if mark[0] not in ".!?\u2026":
        return True
    behind = WORD_BEHIND.match(text, stop.end(), min(end, stop.end() + WINDOW))
    following = behind[1] if behind else ""
    if following[:1].islower():
        return False
    return mark[0] != "." or mark[:2] == ".." or _is_full_stop(text, begin, stop.start(), following)


def _is_full_stop(text: str, begin: int, stop: int, following: str) -> bool:
    before = WORD_BEFORE.search(text, max(begin, stop - WINDOW), stop)
    word = before[0].casefold() if before else ""
    opens = following.casefold() in OPENERS
    if word in TITLES:
        return False
    if word == "no":
        return not following[:1].isdigit()
    if word in SHORTENED or _is_dotted(word):
        return opens
    if word.isdigit() and len(word) <= 2:
        return following.casefold() not in MONTHS and text[begin:stop].strip() != word
    return True


def _is_dotted(word: str) -> bool:
    """Initials and their like: J, U.S, a.m."""
    return bool(word) and all(len(part) == 1 and part.isalpha() for part in word.split("."))
