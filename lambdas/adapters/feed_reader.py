"""Feeds: RSS, Atom and JSON Feed, however broken, as a list of pages or as a text of their own.

feedparser is given characters and no bytes, and never a DOCTYPE: it raises on some of both, and
what an entity would stand for is nothing that we want.
"""

from __future__ import annotations

import calendar
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import feedparser

from lambdas.agent.characters import Undecodable, characters
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.listing import Listed, Listing
from lambdas.agent.pages import Page

MOST_BYTES = 5_000_000
"""Of a feed: more takes longer to take apart than a lap has time."""

_ROOT = re.compile(r"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE | re.ASCII)
_HEAD = 100_000
"""Characters within which a feed begins: what comes before may be a long DOCTYPE."""
_JSON_FEED = "https://jsonfeed.org/version/1"
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:x([0-9a-f]+)|([0-9]+));?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """`link` is absolute, or empty; `content` is HTML, or plain text; `when` is epoch seconds."""

    title: str
    link: str
    when: float
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    title: str
    language: str
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


class FeedReader:
    """The port `Listings` for feeds, and the reader of a feed that is asked for as a page."""

    def listing(self, page: Page) -> Listing:
        entries = _feed(page).entries
        linked = [each for each in entries if each.link]
        pages = tuple(Listed(url=each.link, when=each.when) for each in linked)
        return Listing(pages=pages, unusable=len(entries) - len(linked))

    def read(self, page: Page) -> Text:
        from lambdas.adapters.feed_text import text_of_feed

        feed = _feed(page)
        if not feed.entries:
            raise _not_a_feed(page, "holds no entry", code="NO_TEXT")
        entries = ((each.title, _day(each.when), each.content) for each in feed.entries)
        return text_of_feed(feed.title, entries, language=feed.language, notes=feed.notes)


def _feed(page: Page) -> Feed:
    if len(page.body) > MOST_BYTES:
        raise _not_a_feed(page, f"is larger than {MOST_BYTES:,} bytes", code="TOO_LARGE")
    try:
        spelled = characters(page.body, page.content_type)
    except Undecodable as error:
        raise _not_a_feed(page, f"cannot be read: {error}", code="UNDECODABLE") from None
    text = spelled.text.lstrip("\ufeff \t\r\n")
    if text.startswith("{"):
        return replace(_json_feed(page, text), notes=spelled.notes)
    root = _ROOT.search(text, 0, _HEAD)
    if not root:
        raise _not_a_feed(page, "holds neither RSS nor Atom nor a JSON Feed")
    return replace(_xml_feed(page, _cleaned(text[root.start() :])), notes=spelled.notes)


def _xml_feed(page: Page, text: str) -> Feed:
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": page.url}
    try:
        parsed = feedparser.parse(
            io.BytesIO(text.encode()),
            response_headers=headers,
            resolve_relative_uris=False,
            sanitize_html=False,  # no HTML of it is shown to anybody
        )
        entries = tuple(_entry(each, page.url) for each in parsed["entries"])
        title, language = parsed["feed"].get("title", ""), parsed["feed"].get("language", "")
    except Exception as error:  # noqa: BLE001 - whatever a parser does with a stranger's feed
        raise _not_a_feed(page, f"cannot be taken apart ({type(error).__name__})") from None
    return Feed(title=str(title), language=str(language), entries=entries)


def _entry(told: Mapping[str, Any], base: str) -> Entry:
    plain = dict(told)  # feedparser's own answers for another name where one is missing
    moment = plain.get("published_parsed") or plain.get("updated_parsed")
    contents = [str(each.get("value", "")) for each in plain.get("content", ())]
    return Entry(
        title=str(plain.get("title", "")),
        link=_absolute(base, plain.get("link")),
        when=float(calendar.timegm(moment)) if moment else 0.0,
        content=max([str(plain.get("summary", "")), *contents], key=len),
    )


def _json_feed(page: Page, text: str) -> Feed:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_a_feed(page, "is JSON that is cut off or broken") from None
    if not str(told.get("version", "")).startswith(_JSON_FEED):
        raise _not_a_feed(page, "is JSON, but no JSON Feed")
    items = told.get("items")
    entries = (each for each in items if isinstance(each, dict)) if isinstance(items, list) else ()
    return Feed(
        title=str(told.get("title", "")),
        language=str(told.get("language", "")),
        entries=tuple(_item(each, page.url) for each in entries),
    )


def _item(told: Mapping[str, Any], base: str) -> Entry:
    contents = ("content_html", "content_text", "summary")
    return Entry(
        title=str(told.get("title") or ""),
        link=_absolute(base, told.get("url") or told.get("external_url")),
        when=_instant(told.get("date_published") or told.get("date_modified")),
        content=next((str(told[name]) for name in contents if told.get(name)), ""),
    )


def _absolute(base: str, link: Any) -> str:
    try:
        return urljoin(base, link.strip()) if isinstance(link, str) and link.strip() else ""
    except ValueError:
        return ""


def _instant(told: Any) -> float:
    try:
        moment = datetime.fromisoformat(str(told))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _day(when: float) -> str:
    try:
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d}" if when else ""
    except (ValueError, OverflowError):
        return ""


def _cleaned(text: str) -> str:
    """Without what XML has no place for: feedparser raises on a reference to no character."""
    return _REFERENCE.sub(_referred, _NO_CHARACTER.sub("", text))


def _referred(found: re.Match[str]) -> str:
    hexadecimal, decimal = found.groups()
    digits = (hexadecimal or decimal).lstrip("0")
    number = int(digits or "0", 16 if hexadecimal else 10) if len(digits) <= 8 else -1
    is_character = 0x20 <= number <= 0x10FFFF or number in {0x9, 0xA, 0xD}
    if is_character and not _NO_CHARACTER.match(chr(number)):
        return found[0]
    return "\N{REPLACEMENT CHARACTER}"


def _not_a_feed(page: Page, what: str, *, code: str = "NOT_A_FEED") -> SourceUnreadable:
    host = urlsplit(page.url).hostname or "the source"
    return SourceUnreadable(
        f"The feed at {page.url} {what}. Open it in a browser, and name the feed's own address, "
        "or read it as a page.",
        code=code,
        dependency=host,
    )
