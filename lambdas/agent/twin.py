"""A rewritten copy of a text that knows where each of its characters came from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Edit(NamedTuple):
    """Replace `[start, end)` of the original; edits come in order and do not overlap."""

    start: int
    end: int
    by: str


@dataclass(frozen=True, slots=True)
class Twin:
    """What came out, and for each edit where it begins and ends in the copy and the original."""

    text: str
    begins: list[int]
    ends: list[int]
    origin_begins: list[int]
    origin_ends: list[int]

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The original of `[start, end)`; None where an end lies inside a replacement."""
        left, right = self._left(start), self._right(end)
        return None if left is None or right is None else (left, right)

    def copy(self, at: int) -> int:
        """Where a place of the original lies in the copy."""
        edit = bisect_right(self.origin_begins, at) - 1
        if edit < 0:
            return at
        beyond = at - self.origin_ends[edit]
        return self.begins[edit] if beyond < 0 else self.ends[edit] + beyond

    def _left(self, at: int) -> int | None:
        edit = bisect_right(self.begins, at) - 1
        if edit < 0:
            return at
        if at == self.begins[edit] < self.ends[edit]:
            return self.origin_begins[edit]
        return self._behind(edit, at)

    def _right(self, at: int) -> int | None:
        edit = bisect_left(self.begins, at) - 1
        return at if edit < 0 else self._behind(edit, at)

    def _behind(self, edit: int, at: int) -> int | None:
        beyond = at - self.ends[edit]
        return None if beyond < 0 else self.origin_ends[edit] + beyond


def rewritten(text: str, edits: Iterable[Edit]) -> Twin:
    """The text with the edits made."""
    parts: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    origin_begins: list[int] = []
    origin_ends: list[int] = []
    done = length = 0
    for start, end, by in edits:
        parts += (text[done:start], by)
        length += start - done
        begins.append(length)
        length += len(by)
        ends.append(length)
        origin_begins.append(start)
        origin_ends.append(end)
        done = end
    parts.append(text[done:])
    return Twin("".join(parts), begins, ends, origin_begins, origin_ends)
