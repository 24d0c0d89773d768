"""Which writing words are in: the part of "which language" that can be told for sure.

A claim is one line, too short to tell Dutch from German; whether it is Latin or Cyrillic is
certain. So an answer in another script than the questions is noticed, another language of the
same script is left to the prompt.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

SURE = 0.7
"""Share of the letters that makes it the writing of the whole."""
FEWEST = 8
"""Letters from which on a line tells."""
_ONE = {
    "CJK": "Han",
    "HIRAGANA": "Han",
    "KATAKANA": "Han",
    "HANGUL": "Hangul",
}


def writing(words: str) -> str:
    """LATIN, CYRILLIC, Han (with kana), ...; empty where it is mixed, or too short to tell."""
    counted = Counter(_script(letter) for letter in words if letter.isalpha())
    letters = sum(counted.values())
    if letters < FEWEST:
        return ""
    script, most = counted.most_common(1)[0]
    return script if most >= SURE * letters else ""


def is_other_writing(asked: Iterable[str], said: Iterable[str]) -> bool:
    """Whether most of what was said is in another writing than all that was asked."""
    scripts = {writing(question) for question in asked}
    claims = [writing(claim) for claim in said]
    if len(scripts) != 1 or scripts == {""}:
        return False
    others = [claim for claim in claims if claim and claim not in scripts]
    return len(others) * 2 > len(claims)


def _script(letter: str) -> str:
    first = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
    return _ONE.get(first, first)
