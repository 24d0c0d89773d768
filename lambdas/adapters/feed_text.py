"""A feed that is read as a page: each entry a heading, its date, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml.etree import _Element, iterwalk
from lxml.html import HTMLParser, document_fromstring

from lambdas.agent.findings import Text
from lambdas.agent.plain_text import text_of_markdown

MOST_DEPTH = 250
"""The parser drops everything below a depth of 256 without a word."""

_BLOCKS = frozenset(
    {
        *("address", "article", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figcaption"),
        *("figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
        *("ol", "p", "pre", "section", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    }
)
_UNSHOWN = frozenset({"head", "noscript", "script", "style", "template", "title"})
_HIDDEN = re.compile(r"display:none|visibility:hidden|font-size:0(?!\.?0*[1-9])")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TAG = re.compile(r"<[^<>]*>")


def text_of_feed(
    title: str, entries: Iterable[tuple[str, str, str]], *, language: str, notes: tuple[str, ...]
) -> Text:
    """`entries` are title, day and content, as the feed has them; content may be HTML."""
    parts = [part for entry in entries for part in _entry(*entry)]
    text = text_of_markdown("\n\n".join(parts), title=_line(title), notes=notes)
    found = re.match(r"[a-z]{2,3}(?![a-z])", language.strip().lower())
    return replace(text, language=found[0]) if found else text


def _entry(title: str, day: str, content: str) -> Iterator[str]:
    yield f"## {_line(title) or day or 'Without a title'}"
    if day and title:
        yield day
    yield from _paragraphs(content)


def _paragraphs(content: str) -> Iterator[str]:
    if "<" not in content and "&" not in content:
        yield from filter(None, map(_line, content.split("\n\n")))
        return
    source = f"<html><body>{_NOT_XML.sub('', content)}</body></html>".encode()
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    tree = document_fromstring(source, parser=parser)
    if _depth(tree) >= MOST_DEPTH:
        yield _line(_TAG.sub(" ", content))
        return
    yield from filter(None, map(_line, "".join(_pieces(tree)).split("\0")))


def _pieces(tree: _Element) -> Iterator[str]:
    """What a reader sees, with a NUL wherever a block begins or ends."""
    walk = iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        edge = "\0" if element.tag in _BLOCKS else ""
        if event == "end":
            yield edge + (element.tail or "")
        elif _is_unseen(element):
            walk.skip_subtree()
        else:
            yield f"{edge}{'- ' if element.tag == 'li' else ''}{element.text or ''}"


def _is_unseen(element: _Element) -> bool:
    style = "".join((element.get("style") or "").split()).lower()
    is_hidden = element.get("hidden") is not None or element.get("aria-hidden") == "true"
    return element.tag in _UNSHOWN or is_hidden or bool(_HIDDEN.search(style))


def _depth(tree: _Element) -> int:
    depth = deepest = 0
    for event, _ in iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _line(text: str) -> str:
    return " ".join(text.split()).removesuffix("-").strip()
