"""A passage as its figures, dates and negations are read: no Markdown, one kind of each sign.

Unlike what quotes are compared in (folding), a space that must not break stays one: "1 250" is
one number where the space is hard, and may be two where it is not.
"""

from __future__ import annotations

import re

from lambdas.agent.folding import visible
from lambdas.agent.markup import LINE_MARK
from lambdas.agent.typography import DASHES, INVISIBLE, folded

HARD_SPACE = "\u00a0"
_HARD_SPACES = re.compile("[\u00a0\u2007\u2009\u202f]")
_SPACES = re.compile(f"[^\\S\n{HARD_SPACE}]+")
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_DASH = re.compile(f"[{DASHES}]")


def legible(markdown: str) -> str:
    """The words as they are read. Ends of lines stay: numbers on two lines are two numbers."""
    seen = visible(LINE_MARK.sub("", _UNSEEN.sub("", markdown))).text
    spaced = _HARD_SPACES.sub(HARD_SPACE, _DASH.sub(" - ", seen))
    return _SPACES.sub(" ", "".join(map(folded, spaced))).strip()
