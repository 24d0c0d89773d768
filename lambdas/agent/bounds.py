"""Where a quote may begin and end: never inside a word, a number or a compound, and never right
beside a "not" that it leaves out.

"5 seats" is not what "15 seats", "1.5 seats", "1 005 seats" or "-5 seats" say, "refundable" is not
what "non-refundable" says, nor "$5" what "$5 million" says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lambdas.agent.typography import (
    APOSTROPHES,
    COMBINING,
    CURRENCY,
    HYPHENS,
    INVISIBLE,
    UNSPACED,
)

WINDOW = 60
"""Code points looked at on either side."""

UNSEEN = re.compile(f"[{INVISIBLE}*`~]")
"""Emphasis in the middle of a word does not end it."""
GAP = "[^\\S\n]"
NEXT = rf"(?:{GAP}+\n?{GAP}*|\n{GAP}*)"
"""What separates two words of one paragraph."""
WORD = rf"(?![{UNSPACED}])\w"
LETTER = r"[^\W\d_]"
POINT = rf".,:/\u00b7\u066b\u066c{APOSTROPHES}"
"""What may stand between the digits of one number."""
THIN = "[ \u00a0\u2009\u202f]"
"""What may stand between groups of three digits."""
COUNTED = (
    r"(?:\d|\b(?:a|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|several))"
)
UNIT = (
    r"(?:hundred|thousand|million(?:s|en)?|billion|trillion|dozen|lakh|crore|bn|mio|mrd"
    r"|milliarden?|tausend|percent|per cent|prozent|pour cent|pct|k|m|fold|times)\b"
)
NOT = (
    r"(?:(?<!\w)(?:not|never|no|cannot|nor|neither|without|hardly|nicht|kein(?:e[mnrs]?)?|nie|niemals"
    r"|ohne|pas|jamais|sans|aucune?|non|nunca|jamás|sin|não|sem|mai|senza|niet|geen|nooit)"
    r"|n['\u2019]t)"
)
SMALL = r"(?:yet|be|been|being|an?|the|any|even|so|very|too|all|currently|\w+ly)"


class Rule(NamedTuple):
    """No boundary where this stands left of it and that right of it."""

    left: re.Pattern[str]
    right: re.Pattern[str]

    def applies(self, left: str, right: str) -> bool:
        return bool(self.right.match(right) and self.left.search(left))


def _rule(left: str, right: str) -> Rule:
    return Rule(re.compile(rf"(?:{left})\Z", re.IGNORECASE), re.compile(right, re.IGNORECASE))


SEVERING = (
    # a word or a number, an accent and its letter, a number and the unit written to it
    _rule(WORD, WORD),
    _rule(r"\S", f"[{COMBINING}]"),
    _rule(r"\d", f"[{UNSPACED}]"),
    # a compound or a contraction: non-refundable, can't
    _rule(rf"\w[{HYPHENS}{APOSTROPHES}]", r"\w"),
    _rule(r"\w", rf"[{HYPHENS}{APOSTROPHES}]\w"),
    _rule(rf"{LETTER}[{HYPHENS}]{GAP}*\n{GAP}*", LETTER),
    _rule(LETTER, rf"[{HYPHENS}]{GAP}*\n{GAP}*{LETTER}"),
    # the digits of one number: 1.5, 1,005, 12:30, 1 005
    _rule(rf"\d[{POINT}]", r"\d"),
    _rule(r"\d", rf"[{POINT}]\d"),
    _rule(rf"(?<!\d)\d{{1,3}}{THIN}", r"\d{3}(?!\d)"),
    _rule(r"(?<!\d)\d{1,3}", rf"{THIN}\d{{3}}(?!\d)"),
    # a number and its sign, currency or comparison
    _rule(rf"[{HYPHENS}+\u00b1~\u2248<>\u2264\u2265=^{CURRENCY}]", rf"[{CURRENCY}]?\d"),
    _rule(rf"[\u2212\u00b1\u2248<>\u2264\u2265{CURRENCY}]{GAP}|[<>]={GAP}", r"\d"),
    _rule(rf"\b(?:minus|usd|eur|gbp|chf|jpy|inr){GAP}", r"\d"),
    _rule(r"\w", rf"[{CURRENCY}]\d"),
    # a number and its unit
    _rule(r"\d", rf"{GAP}?[%\u2030\u00b0{CURRENCY}]"),
    _rule(COUNTED, rf"(?:{GAP}|[{HYPHENS}]){UNIT}"),
    _rule(rf"{COUNTED}{GAP}", UNIT),
    # a range: 10-12
    _rule(r"\d", rf"{GAP}?[{HYPHENS}]{GAP}?[{CURRENCY}]?\d"),
    _rule(rf"\d{GAP}?[{HYPHENS}]{GAP}?", rf"[{CURRENCY}]?\d"),
)
LEFT_OUT_BEFORE = _rule(rf"{NOT}(?:{NEXT}{SMALL}){{0,2}}{NEXT}", r"\W?\w")
# With a capital it begins a sentence or a line of its own.
LEFT_OUT_BEHIND = _rule(r"\w", rf"{NEXT}(?-i:{NOT})(?![{HYPHENS}\w])")


def is_whole(text: str, start: int, end: int) -> bool:
    """True where `[start, end)` can be quoted without saying something else than the text."""
    before, behind = _sides(text, start), _sides(text, end)
    return not (
        LEFT_OUT_BEFORE.applies(*before)
        or LEFT_OUT_BEHIND.applies(*behind)
        or any(rule.applies(*before) or rule.applies(*behind) for rule in SEVERING)
    )


def _sides(text: str, at: int) -> tuple[str, str]:
    left, right = text[max(0, at - WINDOW) : at], text[at : at + WINDOW]
    return UNSEEN.sub("", left), UNSEEN.sub("", right)
