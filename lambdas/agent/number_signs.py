"""How numbers stand in a passage: the numeral, what is written before it and what behind it."""

from __future__ import annotations

import re
from typing import cast

from lambdas.agent import number_words
from lambdas.agent.typography import UNSPACED
from lambdas.agent.units import (
    CJK_MAGNITUDES,
    MAGNITUDES,
    MONEY_WORD,
    PERIODS,
    SIGN,
    SIGNS_OF_MONEY,
    WORD,
    any_of,
)

BEFORE = 24
"""Code points in front of a numeral in which its sign and currency stand."""
LETTER = rf"(?:(?![{UNSPACED}])[^\W\d_])"
ODD = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u2189\u2460-\u249b"
"""Superscripts, fractions, numbers in circles: nothing that a numeral could be read with."""
END = rf"(?!{LETTER}|[\d_])"
CODES = r"(?i:usd|eur|gbp|chf|jpy|cny|inr|cad|aud|krw|rub|sfr|rmb)"

NUMERAL = re.compile(
    rf"""
    (?P<code>(?<![^\W_])(?!{CODES}\d){LETTER}+\d\w*(?:[.-]\w*\d\w*)*
        | \d+(?:-\d+){{2,}} | [{ODD}]+)
    | (?P<numeral>(?:(?<!\d)\d{{1,3}}(?:[ \u00a0]\d{{3}})+(?!\d)(?:[.,]\d+)?
        | \d+(?:[.,'\u066b\u066c\u00b7:/]\d+)*)(?:[eE][+-]?\d+(?!\w))?)(?P<glued>[{ODD}]+)?
    | (?P<words>(?<![\w])(?i:{number_words.RUN})(?!\w))
    """,
    re.VERBOSE,
)
PREFIX = re.compile(
    rf"""
    (?P<open>\()?
    (?P<mark>(?:[\u00b1~\u2248+]|[<>]=?|!=)[ ]?)?
    (?P<sign>(?<![\w)\]%.,])-|(?<!\w)(?i:minus)[ ])?
    (?:(?P<money>{LETTER}{{0,3}}[{SIGNS_OF_MONEY}]|(?<![^\W_]){CODES})[ \u00a0]?)?
    (?P<inner>(?<=[{SIGNS_OF_MONEY}])-)?\Z
    """,
    re.VERBOSE,
)
BETWEEN_WORDS = (
    r"[ \u00a0]?/[ \u00a0]?|[ \u00a0\n](?:per|an?|each|every|pro|par|al|por|je|im|the)[ \u00a0\n]"
)
SUFFIX = re.compile(
    rf"""
    (?:(?P<cjk>[{"".join(CJK_MAGNITUDES)}])
        | [ \u00a0\n-]?(?P<magnitude>(?i:billions?|{any_of(MAGNITUDES)})){END}
        | (?P<million>[ \u00a0]?M(?=[ \u00a0]?[{SIGNS_OF_MONEY}])|M{END}))?
    (?:[ \u00a0\n]?(?:de[ ]|d')?(?P<money>[{SIGNS_OF_MONEY}\u5186\u5143]|(?i:{MONEY_WORD}){END})
        | [ \u00a0\n]?(?P<sign>{SIGN}){END}
        | [ \u00a0\n-]?(?i:(?:full|working|business|whole)[ ])?(?P<word>(?i:{WORD})){END})?
    (?:(?:(?:{BETWEEN_WORDS}){LETTER}+)??(?:{BETWEEN_WORDS})(?P<period>(?i:{any_of(PERIODS)})){END}
        | [ \u00a0](?P<adverb>(?i:monthly|yearly|annually|weekly|daily|hourly|monatlich)){END})?
    """,
    re.VERBOSE,
)
SHORT_MONEY = {"m": 6, "b": 9, "t": 12}
"""Letters that are a magnitude behind money only: $5m."""
SHORT = re.compile(rf"[mbtBT]{END}")
NOUN = re.compile(rf"[ \u00a0\n-]({LETTER}{{3,}})")
GLUE = re.compile(rf"(?:{LETTER}|_)\w*")
TO = re.compile(
    r"[ \u00a0]?-[ \u00a0]?|[ \u00a0\n](?:to|through|until|bis|\u00e0|al?|tot)[ \u00a0\n]"
)
AND = re.compile(r"[ \u00a0\n](?:and|und|et|y|en)[ \u00a0\n]")
PAIR = re.compile(r"(?<!\w)(?:between|zwischen|entre|tussen)[ \u00a0\n]\Z", re.IGNORECASE)


def prefix_of(text: str, at: int) -> re.Match[str]:
    return cast("re.Match[str]", PREFIX.search(text[max(0, at - BEFORE) : at]))


def suffix_of(text: str, at: int) -> re.Match[str]:
    return cast("re.Match[str]", SUFFIX.match(text, at))


def is_money(text: str, found: re.Match[str]) -> bool:
    """True for money whose magnitude is one letter: $5m."""
    return bool(prefix_of(text, found.start())["money"] and SHORT.match(text, found.end()))
