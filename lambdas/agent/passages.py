"""Cut a text into the passages that can be quoted: sentences, list items, table rows, code lines.

A passage never spans two blocks. It carries what stands around it, because "Pro | $29" says little
without the heading and the column names above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lambdas.agent.findings import Block, Text
from lambdas.agent.sentences import sentences, trimmed
from lambdas.agent.typography import COLONS, QUESTION_MARKS, UNSPACED

LONGEST = 480
"""Code points of a passage; what is longer is cut at a word's end."""

ITEM = re.compile(r"^([ \t]*+)(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
RULE = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|)*\s*:?-{2,}:?\s*\|?")
CELL_BORDER = re.compile(r"(?<!\\)\|")
LINE = re.compile(r"[^\n]+")
SPACE = re.compile(r"\s")
QUOTE_MARKS = re.compile(r"[>\s]*")
FENCE = ("```", "~~~")
LAST_WORD_END = re.compile(rf"\s\S*$|[{UNSPACED}](?=[^{UNSPACED}]{{0,40}}$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of the text, and what it stands under."""

    kind: str
    start: int
    end: int
    quote: str
    title: str = ""
    headings: tuple[str, ...] = ()
    """From the outermost to the nearest."""
    lead: str = ""
    """What introduces it: the sentence before, the question or the "such as:" above a list."""
    header: tuple[str, ...] = ()
    """The names of a table row's columns."""
    cells: tuple[str, ...] = ()
    """The cells of a table row, empty ones too."""


def passages(text: Text, start: int = 0) -> Iterator[Passage]:
    """The passages from an offset on, in reading order, each knowing the headings above it."""
    trail: dict[int, str] = {}
    before: Block | None = None
    for block in text.blocks:
        if block.kind == "heading":
            trail = _under(trail, text.text[block.start : block.end])
        elif block.end > start:
            lead = _introduction(text.text, before) if before else ""
            for passage in _cut(text.text, block, _around(text, block, trail, lead)):
                if passage.start >= start:
                    yield passage
        before = block


def _under(trail: dict[int, str], heading: str) -> dict[int, str]:
    """The headings above what follows, once this one has been read."""
    words = heading.strip().lstrip("#")
    level = len(heading.strip()) - len(words) or 6
    name = words.strip("# \t\n")[:LONGEST]
    return {above: kept for above, kept in trail.items() if above < level} | {level: name}


def _introduction(text: str, block: Block) -> str:
    """A paragraph's last sentence that asks or announces is the lead of the block behind it."""
    if block.kind != "paragraph":
        return ""
    *_, last = [(0, 0), *sentences(text, max(block.start, block.end - LONGEST), block.end)]
    words = text[slice(*last)]
    return words if words.endswith((*COLONS, *QUESTION_MARKS)) else ""


def _around(text: Text, block: Block, trail: dict[int, str], lead: str) -> Passage:
    """The passage of a whole block, from which its parts take what stands around them."""
    return Passage(
        kind=block.kind,
        start=block.start,
        end=block.end,
        quote=text.text[block.start : block.end],
        title=text.title,
        headings=tuple(trail.values()),
        lead=lead,
    )


def _cut(text: str, block: Block, around: Passage) -> Iterator[Passage]:
    if block.kind == "table":
        yield from _rows(text, block, around)
    elif block.kind == "list":
        yield from _items(text, block, around)
    elif block.kind == "code":
        yield from _lines(text, block, around)
    else:
        yield from _sentences(text, block.start, block.end, around)


def _sentences(text: str, start: int, end: int, around: Passage) -> Iterator[Passage]:
    for left, right in sentences(text, start, end):
        yield from _passages(text, left, right, around)
        around = replace(around, lead=text[max(left, right - LONGEST) : right])


def _lines(text: str, block: Block, around: Passage) -> Iterator[Passage]:
    for line in LINE.finditer(text, block.start, block.end):
        if not line[0].lstrip().startswith(FENCE):
            yield from _passages(text, *line.span(), around)


def _items(text: str, block: Block, around: Passage) -> Iterator[Passage]:
    """Each item by its sentences; the item it is nested in is its lead."""
    marks = list(ITEM.finditer(text, block.start, block.end))
    ends = [mark.start() for mark in marks] + [block.end]
    yield from _sentences(text, block.start, ends[0], around)
    parents: list[tuple[int, str]] = []
    for mark, end in zip(marks, ends[1:], strict=True):
        depth = len(mark[1].expandtabs(4))
        parents = [parent for parent in parents if parent[0] < depth]
        lead = parents[-1][1] if parents else around.lead
        yield from _sentences(text, mark.end(), end, replace(around, lead=lead))
        parents.append((depth, text[mark.end() : min(end, mark.end() + LONGEST)].strip()))


def _rows(text: str, block: Block, around: Passage) -> Iterator[Passage]:
    """Each row but those right above a rule, which name the columns or the table."""
    lines = list(LINE.finditer(text, block.start, block.end))
    for line, below in zip(lines, [*lines[1:], None], strict=False):
        if RULE.fullmatch(line[0].strip()):
            continue
        row = tuple(_cells(line[0]))
        if below is None or not RULE.fullmatch(below[0].strip()):
            left = line.start() + len(line[0]) - len(line[0].lstrip(" \t|"))
            right = line.start() + len(line[0].rstrip(" \t|"))
            yield from _passages(text, left, right, replace(around, cells=row))
        elif len(row) > 1 and not any(row[1:]):
            around = replace(around, lead=f"{row[0]}:")
        else:
            around = replace(around, header=row)


def _cells(row: str) -> list[str]:
    """The cells of a table row, with or without its outer bars."""
    row = row.strip()
    inner = row[row.startswith("|") : len(row) - (row.endswith("|") and len(row) > 1)]
    return [cell.strip() for cell in CELL_BORDER.split(inner)]


def _passages(text: str, start: int, end: int, around: Passage) -> Iterator[Passage]:
    """The passage, or the passages that an overlong one is cut into."""
    while end - start > LONGEST:
        cut = LAST_WORD_END.search(text, start, start + LONGEST)
        if cut is None:  # a blob, not a word: nobody could read it
            space = SPACE.search(text, start, end)
            start = space.end() if space else end
        else:
            stop = cut.start() + (not cut[0][0].isspace())
            yield from _passage(text, start, stop, around)
            start = max(stop, start + 1)
    yield from _passage(text, start, end, around)


def _passage(text: str, start: int, end: int, around: Passage) -> Iterator[Passage]:
    marks = QUOTE_MARKS.match(text, start, end) if around.kind == "quote" else None
    for left, right in trimmed(text, marks.end() if marks else start, end):
        if any(map(str.isalnum, text[left:right])):
            yield replace(around, start=left, end=right, quote=text[left:right])
