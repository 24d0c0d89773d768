"""Tables of a page, made such that the extractor keeps what stands in them.

It loses lists and sections in cells, takes a page that is laid out by a table for a table, and
fills rows up to the widest, cell by cell.
"""

from __future__ import annotations

from lxml.etree import XPath, strip_tags
from lxml.html import HtmlElement

MOST_CELLS = 50_000
"""Of one table, once trafilatura has filled its rows up to the widest."""

MOST_SPAN = 100
"""Rows or columns that trafilatura lets one cell take."""

_CELLS = ("td", "th", "caption")
_PARTS = ("tbody", "thead", "tfoot", "tr", "colgroup", "col", *_CELLS)
_BLOCKS = ("p", "div", "ul", "ol", "dl", "li", "dt", "dd", "section", "article", "blockquote")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ANY_BLOCK = " or ".join(f"self::{tag}" for tag in (*_BLOCKS, "table", "pre", *_HEADINGS))
_HOLDS_BLOCKS = XPath(f"boolean(.//*[{_ANY_BLOCK}])")
_WRAPPER = "ratchet-wrapper"
_ENDS = (".", ",", ";", ":", "!", "?")


def mend_tables(tree: HtmlElement) -> None:
    """In place."""
    for table in list(tree.iter("table")):
        rows = list(table.iter("tr"))
        if len(rows) < 2 or max(len(row) for row in rows) < 2 or table.find(".//h1") is not None:
            _lay_out(table)
        elif _filled_up(rows) > MOST_CELLS:
            _unroll(table)
        elif table.find(".//table") is None:
            _mend_cells(table)


def _lay_out(table: HtmlElement) -> None:
    """What a table lays out stands for itself. Tables inside it are looked at on their own."""
    own = [e for e in table.iter(*_PARTS) if next(e.iterancestors("table"), None) is table]
    for element in (table, *own):
        is_paragraph = element.tag in _CELLS and not _HOLDS_BLOCKS(element)
        element.tag = "p" if is_paragraph else "div"


def _filled_up(rows: list[HtmlElement]) -> int:
    widest = max(sum(_span(cell, "colspan") for cell in row) for row in rows)
    tallest = max((_span(cell, "rowspan") for row in rows for cell in row), default=1)
    return len(rows) * widest * tallest


def _unroll(table: HtmlElement) -> None:
    """A few spans can make millions of empty cells: such a table becomes a paragraph a row."""
    for element in list(table.iter("table", "tbody", "thead", "tfoot", "tr", "td", "th")):
        if element.tag in {"td", "th"}:
            element.tail = " "
            element.drop_tag()
        else:
            element.tag = "p" if element.tag == "tr" else "div"


def _mend_cells(table: HtmlElement) -> None:
    """Cells hold paragraphs and nothing around them, so that a row stays a row."""
    for cell in table.iter(*_CELLS):
        for each in cell.iterdescendants("ul", "ol", "dl"):
            items = [item for item in each if item.tag in {"li", "dd"}]
            for item in items[:-1]:
                _close(item)
        for block in list(cell.iterdescendants(*_BLOCKS)):
            block.tag = _WRAPPER if _HOLDS_BLOCKS(block) else "p"
    strip_tags(table, _WRAPPER)


def _close(item: HtmlElement) -> None:
    """A semicolon behind the last words, where they end without a mark of their own."""
    if not item.text_content().strip() or item.text_content().rstrip().endswith(_ENDS):
        return
    while len(item) and not (item[-1].tail or "").strip():
        item[-1].tail = None
        item = item[-1]
    if len(item):
        item[-1].tail = f"{item[-1].tail.rstrip()};"
    else:
        item.text = f"{(item.text or '').rstrip()};"


def _span(cell: HtmlElement, name: str) -> int:
    value = cell.get(name, "1")
    return min(int(value[:3]), MOST_SPAN) if value.isdecimal() else 1
