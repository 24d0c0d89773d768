"""Which passages of two texts differ, however they are set or moved about.

A passage is a paragraph, a heading, or a line of a list, a table or code. Typography, Markdown and
white space do not count, nor does the order: what was only moved has not changed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lambdas.agent.changes import Passage
from lambdas.agent.findings import Block, Finding, Text
from lambdas.agent.folding import fold, visible
from lambdas.agent.grounding import Grounds

MOST_PASSAGES = 12
"""Of one source that a report shows."""
LONGEST = 600
"""Characters of a passage that are shown, from a little before the first difference."""
BEFORE = 80
"""Characters that are shown before it."""
ALIKE = 0.3
"""The part of their words that two passages share at least, to be two states of one."""

_BY_LINES = frozenset({"list", "table", "code"})
_MARK = re.compile(r"\A\s*(?:#{1,6}\s+|[-*+\u2022]\s+|\d{1,3}[.)]\s+|\|\s*)|\s*\|?\s*\Z")
"""Of a heading, an entry of a list, a row of a table. Where an entry stands does not count."""
_MARKED = frozenset({"heading", "list", "table"})


@dataclass(frozen=True, slots=True)
class _Piece:
    key: str
    shown: str
    start: int
    end: int


class Differences:
    """Two texts, before and after."""

    def __init__(self, before: Text, after: Text) -> None:
        self._before, self._after = before, after
        old, new = tuple(_pieces(before)), tuple(_pieces(after))
        both = Counter(piece.key for piece in old) & Counter(piece.key for piece in new)
        self._removed, self._added = _Lone(old, both), _Lone(new, both)

    def __bool__(self) -> bool:
        return bool(self._removed.pieces or self._added.pieces)

    def passages(self) -> tuple[tuple[Passage, ...], int]:
        """Those a report shows, in the order of the text after, and how many more there are."""
        every = [
            _shown(old.shown if old else "", new.shown if new else "") for old, new in self._pairs()
        ]
        return tuple(every[:MOST_PASSAGES]), max(0, len(every) - MOST_PASSAGES)

    def fresh(self, findings: Sequence[Finding]) -> tuple[int, ...]:
        """The places of those whose words the text before does not hold."""
        return tuple(_lost(findings, self._added, self._before))

    def gone(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Those of the text before whose words the text after does not hold."""
        return tuple(findings[at] for at in _lost(findings, self._removed, self._after))

    def _pairs(self) -> Iterator[tuple[_Piece | None, _Piece | None]]:
        """Two states of one passage lie behind the same passage that has stayed."""
        places = {key: number for number, key in enumerate(self._added.anchors)}
        anchors = {*self._removed.behind, *self._added.behind}
        for anchor in sorted(anchors, key=lambda key: places.get(key, -1)):
            yield from _paired(self._removed.behind[anchor], self._added.behind[anchor])


class _Lone:
    """The pieces of a text that the other does not have; each behind the last that both have."""

    def __init__(self, pieces: Sequence[_Piece], both: Counter[str]) -> None:
        left, anchor = both.copy(), ("", 0)
        self.anchors = [anchor]
        self.pieces: list[_Piece] = []
        self.behind = defaultdict[tuple[str, int], list[_Piece]](list)
        for piece in pieces:
            if left[piece.key] > 0:
                left[piece.key] -= 1
                anchor = (piece.key, left[piece.key])
                self.anchors.append(anchor)
            else:
                self.pieces.append(piece)
                self.behind[anchor].append(piece)

    def touches(self, start: int, end: int) -> bool:
        return any(piece.start < end and start < piece.end for piece in self.pieces)


def _lost(findings: Sequence[Finding], lone: _Lone, other: Text) -> Iterator[int]:
    """A finding is where it was when its passages are; else its words are looked for."""
    grounds = Grounds(other.text)
    for place, finding in enumerate(findings):
        if lone.touches(finding.start, finding.end) and not grounds.locate(finding.quote):
            yield place


def _pieces(text: Text) -> Iterator[_Piece]:
    for block in text.blocks:
        for start, end in _spans(text.text, block):
            shown = _plain(text.text[start:end], block.kind)
            if any(map(str.isalnum, shown)):
                yield _Piece(fold(visible(shown)).text, shown, start, end)


def _spans(text: str, block: Block) -> Iterator[tuple[int, int]]:
    if block.kind not in _BY_LINES:
        yield block.start, block.end
        return
    start = block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _paired(
    old: Sequence[_Piece], new: Sequence[_Piece]
) -> Iterator[tuple[_Piece | None, _Piece | None]]:
    left = list(old)
    for piece in new:
        alike = max(left, key=lambda one: _likeness(one.key, piece.key), default=None)
        if alike is not None and _likeness(alike.key, piece.key) >= ALIKE:
            left.remove(alike)
            yield alike, piece
        else:
            yield None, piece
    yield from ((piece, None) for piece in left)


def _likeness(one: str, other: str) -> float:
    """The part of all their words that both have. A text without spaces is taken by characters."""
    some, more = (set(text.split() if " " in text else text) for text in (one, other))
    return len(some & more) / len(some | more)


def _plain(markdown: str, kind: str) -> str:
    words = _MARK.sub("", markdown) if kind in _MARKED else markdown
    return " ".join(visible(words).text.split())


def _shown(before: str, after: str) -> Passage:
    if max(len(before), len(after)) <= LONGEST:
        return Passage(before=before, after=after)
    same = _same_words(before, after) if before and after else 0
    start = max(0, before.rfind(" ", 0, max(0, same - BEFORE)) + 1) if same > BEFORE else 0
    return Passage(before=_cut(before, start), after=_cut(after, start))


def _same_words(before: str, after: str) -> int:
    """Characters in which the two begin alike."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(before), len(after)))


def _cut(text: str, start: int) -> str:
    end = start + LONGEST
    return f"{'… ' if start else ''}{text[start:end]}{' …' if len(text) > end else ''}"
