"""The tree of a web page, made fit for an extractor: whole, of bounded size, and only what shows.

Trafilatura's own loader is not used: a page made for the purpose keeps its repairs busy for hours.
"""

from __future__ import annotations

import re

from lxml.etree import iterwalk, strip_elements, strip_tags
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from lambdas.agent.errors import SourceUnreadable

MOST_BYTES = 10_000_000
"""The parser drops a longer text or attribute, and what is behind it, without a word."""

MOST_DEPTH = 250
"""The parser drops everything below a depth of 256 without a word."""

MOST_ELEMENTS = 60_000
"""A long article has 2,000. So many take trafilatura seconds, twice as many four times as long."""

MOST_CELLS = 50_000
"""Of one table, once trafilatura has filled its rows up to the widest."""

MOST_SPAN = 100
"""Rows or columns that trafilatura lets one cell take."""

MOST_LINK_WORK = 60_000_000
"""Trafilatura compares a link with those beside it, and weighs it at every level above: seconds."""

_INLINE = ("b", "strong", "i", "em", "u", "font", "small", "big", "mark", "abbr", "cite", "ins")
_UNSHOWN = ("script", "style", "noscript", "template")
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DOCTYPE = re.compile(r"\s*<!doctype[^<>]{0,1000}>", re.IGNORECASE)
_CLOSED_AT_ONCE = re.compile(r"(<html\b[^<>]{0,1000})/>", re.IGNORECASE)
_HIDDEN = re.compile(
    r"display:none|visibility:hidden|font-size:0(?!\.?0*[1-9])|(?:left|top|text-indent):-\d{3}"
)


def tree_of(markup: str, host: str) -> HtmlElement:
    """SourceUnreadable where the page is too large or too deep to be read whole."""
    source = _repaired(markup).encode()
    if len(source) > MOST_BYTES:
        raise _too_much(host, "TOO_LARGE", f"is larger than {MOST_BYTES:,} bytes")
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    tree: HtmlElement = document_fromstring(source, parser=parser)
    _check_shape(tree, host)
    strip_elements(tree, *_UNSHOWN, with_tail=False)
    _strip_inline(tree)
    _check_links(tree, host)
    _drop_hidden(tree)
    _unroll_vast_tables(tree)
    return tree


def _repaired(markup: str) -> str:
    """Some doctypes, `<html/>` and NUL make the parser see a page without a body."""
    markup = _DOCTYPE.sub("", markup.replace("\0", "").lstrip("\ufeff"), count=1)
    start = _CLOSED_AT_ONCE.sub(r"\1>", markup[:4096], count=1)
    return (
        f"<html>{start}{markup[4096:]}" if "<html" not in start.lower() else start + markup[4096:]
    )


def _check_shape(tree: HtmlElement, host: str) -> None:
    depth = deepest = elements = 0
    for event, _ in iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
        elements += event == "start"
    if deepest >= MOST_DEPTH:
        raise _too_much(host, "TOO_DEEP", f"is nested more than {MOST_DEPTH} elements deep")
    if elements > MOST_ELEMENTS:
        raise _too_much(host, "TOO_LARGE", f"has more than {MOST_ELEMENTS:,} elements")


def _strip_inline(tree: HtmlElement) -> None:
    """Marks inside a sentence; the pieces it leaves are joined, for searches through many crawl."""
    strip_tags(tree, *_INLINE)
    for element in tree.iter():
        element.text, element.tail = _joined(element.text), _joined(element.tail)


def _joined(text: str | None) -> str | None:
    """One piece of text, without controls, on which the extractor would fail."""
    return _NOT_XML.sub("", text) if text else None


def _check_links(tree: HtmlElement, host: str) -> None:
    work, links = 0, [0]  # links: so many directly in each open element
    for event, element in iterwalk(tree, events=("start", "end")):
        if event == "end":
            work += links.pop() ** 2
            continue
        if element.tag == "a":
            work += 100 * len(links)
            links[-1] += 1
        links.append(0)
    if work > MOST_LINK_WORK:
        raise _too_much(host, "TOO_LARGE", "is hardly more than thousands of links")


def _drop_hidden(tree: HtmlElement) -> None:
    """Take out what is styled away, unless it is most of the page: a script would show that."""
    most = _length(tree) / 2
    for element in list(tree.iterdescendants()):
        if _is_hidden(element) and _length(element) <= most:
            element.drop_tree()


def _is_hidden(element: HtmlElement) -> bool:
    style = "".join((element.get("style") or "").split()).lower()
    return element.get("hidden") is not None or bool(_HIDDEN.search(style))


def _length(element: HtmlElement) -> int:
    return sum(map(len, element.itertext()))


def _unroll_vast_tables(tree: HtmlElement) -> None:
    """A few spans can make millions of empty cells: such a table becomes a paragraph a row."""
    for table in list(tree.iter("table")):
        rows = list(table.iter("tr"))
        widest = max((sum(_span(cell, "colspan") for cell in row) for row in rows), default=0)
        tallest = max((_span(cell, "rowspan") for row in rows for cell in row), default=1)
        if len(rows) * widest * tallest > MOST_CELLS:
            _unroll(table)


def _unroll(table: HtmlElement) -> None:
    for element in list(table.iter("table", "tbody", "thead", "tfoot", "tr", "td", "th")):
        if element.tag in {"td", "th"}:
            element.tail = " "
            element.drop_tag()
        else:
            element.tag = "p" if element.tag == "tr" else "div"


def _span(cell: HtmlElement, name: str) -> int:
    value = cell.get(name, "1")
    return min(int(value[:3]), MOST_SPAN) if value.isdecimal() else 1


def _too_much(host: str, code: str, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"The page at {host} {what}: that is more than can be read. Name a smaller page.",
        code=code,
        dependency=host,
    )
