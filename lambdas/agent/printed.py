"""Lines as they stand on printed pages become the paragraphs that people read in them.

A PDF knows letters and places, no paragraphs. The place and the size of its lines tell where one
ends; where nobody knows them, the lengths of the lines do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from lambdas.agent.typography import UNSPACED

FEWEST_REPEATS = 3
"""Pages on which the same first or last line is a running head."""
LONGEST_HEADING = 200
"""Characters; a whole paragraph in large letters is still a paragraph."""
USUAL_LEADING = 1.2
"""From one line to the next, in sizes, where a document has no two lines that tell."""
LONGEST_WORD = 80
"""Characters at a line's end that are looked at, however long it is."""

_ITEM = re.compile(r"\s*(?:[\u2022\u25aa\u25cf\u2023*]|[-\u2013] |\(?(?:\d{1,3}|[a-z])[.)] )\s*\S")
_SENTENCE_END = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)\]]*$")
_PAGE_NUMBER = re.compile(r"\W*(?:#+|[ivxlc]+)(?:\W+#+)?\W*")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\u2010]$")
_HYPHENATED = re.compile(r"(?<=\w)[-\u2010]$")
_BEGINNING = re.compile(r"[^\W\d_]+")
_BETWEEN_UNSPACED = re.compile(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Line:
    """`size` is that of its letters, `y` grows upwards; no size: nobody knows its place."""

    text: str
    x: float = 0
    y: float = 0
    size: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Habits:
    """How a document is set."""

    size: float
    """Of the letters of most of its text."""
    leading: float
    """From one line down to the next, in sizes."""
    width: float
    """Characters of a full line."""
    words: frozenset[str]


def markdown_of(pages: Sequence[Sequence[Line]]) -> str:
    """Headings and paragraphs apart by an empty line; none goes on over the end of its page."""
    pages = [list(page) for page in _without_running_heads(pages)]
    habits = _habits(pages)
    paragraphs = (_written(group, habits) for page in pages for group in _paragraphs(page, habits))
    return "\n\n".join(filter(None, paragraphs))


def _without_running_heads(pages: Sequence[Sequence[Line]]) -> Iterator[Sequence[Line]]:
    """Page numbers go; a head that runs through the document stays where it stands first."""
    edges = Counter(key for page in pages for key in {_key(line) for line in _edges(page)})
    seen: set[str] = set()
    for page in pages:
        dropped = [line for line in _edges(page) if _runs(_key(line), edges, seen)]
        seen |= {_key(line) for line in _edges(page)}
        yield [line for line in page if not any(line is each for each in dropped)]


def _edges(page: Sequence[Line]) -> Sequence[Line]:
    return [page[0], page[-1]] if page else []


def _key(line: Line) -> str:
    return _DIGITS.sub("#", line.text.strip())


def _runs(key: str, edges: Counter[str], seen: set[str]) -> bool:
    if edges[key] >= FEWEST_REPEATS and key in seen:
        return True
    return len(key) < 12 and _PAGE_NUMBER.fullmatch(key) is not None


def _habits(pages: Sequence[Sequence[Line]]) -> _Habits:
    lines = [line for page in pages for line in page]
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    lengths = sorted(len(line.text) for line in lines) or [0]
    steps = [step for page in pages for step in _steps(page)]
    return _Habits(
        size=sizes.most_common(1)[0][0] if sizes else 0,
        leading=median(steps) if steps else USUAL_LEADING,
        width=lengths[len(lengths) * 3 // 4],
        words=frozenset(_words(pages)),
    )


def _steps(page: Sequence[Line]) -> Iterator[float]:
    for before, line in pairwise(page):
        if before.size and line.size == before.size and 0 < before.y - line.y < 3 * line.size:
            yield (before.y - line.y) / line.size


def _words(pages: Iterable[Sequence[Line]]) -> Iterator[str]:
    """The words of a document, without the halves of those that a line's end has broken."""
    for page in pages:
        is_broken = False
        for line in page:
            broken = _BROKEN.search(line.text.rstrip()[-LONGEST_WORD:])
            found = _WORD.findall(line.text)
            for word in found[is_broken : -1 if broken else None]:
                yield word.casefold()
            is_broken = broken is not None


def _paragraphs(page: Sequence[Line], habits: _Habits) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in page:
        if group and _begins(line, group[-1], habits):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _begins(line: Line, before: Line, habits: _Habits) -> bool:
    """Whether a paragraph begins here."""
    if _ITEM.match(line.text):
        return True
    ends = _SENTENCE_END.search(before.text.rstrip()) is not None
    if not (line.size and before.size):
        return _looks_over(line, before, habits, ends=ends)
    if abs(line.size - before.size) > 0.15 * before.size:
        return True
    step = (before.y - line.y) / line.size
    if step < -0.5:  # up again: the next column, where a sentence may go on
        return ends or not line.text.lstrip()[:1].islower()
    if step > 1.25 * habits.leading:
        return True
    is_indented = line.x - before.x > 0.8 * line.size
    return (ends and is_indented) or _looks_over(line, before, habits, ends=ends)


def _looks_over(line: Line, before: Line, habits: _Habits, *, ends: bool) -> bool:
    """A sentence that ends well before the margin ends its paragraph too."""
    is_short = len(before.text) < 0.75 * habits.width
    return ends and is_short and not line.text.lstrip()[:1].islower()


def _written(lines: Sequence[Line], habits: _Habits) -> str:
    is_item = _ITEM.match(lines[0].text) is not None
    parts = [lines[0].text.strip()]
    for before, line in pairwise(lines):
        is_row = not is_item and len(before.text) < 0.6 * habits.width
        kept, gap = _seam(parts[-1], line.text.strip(), habits.words)
        parts[-1] = kept
        parts += [("\n" if is_row else " ") if gap else "", line.text.strip()]
    return _headed("".join(parts), lines[0].size, habits.size)


def _headed(text: str, size: float, usual: float) -> str:
    if not usual or size < 1.15 * usual or len(text) > LONGEST_HEADING:
        return text
    return f"{'#' if size >= 1.6 * usual else '##'} {' '.join(text.split())}"


def _seam(end: str, start: str, words: frozenset[str]) -> tuple[str, bool]:
    """What is kept of a line's end, and whether there is a gap between it and the next line."""
    if end.endswith("\u00ad"):  # it says itself that the word goes on
        return end, False
    if _HYPHENATED.search(end[-2:]):
        return (end if _is_compound(end, start, words) else end[:-1]), False
    ends = _BETWEEN_UNSPACED.match(end[-1:]) and _BETWEEN_UNSPACED.match(start[:1])
    return end, not ends


def _is_compound(end: str, start: str, words: frozenset[str]) -> bool:
    """A hyphen at a line's end belongs to the word or only to the line: the document's other
    words tell which, and where they do not, most are the line's.
    """
    broken, beginning = _BROKEN.search(end[-LONGEST_WORD:]), _BEGINNING.match(start)
    if not broken or not beginning or not beginning[0].islower() or "-" in broken[1]:
        return True
    left, right = broken[1].casefold(), beginning[0].casefold()
    if left + right in words:
        return False
    return f"{left}-{right}" in words or {left, right} <= words
