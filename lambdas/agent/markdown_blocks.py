"""Markdown as a text and its blocks: what stands where, in code points.

Only as much of Markdown as one needs to quote from it: which lines belong together, and what they
are. Every line that holds a letter or a digit is in exactly one block.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lambdas.agent.findings import Block

_NEWLINE = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
# Controls, halves of surrogate pairs, what is no character, and the tag characters, in which
# orders to a model are hidden from people.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
_BLANKS = re.compile(r"\n{3,}")

_RULE = re.compile(r" {0,3}([-*_=])(?: *\1){2,}")
_HEADING = re.compile(r" {0,3}#{1,6}(?: |$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`~]*)")
_BULLET = re.compile(r" *[-*+\u2022] +\S")
_NUMBERED = re.compile(r" *\d{1,3}[.)] +\S")
_FIRST_NUMBERED = re.compile(r" *1[.)] +\S")
_DELIMITERS = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text or self.text.isspace()

    @property
    def is_indented(self) -> bool:
        return self.text.startswith("  ")


def normalised(raw: str) -> str:
    """NFC with plain newlines, no invisible controls, no space at line ends, no blank lines twice.

    Doing it again changes nothing.
    """
    text = _UNSEEN.sub("", _NEWLINE.sub("\n", raw).replace("\t", "    "))
    lines = unicodedata.normalize("NFC", text).split("\n")
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")


def blocks(text: str) -> tuple[Block, ...]:
    """Headings, paragraphs, lists, tables, code and quotes in reading order, apart by a newline."""
    return tuple(_blocks(list(_lines(text))))


def _blocks(lines: Sequence[_Line]) -> Iterator[Block]:
    closings = _closings(lines)
    at = 0
    while at < len(lines):
        kind, after = _block(lines, at, closings)
        if kind:
            yield Block(kind=kind, start=lines[at].start, end=lines[after - 1].end)
        at = after


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(line, start)
        start += len(line) + 1


def _block(
    lines: Sequence[_Line], at: int, closings: Mapping[str, Sequence[int]]
) -> tuple[str, int]:
    """What begins at this line, and the line behind its last. No kind: nothing to quote."""
    text = lines[at].text
    if lines[at].is_blank or _RULE.fullmatch(text):
        return "", at + 1
    if closing := _closing(text, at, closings):
        return "code", closing + 1
    if _HEADING.match(text):
        return "heading", at + 1
    return _longer_block(lines, at)


def _longer_block(lines: Sequence[_Line], at: int) -> tuple[str, int]:
    text = lines[at].text
    if _is_table(lines, at):
        return "table", _table_end(lines, at)
    if text.lstrip().startswith(">"):
        return "quote", _quote_end(lines, at)
    if _is_item(text):
        return "list", _list_end(lines, at)
    return "paragraph", _paragraph_end(lines, at)


def _closings(lines: Sequence[_Line]) -> Mapping[str, Sequence[int]]:
    """The lines that can close a fence, by its marks; looked up, so that no text takes long."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        fence = _FENCE.fullmatch(line.text)
        if fence and not fence[2].strip():
            found[fence[1]].append(at)
    return found


def _closing(text: str, at: int, closings: Mapping[str, Sequence[int]]) -> int | None:
    """A fence without its closing line opens nothing: the rest of a text is not code for it."""
    fence = _FENCE.fullmatch(text)
    if fence is None:
        return None
    candidates = closings.get(fence[1], ())
    behind = bisect_right(candidates, at)
    return candidates[behind] if behind < len(candidates) else None


def _is_table(lines: Sequence[_Line], at: int) -> bool:
    text = lines[at].text
    if text.lstrip().startswith("|"):
        return True
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    return "|" in text and _DELIMITERS.fullmatch(following.strip()) is not None


def _table_end(lines: Sequence[_Line], at: int) -> int:
    at += 1
    while at < len(lines) and "|" in lines[at].text:
        at += 1
    return at


def _quote_end(lines: Sequence[_Line], at: int) -> int:
    at += 1
    while at < len(lines) and lines[at].text.lstrip().startswith(">"):
        at += 1
    return at


def _is_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBERED.match(text))


def _list_end(lines: Sequence[_Line], at: int) -> int:
    """Items and what is indented under them; blank lines between them do not end the list."""
    end = at + 1
    for here in range(at + 1, len(lines)):
        line = lines[here]
        if line.is_blank:
            continue
        is_ours = _is_item(line.text) or line.is_indented
        if _RULE.fullmatch(line.text) or not (is_ours or _goes_on(lines, here, end)):
            break
        end = here + 1
    return end


def _goes_on(lines: Sequence[_Line], at: int, end: int) -> bool:
    """Whether a plain line directly under an item is the rest of its sentence."""
    return at == end and not _interrupts(lines, at)


def _paragraph_end(lines: Sequence[_Line], at: int) -> int:
    at += 1
    while at < len(lines) and not lines[at].is_blank and not _interrupts(lines, at):
        at += 1
    return at


def _interrupts(lines: Sequence[_Line], at: int) -> bool:
    """Whether a block of another kind begins here, without a blank line before it."""
    text = lines[at].text
    return bool(
        _RULE.fullmatch(text)
        or _HEADING.match(text)
        or _FENCE.fullmatch(text)
        or text.lstrip().startswith((">", "|"))
        or _BULLET.match(text)
        or _FIRST_NUMBERED.match(text)
    )
