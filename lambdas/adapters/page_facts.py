"""What a web page says of itself: title, author, language, and its date with the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import XPath
from lxml.html import HtmlElement

from lambdas.adapters.linked_data import Statement, statements
from lambdas.agent.printed_dates import iso_date, spelled_dates

LONGEST_BYLINE = 160
"""Characters of an element that names author or date, and not an article about one."""

LONGEST_NAME = 80

_METAS = XPath("//meta[@content and (@property or @name or @itemprop or @http-equiv)]")
_LINKED_DATA = XPath("//script[contains(@type, 'ld+json')]/text()")
_MARKED_DATE = XPath("//*[@itemprop='datePublished']")
_TIMES = XPath("//time[@datetime and not(ancestor::footer or ancestor::aside or ancestor::nav)]")
_MARKED_AUTHOR = XPath("//*[@itemprop='author' or @rel='author']")
_BYLINES = XPath(
    "//*[@class][contains(@class, 'byline') or contains(@class, 'author')"
    " or contains(@class, 'date') or contains(@class, 'Date') or contains(@class, 'publish')"
    " or contains(@class, 'posted') or contains(@class, 'meta') or contains(@class, 'Byline')]"
    "[not(self::body or self::html or ancestor::footer or ancestor::aside)]"
)
_DATE_METAS = (
    *("article:published_time", "og:published_time", "datepublished", "article.published"),
    *("parsely-pub-date", "sailthru.date", "publishdate", "publish-date", "publish_date"),
    *("publication_date", "pubdate", "citation_publication_date", "citation_date"),
    *("dcterms.issued", "dcterms.created", "dc.date.issued", "dc.date", "dcterms.date", "date"),
)
_AUTHOR_METAS = ("author", "article:author", "parsely-author", "sailthru.author", "citation_author")
_AUTHOR_METAS_TOO = ("dc.creator", "dcterms.creator")
_BY = re.compile(r"\s*(?:written +|posted +|story +)?(?:by|von|par|por)\b:?\s+", re.IGNORECASE)
_NO_NAME = re.compile(r"https?:|www\.|@|[<>{}|]|\d{2}|\.(?:txt|html?)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    title: str = ""
    author: str = ""
    language: str = ""
    published: str = ""
    """ISO 8601 date."""
    published_by: str = ""
    """Where the page says so."""


def facts_of(tree: HtmlElement) -> Facts:
    """Of a tree that nothing was taken out of."""
    metas = _metas(tree)
    said = list(statements(_LINKED_DATA(tree)))
    published, published_by = next(_dates(tree, metas, said), ("", ""))
    return Facts(
        title=next(filter(None, map(str.strip, _titles(tree, metas))), ""),
        author=next(filter(None, map(_name, _authors(tree, metas, said))), ""),
        language=next(filter(None, map(_language, _languages(tree, metas))), ""),
        published=published,
        published_by=published_by,
    )


def _metas(tree: HtmlElement) -> dict[str, str]:
    """Each name's first content."""
    found: dict[str, str] = {}
    for meta in _METAS(tree):
        for key in ("property", "name", "itemprop", "http-equiv"):
            if name := meta.get(key):
                found.setdefault(name.lower(), meta.get("content").strip())
    return found


def _titles(tree: HtmlElement, metas: dict[str, str]) -> Iterator[str]:
    """What the page calls itself when it is shared, else its only main heading, else its title."""
    yield metas.get("og:title", "")
    headings = tree.findall(".//h1")
    if len(headings) == 1:
        yield " ".join(headings[0].itertext())
    for title in tree.iterfind(".//title"):
        yield title.text_content()


def _languages(tree: HtmlElement, metas: dict[str, str]) -> Iterator[str]:
    for name in ("lang", "xml:lang"):
        yield tree.get(name) or ""
    yield metas.get("og:locale", "")
    yield metas.get("content-language", "")


def _language(words: str) -> str:
    found = re.match(r"[a-z]{2,3}(?![a-z])", words.strip().lower())
    return found[0] if found else ""


def _dates(
    tree: HtmlElement, metas: dict[str, str], said: list[Statement]
) -> Iterator[tuple[str, str]]:
    """Each day that the page gives for itself, the surest evidence first; an address is none."""
    for statement in said:
        if day := iso_date(statement.published):
            yield day, "json-ld datePublished"
    for name in _DATE_METAS:
        if day := iso_date(metas.get(name, "")):
            yield day, f"meta {name}"
    for element in _MARKED_DATE(tree):
        if day := iso_date(element.get("datetime") or element.get("content") or ""):
            yield day, "itemprop datePublished"
    days = {iso_date(time.get("datetime")) for time in _TIMES(tree)} - {""}
    if len(days) == 1:
        yield days.pop(), "time datetime"
    for line in _bylines(tree):
        if day := next(spelled_dates(line), ""):
            yield day, "byline"


def _authors(tree: HtmlElement, metas: dict[str, str], said: list[Statement]) -> Iterator[str]:
    for statement in said:
        yield statement.author
    for name in (*_AUTHOR_METAS, *_AUTHOR_METAS_TOO):
        yield metas.get(name, "")
    for element in _MARKED_AUTHOR(tree):
        yield element.get("content") or _line(element)
    for line in _bylines(tree):
        if _BY.match(line) and not any(spelled_dates(line)):
            yield line


def _bylines(tree: HtmlElement) -> Iterator[str]:
    """The short lines that are named for what they hold; the first few, for menus have many."""
    for element in _BYLINES(tree)[:200]:
        line = _line(element)
        if line and len(line) <= LONGEST_BYLINE:
            yield line


def _line(element: HtmlElement) -> str:
    return " ".join(element.text_content()[: 4 * LONGEST_BYLINE].split())


def _name(words: str) -> str:
    """What can be somebody's name: an address, a sentence or a date cannot."""
    name = _BY.sub("", " ".join(words.split()), count=1).strip(" ,;|-")
    if not name or len(name) > LONGEST_NAME or _NO_NAME.search(name):
        return ""
    return name if any(map(str.isalpha, name)) else ""
