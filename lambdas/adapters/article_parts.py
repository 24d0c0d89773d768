"""What belongs to a page's article by the page's own structure, where the extractor goes astray."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from lxml.etree import XPath
from lxml.html import HtmlElement
from trafilatura.xpaths import BODY_XPATH

FEWEST_PARAGRAPHS = 3
"""Beside a heading, from which they are an article and not its summary."""

SHORTEST_PARAGRAPH = 30

MOST_PARTS = 50

MOST_OF_IT = 0.7
"""Of the text in paragraphs."""

SHORTEST_ARTICLE = 140
"""Characters; of less nothing can be told."""

_BODY = re.compile(
    r"(?:article|story|post|entry|blog)[-_]{0,2}(?:body|content|text|copy)", re.IGNORECASE
)
_CANDIDATES = XPath(
    "//*[self::div or self::section]"
    "[@itemprop='articleBody' or contains(@class, 'ody') or contains(@class, 'ontent')"
    " or contains(@class, 'ext') or contains(@class, 'opy')]"
)
_PARAGRAPHS = XPath(f".//p[string-length(normalize-space(.)) >= {SHORTEST_PARAGRAPH}]")
_LENGTH = XPath("string-length(normalize-space(.))")
_ENDS = (".", "!", "?", "\u2026", "\u3002", '"', "\u201d", ")")


def join_parts(tree: HtmlElement) -> None:
    """An article that is cut up among containers of one name, by advertisements, is one again.

    The extractor takes the first of them. Parts are those inside the same article element, if any,
    each with paragraphs and none with a main heading of its own: that would be the next article.
    """
    for first, *others in _parts(tree):
        for other in others:
            first.extend(list(other))


def _parts(tree: HtmlElement) -> Iterator[list[HtmlElement]]:
    groups: defaultdict[tuple[str, HtmlElement | None], list[HtmlElement]] = defaultdict(list)
    for element in _CANDIDATES(tree):
        name = element.get("class") or element.get("itemprop") or ""
        if element.get("itemprop") == "articleBody" or _BODY.search(name):
            article = next(element.iterancestors("article"), None)
            groups[name, article].append(element)
    for group in groups.values():
        if 1 < len(group) <= MOST_PARTS and not _are_nested(group):
            parts = [part for part in group if len(_PARAGRAPHS(part)) > 1]
            if len(parts) > 1 and all(part.find(".//h1") is None for part in parts[1:]):
                yield parts


def _are_nested(group: list[HtmlElement]) -> bool:
    members = set(group)
    return any(above in members for each in group for above in each.iterancestors())


def name_article(tree: HtmlElement) -> None:
    """Where nothing on a page is called its article, the smallest container of most of its
    paragraphs is: without one the extractor picks up paragraphs, and lists and headings are lost.
    """
    if tree.find(".//article") is not None or any(found(tree) for found in BODY_XPATH):
        return
    held: defaultdict[HtmlElement, float] = defaultdict(float)
    for paragraph in tree.iter("p"):
        length = _LENGTH(paragraph)
        for holder in paragraph.iterancestors("div", "section"):
            held[holder] += length
    enough = MOST_OF_IT * sum(_LENGTH(paragraph) for paragraph in tree.iter("p"))
    holders = [holder for holder, length in held.items() if length >= enough > SHORTEST_ARTICLE]
    if holders:
        max(holders, key=_depth).tag = "article"


def _depth(element: HtmlElement) -> int:
    return sum(1 for _ in element.iterancestors())


def article_beside_heading(tree: HtmlElement) -> HtmlElement | None:
    """What holds the only main heading and the article's few paragraphs, where one paragraph
    elsewhere, a reader's comment, is longer than they are together: extractors take that.
    """
    headings = tree.findall(".//h1")
    holder = headings[0].getparent() if len(headings) == 1 else None
    if holder is None:
        return None
    beside = [p for p in holder.iterchildren("p") if _is_sentence(p)]
    if len(beside) < FEWEST_PARAGRAPHS:
        return None
    inside = set(_PARAGRAPHS(holder))
    elsewhere = [int(_LENGTH(p)) for p in _PARAGRAPHS(tree) if p not in inside]
    is_outshone = max(elsewhere, default=0) > sum(int(_LENGTH(p)) for p in inside)
    return holder if is_outshone and len(elsewhere) < len(beside) else None


def _is_sentence(paragraph: HtmlElement) -> bool:
    words = paragraph.text_content().strip()
    return len(words) >= SHORTEST_PARAGRAPH and words.endswith(_ENDS)
