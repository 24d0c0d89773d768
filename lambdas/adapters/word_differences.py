"""Two states of a passage, word by word: what both say, and what only one of them does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\s+|[\w.,\u0300-\u036f]*\w|[^\w\s]")
FEW = 3
"""Characters of what both say between two differences, up to which it is told with them."""


@dataclass(frozen=True, slots=True)
class Words:
    """A run of words, and whether the other state has them too."""

    text: str
    is_same: bool


def side_by_side(before: str, after: str) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
    """Both states in runs of words. Where one is empty, nothing of the other is told as different:
    all of it is.
    """
    if not before or not after:
        return _whole(before), _whole(after)
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    left, right = list[Words](), list[Words]()
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        left += _run("".join(old[i1:i2]), is_same=kind == "equal")
        right += _run("".join(new[j1:j2]), is_same=kind == "equal")
    return _joined(left), _joined(right)


def _whole(text: str) -> tuple[Words, ...]:
    return (Words(text, is_same=True),) if text else ()


def _run(text: str, *, is_same: bool) -> list[Words]:
    return [Words(text, is_same)] if text else []


def _joined(runs: list[Words]) -> tuple[Words, ...]:
    """A space or a comma between two differences belongs to them."""
    joined = list[Words]()
    for number, run in enumerate(runs):
        is_between = 0 < number < len(runs) - 1 and len(run.text.strip()) < FEW
        is_same = run.is_same and not is_between
        if joined and joined[-1].is_same == is_same:
            joined[-1] = Words(joined[-1].text + run.text, is_same)
        else:
            joined.append(Words(run.text, is_same))
    return tuple(joined)
