"""What a finding says, on one line: the passage's words, with the heading or columns they need."""

from __future__ import annotations

import re

from lambdas.agent.markup import plain
from lambdas.agent.passages import Passage
from lambdas.agent.typography import COLONS

LONGEST = 320
"""Code points of a claim."""

REFERS_BACK = re.compile(
    r"(?:it|its|they|their|this|that|these|those|he|she|here)\b", re.IGNORECASE
)


def claim(passage: Passage) -> str:
    """The passage as somebody would repeat it who cannot see the page."""
    said = _row(passage) if passage.kind == "table" else plain(passage.quote)
    subject = _subject(passage, said)
    return _shortened(f"{subject}: {said}" if subject else said)


def _row(passage: Passage) -> str:
    """Each cell behind its column's name."""
    row = [plain(cell) for cell in passage.cells]
    names = [plain(name) for name in passage.header] or [""] * len(row)
    if len(names) != len(row):
        return plain(passage.quote.replace("|", ", "))
    named = (f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=True))
    return "; ".join(one for one, cell in zip(named, row, strict=True) if cell)


def _subject(passage: Passage, said: str) -> str:
    """What stands above a list item, row or line, or above a sentence that points back."""
    if passage.kind in {"paragraph", "quote"} and not REFERS_BACK.match(said):
        return ""
    above = passage.lead if passage.lead.endswith(COLONS) else ""
    name = plain(above or next(reversed(passage.headings), "")).rstrip(":")
    return "" if name.casefold() in said.casefold() else name


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST else line[:LONGEST].rsplit(" ", 1)[0] + " …"
