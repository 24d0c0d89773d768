"""Characters that a reader takes for one another, and what they are all folded to.

Never folded: what would change a number or a meaning. Superscripts and fractions stay as they are
(10² is not 102), so do circled numbers, upper and lower case, and the digits of other scripts.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

APOSTROPHES = "'\u2018\u2019\u201a\u201b\u2032\u02b9\u02bc\u00b4`\u2039\u203a\uff07"
QUOTATION_MARKS = '"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f\uff02'
HYPHENS = "-\u2010\u2011\u2012\u2013\u2212\u2043\ufe63\uff0d"
"""Hyphens, the en dash and the minus sign: between words and before numbers they are one."""
DASHES = "\u2014\u2015\ufe58"
"""The em dash stands between words whether it has spaces around it or not."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
)
"""As the inside of a character class: soft hyphens, zero widths, directions, tags, controls."""
COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
"""As the inside of a character class: accents that stand behind their letter."""
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""As the inside of a character class: scripts that put no space between their words."""
QUESTION_MARKS = ("?", "\uff1f")
COLONS = (":", "\uff1a")
CURRENCY = "$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd"

FOLDED = (
    dict.fromkeys(APOSTROPHES, "'")
    | dict.fromkeys(QUOTATION_MARKS, '"')
    | dict.fromkeys(HYPHENS, "-")
    | {
        "\u2026": "...",
        "\u2025": "..",
        "\u00d7": "x",
        "\u2265": ">=",
        "\u2264": "<=",
        "\u2260": "!=",
    }
    | {"\u00e6": "ae", "\u00c6": "Ae", "\u0153": "oe", "\u0152": "Oe"}
)
SAFE = frozenset({"<wide>", "<narrow>", "<font>", "<initial>", "<medial>", "<final>", "<isolated>"})
"""Compatibility forms that differ in shape only."""


@lru_cache(maxsize=4096)
def folded(character: str) -> str:
    """What a character is compared as; mostly itself."""
    if character in FOLDED:
        return FOLDED[character]
    kind, _, _ = unicodedata.decomposition(character).partition(" ")
    if kind in SAFE or (kind == "<compat>" and _is_ligature(character)):
        return unicodedata.normalize("NFKC", character)
    return unicodedata.normalize("NFC", character)


def _is_ligature(character: str) -> bool:
    return character.isalpha() and unicodedata.normalize("NFKC", character).isalpha()
