"""The tree of a web page: whole, or refused with the reason. Its size is bounded before it is made.

Trafilatura's own loader is not used: a page made for the purpose keeps its repairs busy for hours.
The parser knows neither entities of a page's own nor other files, and is asked for no huge trees.
"""

from __future__ import annotations

import re

from lxml.etree import XPath, iterwalk
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from lambdas.agent.errors import SourceUnreadable

MOST_BYTES = 10_000_000
"""The parser drops a longer text or attribute, and what is behind it, without a word."""

MOST_TAGS = 600_000
"""Of the source, those in scripts among them: memory is taken by the tag, some 250 bytes each."""

MOST_ATTRIBUTES = 1000
"""Of one element: the parser compares each with all before it, so that 40,000 take seconds."""

MOST_ATTRIBUTES_IN_ALL = 300_000

MOST_EQUAL_SIGNS = 700_000
"""Of the source, as a bound of its attributes before any is made: some 250 bytes each."""

MOST_DEPTH = 250
"""The parser drops everything below a depth of 256 without a word."""

MOST_ELEMENTS = 60_000
"""A long article has 2,000. So many take trafilatura seconds, twice as many four times as long."""

MOST_TEXT = 3_000_000
"""Characters. A long book has a million; trafilatura holds its text a dozen times over."""

MOST_LINK_WORK = 60_000_000
"""Trafilatura compares a link with those beside it, and weighs it at every level above: seconds."""

FEW_LINKS = 2_000
"""So many are never too much work, wherever they stand."""

INLINE = ("b", "strong", "i", "em", "u", "font", "small", "big", "mark", "abbr", "cite", "ins")
"""Marks inside a sentence, which no reader of the text needs."""

_HEAD = 4096
"""Bytes within which a page's doctype and its root are looked for."""

_DOCTYPE = re.compile(rb"<!doctype[^<>]{0,1000}>", re.IGNORECASE)
_CLOSED_AT_ONCE = re.compile(rb"(<html\b[^<>]{0,1000})/>", re.IGNORECASE)
_EMBEDDED = re.compile(rb"data:([\w.+/-]{1,99}(?:;[\w=-]{1,99}){0,5};base64,)[\w+/=%]{1000,}+")
# What the parser takes for a character, on which the extractor would fail.
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r"))
_NO_CHARACTERS = ("\ufffe".encode(), "\uffff".encode())
_REFERENCES = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])(?!\d)"
    rb"|[xX]0*(?:[0-8bcefBCEF]|1[\da-fA-F]|[fF]{3}[efEF])(?![\da-fA-F]));?"
)
# A tag as HTML has it: `>` in quotes is part of it, quotes elsewhere are not.
_CROWDED = re.compile(
    rb"<[a-zA-Z][^\s/>]*+(?:[\s/]*+=?[^\s/>=]++"
    rb"(?:\s*+=\s*+(?:\"[^\"]*\"|'[^']*'|[^\s>\"'][^\s>]*+|))?+){%d}" % MOST_ATTRIBUTES
)
_ELEMENTS = XPath("count(//*)")
_ATTRIBUTES = XPath("count(//@*)")
_IS_DEEP = XPath(f"boolean(//*[count(ancestor::*) >= {MOST_DEPTH - 1}])")
_TEXT = XPath("string-length(/)")
_LINKS = XPath("count(//a)")


def tree_of(markup: str, host: str) -> HtmlElement:
    """SourceUnreadable where the page is too large or too deep to be read whole."""
    source = repaired(markup)
    if len(source) > MOST_BYTES:
        raise _too_much(host, "TOO_LARGE", f"is larger than {MOST_BYTES:,} bytes")
    if source.count(b"<") > MOST_TAGS:
        raise _too_much(host, "TOO_LARGE", f"has more than {MOST_TAGS:,} tags")
    if source.count(b"=") > MOST_EQUAL_SIGNS:
        raise _too_much(host, "TOO_LARGE", f"has more than {MOST_EQUAL_SIGNS:,} attributes")
    if _CROWDED.search(source):
        what = f"has an element with more than {MOST_ATTRIBUTES:,} attributes"
        raise _too_much(host, "TOO_LARGE", what)
    tree: HtmlElement = document_fromstring(source, parser=_parser())
    _check_shape(tree, host)
    return tree


def repaired(markup: str) -> bytes:
    """Some doctypes, `<html/>` and controls make the parser see a page without a body, and a
    picture embedded in a page one without an end.
    """
    source = markup.lstrip("\ufeff").encode("utf-8", "replace").translate(None, _CONTROLS)
    for mark in _NO_CHARACTERS:
        source = source.replace(mark, b"")
    source = _REFERENCES.sub(b"", _EMBEDDED.sub(rb"data:\1", source))
    start = _DOCTYPE.sub(b"", source[:_HEAD], count=1)
    start = _CLOSED_AT_ONCE.sub(rb"\1>", start, count=1)
    root = b"" if b"<html" in start.lower() else b"<html>"
    return root + start + source[_HEAD:]


def _parser() -> HTMLParser:
    return HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        no_network=True,
        huge_tree=False,
    )


def _check_shape(tree: HtmlElement, host: str) -> None:
    if _ELEMENTS(tree) > MOST_ELEMENTS:
        raise _too_much(host, "TOO_LARGE", f"has more than {MOST_ELEMENTS:,} elements")
    if _ATTRIBUTES(tree) > MOST_ATTRIBUTES_IN_ALL:
        raise _too_much(host, "TOO_LARGE", f"has more than {MOST_ATTRIBUTES_IN_ALL:,} attributes")
    if _IS_DEEP(tree):
        raise _too_much(host, "TOO_DEEP", f"is nested more than {MOST_DEPTH} elements deep")
    if _LINKS(tree) > FEW_LINKS and _link_work(tree) > MOST_LINK_WORK:
        raise _too_much(host, "TOO_LARGE", "is hardly more than thousands of links")


def check_text(tree: HtmlElement, host: str) -> None:
    """Of a tree whose scripts are out."""
    if _TEXT(tree) > MOST_TEXT:
        raise _too_much(host, "TOO_LARGE", f"holds more than {MOST_TEXT:,} characters of text")


def _link_work(tree: HtmlElement) -> int:
    work, links = 0, [0]  # links: so many directly in each open element
    for event, element in iterwalk(tree, events=("start", "end")):
        if element.tag in INLINE:
            continue
        if event == "end":
            work += links.pop() ** 2
            continue
        if element.tag == "a":
            work += 100 * len(links)
            links[-1] += 1
        links.append(0)
    return work


def _too_much(host: str, code: str, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"The page at {host} {what}: that is more than can be read. Name a smaller page.",
        code=code,
        dependency=host,
    )
