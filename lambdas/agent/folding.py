"""The form in which quotes are compared: Markdown gone, white space, quotation marks, dashes and
ligatures made one. Both sides are folded, and a map leads back to the original.

A hyphen at a line's end may have been there before the line was broken or not. It becomes
BREAK, which stands for either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from lambdas.agent.markup import marks
from lambdas.agent.twin import Edit, Twin, rewritten
from lambdas.agent.typography import COMBINING, DASHES, INVISIBLE, folded

BREAK = "\x00"

BLANK = rf"\s{INVISIBLE}"
PIECES = rf"""
    (?P<line_end>(?<=[^\W\d_])[-\u00ad\u2010\u2011][^\S\n]*+\n[^\S\n]*+(?=[^\W\d_]))
    | (?P<gap>(?!\ [^{BLANK}{DASHES}-])[{BLANK}]++(?:(?:[{DASHES}]|--(?=\s))[{BLANK}]*+)?)
    | (?P<dash>(?:[{DASHES}]|(?<=\w)--(?=\w))[{BLANK}]*+)
"""
ACCENTED = rf"\w[{COMBINING}]+"
DASH = re.compile(rf"[{DASHES}]|--")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared, and the way back."""

    seen: Twin
    twin: Twin

    @property
    def text(self) -> str:
        return self.twin.text

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The original of `[start, end)`; None where an end lies inside of what was folded."""
        span = self.twin.origin(start, end)
        return self.seen.origin(*span) if span else None


def visible(text: str) -> Twin:
    """The text without its Markdown."""
    return rewritten(text, marks(text))


def fold(seen: Twin) -> Folded:
    return Folded(seen, rewritten(seen.text, _edits(seen.text)))


def _edits(text: str) -> Iterator[Edit]:
    for piece in _pieces(text).finditer(text):
        yield Edit(*piece.span(), _replacement(piece))


def _pieces(text: str) -> re.Pattern[str]:
    """What is to be folded in this text: compiled for the characters that occur in it."""
    changing = "".join(one for one in sorted(set(text)) if not one.isspace() and folded(one) != one)
    parts = [PIECES]
    if not unicodedata.is_normalized("NFC", text):
        parts.append(ACCENTED)
    if changing:
        parts.append(f"[{re.escape(changing)}]")
    return re.compile("|".join(parts), re.VERBOSE)


def _replacement(piece: re.Match[str]) -> str:
    if piece.lastgroup == "line_end":
        return BREAK
    if piece.lastgroup in {"gap", "dash"} and DASH.search(piece[0]):
        return " - "
    if piece.lastgroup == "gap":
        return " " if any(map(str.isspace, piece[0])) else ""
    return "".join(map(folded, unicodedata.normalize("NFC", piece[0])))
