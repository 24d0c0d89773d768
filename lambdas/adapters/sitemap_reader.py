"""Sitemaps: XML or a list of lines, packed or not whatever they are called; and indexes of them.

The parser expands no entity and fetches nothing, and the tree is dropped as it is read.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from lxml.etree import LxmlError, _Element, iterparse

from lambdas.adapters.feed_reader import FeedReader
from lambdas.agent.characters import Undecodable, characters
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.listing import Listed, Listing
from lambdas.agent.pages import Page

MOST_UNPACKED = 52_428_800
"""Bytes; the protocol's own limit for one sitemap."""
CHUNK = 1_000_000

_GZIP = b"\x1f\x8b"
_HEAD = 4096
_LISTS = frozenset({"urlset", "sitemapindex"})
_FEEDS = frozenset({"rss", "feed", "rdf"})
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s>/]")
_PLAIN_XML = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<")
# Whoever defines entities is not asking for pages; some make the parser give up at the first line.
_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)
_YEAR_AND_MONTH = re.compile(r"\d{4}(-\d{2})?")


class SitemapReader:
    """The port `Listings` for sitemaps. A feed may serve as one, as the protocol allows."""

    def listing(self, page: Page) -> Listing:
        body = _unpacked(page)
        if not _is_xml(body):
            return _lines(page, body)
        root = _root(body)
        if root in _FEEDS:
            return FeedReader().listing(replace(page, body=body))
        if root not in _LISTS:
            what = "is a web page" if root == "html" else "holds neither a sitemap nor an index"
            raise _not_a_sitemap(page, what)
        return _xml(page, body)


def _unpacked(page: Page) -> bytes:
    """Packed is what begins like it: names and headers say otherwise as often as not."""
    if not page.body.startswith(_GZIP):
        return page.body
    unpacked = bytearray()
    try:
        for piece in _pieces(page):
            unpacked += piece
            if len(unpacked) > MOST_UNPACKED:
                what = f"unpacks to more than {MOST_UNPACKED:,} bytes"
                raise _not_a_sitemap(page, what, code="TOO_LARGE")
    except zlib.error:
        raise _not_a_sitemap(page, "is packed and cannot be unpacked") from None
    if unpacked.startswith(_GZIP):
        raise _not_a_sitemap(page, "is packed twice")
    return bytes(unpacked)


def _pieces(page: Page) -> Iterator[bytes]:
    """None is larger than CHUNK. A file may be several packed ones, one behind the other."""
    rest = page.body
    while rest.startswith(_GZIP):
        stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while piece := stream.decompress(rest, CHUNK):
            yield piece
            rest = stream.unconsumed_tail
        if not stream.eof:
            raise _not_a_sitemap(page, "is packed and was cut off on its way", code="TRUNCATED")
        rest = stream.unused_data


def _lines(page: Page, body: bytes) -> Listing:
    try:
        text = characters(body, page.content_type).text
    except Undecodable:
        raise _not_a_sitemap(page, "is neither XML nor a list of addresses") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    urls = [line for line in lines if line.lower().startswith(("http://", "https://"))]
    if lines and not urls:
        raise _not_a_sitemap(page, "is neither XML nor a list of addresses")
    return Listing(pages=tuple(Listed(url=url) for url in urls), unusable=len(lines) - len(urls))


def _xml(page: Page, body: bytes) -> Listing:
    pages: list[Listed] = []
    lists: list[Listed] = []
    unusable = 0
    if not body.replace(b"\0", b"").rstrip().endswith(b">"):
        raise _not_a_sitemap(page, "was cut off on its way", code="TRUNCATED")
    try:
        for element in _elements(_DOCTYPE.sub(b"", body, count=1)):
            name = _local(element)
            if name in {"url", "sitemap"}:
                listed = _listed(element, page.url)
                unusable += listed is None
                if listed:
                    (pages if name == "url" else lists).append(listed)
    except LxmlError as error:
        what = f"cannot be taken apart ({type(error).__name__})"
        raise _not_a_sitemap(page, what) from None
    return Listing(pages=tuple(pages), lists=tuple(lists), unusable=unusable)


def _elements(body: bytes) -> Iterator[_Element]:
    """Each entry once it is whole; what has been read is dropped."""
    walk = iterparse(
        io.BytesIO(body),
        events=("end",),
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    for _, element in walk:
        parent = element.getparent()
        if parent is not None and parent.getparent() is None:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del parent[0]


def _listed(element: _Element, base: str) -> Listed | None:
    """A picture or a film has a `loc` too, in a namespace of its own."""
    told = {_local(each): _text(each) for each in element if _space(each) == _space(element)}
    try:
        url = urljoin(base, told["loc"])
    except (KeyError, ValueError):
        return None
    return Listed(url=url, when=_instant(told.get("lastmod", ""))) if told["loc"] else None


def _instant(lastmod: str) -> float:
    """Of a W3C date: a year, a month, a day, or a time with its zone."""
    if _YEAR_AND_MONTH.fullmatch(lastmod):
        lastmod = f"{lastmod}-01-01"[:10]
    try:
        moment = datetime.fromisoformat(lastmod)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _is_xml(body: bytes) -> bool:
    """A byte order mark of UTF-16 is XML too: no list of lines begins with `<`."""
    return bool(_PLAIN_XML.match(body)) or b"<" in body[:4].replace(b"\0", b"")[:3]


def _root(body: bytes) -> str:
    head = body[:_HEAD].replace(b"\0", b"")
    head = re.sub(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^<>]*>", b"", head, flags=re.DOTALL)
    found = _ROOT.search(head)
    return found[1].decode("ascii", "replace").lower() if found else ""


def _local(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def _space(element: _Element) -> str:
    return str(element.tag).rpartition("}")[0] if isinstance(element.tag, str) else ""


def _text(element: _Element) -> str:
    return "".join((element.text or "").split())


def _not_a_sitemap(page: Page, what: str, *, code: str = "NOT_A_SITEMAP") -> SourceUnreadable:
    host = urlsplit(page.url).hostname or "the source"
    return SourceUnreadable(
        f"The sitemap at {page.url} {what}. See in the site's robots.txt where its sitemaps are, "
        "or name pages instead.",
        code=code,
        dependency=host,
    )
