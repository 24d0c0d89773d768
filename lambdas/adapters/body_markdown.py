"""Markdown of the tree that trafilatura makes of a page's main text.

Its own Markdown escapes and marks words inside sentences. Ours keeps only the structure of blocks,
so that a sentence of the page stands in the text as people read it, and can be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from lxml.etree import _Element

_SPACE = re.compile(r"[ \t\r\n\f]+")
_LEVEL = re.compile(r"h([1-6])")
_BACKTICKS = re.compile(r"`{3,}")
_HOLDERS = frozenset({"body", "div", "article", "section", "main"})
_BLOCKS = _HOLDERS | {"p", "head", "list", "item", "table", "row", "cell", "quote", "code"}


def markdown_of(body: _Element) -> str:
    return "\n\n".join(_blocks(body))


def _blocks(element: _Element) -> Iterator[str]:
    """The blocks inside an element; text that stands loose between them is a paragraph."""
    loose = _spaced(element.text)
    for child in element:
        if child.tag in _BLOCKS and not _is_inline_code(child, loose):
            yield from _paragraph(loose)
            yield from _block(child)
            loose = _spaced(child.tail)
        else:
            loose += _inline(child) + _spaced(child.tail)
    yield from _paragraph(loose)


def _block(element: _Element) -> Iterator[str]:
    match element.tag:
        case "head":
            yield from _heading(element)
        case "list":
            yield "\n".join(_items(element, ""))
        case "table":
            yield from _table(element)
        case "quote":
            inside = "\n\n".join(_blocks(element))
            yield "\n".join(f"> {line}".rstrip() for line in inside.split("\n")) if inside else ""
        case "code":
            yield from _code(element)
        case _:
            yield from _blocks(element)


def _paragraph(text: str) -> Iterator[str]:
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    if paragraph := "\n".join(lines).strip("\n"):
        yield paragraph


def _heading(element: _Element) -> Iterator[str]:
    level = _LEVEL.fullmatch(element.get("rend") or "")
    if words := _line(element):
        yield f"{'#' * int(level[1] if level else 2)} {words}"


def _items(element: _Element, indent: str) -> Iterator[str]:
    for number, item in enumerate(element.iterchildren("item"), 1):
        marker = f"{number}. " if element.get("rend") == "ol" else "- "
        nested = list(item.iterchildren("list"))
        if words := _line(item, without=nested):
            yield f"{indent}{marker}{words}"
        for inner in nested:
            yield from _items(inner, indent + " " * len(marker))


def _table(element: _Element) -> Iterator[str]:
    """A table of one row or one column is layout: what is in it stands for itself."""
    rows = [list(row.iterchildren("cell")) for row in element.iter("row")]
    texts = [[_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    columns = [column for column in zip_longest(*texts, fillvalue="") if any(column)]
    lines = [line for line in zip(*columns, strict=True) if any(line)]
    if len(lines) < 2 or len(columns) < 2:
        for cell in (cell for row in rows for cell in row):
            yield from _blocks(cell)
    else:
        names, *body = (f"| {' | '.join(line)} |" for line in lines)
        yield "\n".join([names, "|---" * len(columns) + "|", *body])


def _code(element: _Element) -> Iterator[str]:
    text = "".join(_verbatim(element)).strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    if text.strip():
        yield f"{fence}\n{text}\n{fence}"


def _verbatim(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield "\n" if child.tag == "lb" else ""
        yield from _verbatim(child)
        yield child.tail or ""


def _is_inline_code(element: _Element, before: str) -> bool:
    """Code of one line with words before or behind it is part of their sentence."""
    if element.tag != "code" or "\n" in "".join(_verbatim(element)).strip():
        return False
    parent = element.getparent()
    is_held = parent is not None and parent.tag in _HOLDERS
    return not is_held or bool(before.strip() or (element.tail or "").strip())


def _line(element: _Element, without: list[_Element] | None = None) -> str:
    """Everything inside as one line."""
    return _SPACE.sub(" ", _inline(element, without or [])).strip()


def _inline(element: _Element, without: list[_Element] | None = None) -> str:
    """The words inside an element as they flow; a line break is the only newline."""
    if element.tag == "lb":
        return "\n"
    parts = [_spaced(element.text)]
    for child in element:
        if child not in (without or []):
            gap = " " if child.tag in _BLOCKS and child.tag != "code" else ""
            parts += [gap, _inline(child), gap]
        parts.append(_spaced(child.tail))
    return "".join(parts)


def _spaced(text: str | None) -> str:
    """Newlines in a page's source are spaces."""
    return _SPACE.sub(" ", text or "")
