"""What kind of document the bytes of a page are.

Servers mislabel it, so the bytes decide where they can, and the Content-Type is the hint.
"""

from __future__ import annotations

import codecs
import re
import zlib
from enum import StrEnum

from lambdas.agent.characters import Undecodable, characters

HEAD = 4096
"""Bytes at the beginning that tell what a page is."""


class Kind(StrEnum):
    HTML = "web page"
    TEXT = "text"
    JSON = "JSON document"
    FEED = "feed"
    SITEMAP = "sitemap"
    PDF = "PDF"
    IMAGE = "image"
    MEDIA = "recording of sound or pictures"
    ARCHIVE = "archive"
    OFFICE = "office document"
    DATA = "data file"
    BINARY = "binary file"


def kind_of(body: bytes, content_type: str) -> Kind:
    head, hint = body[:HEAD], content_type.strip().lower()
    if _is_pdf(head, hint):
        return Kind.PDF
    if kind := _by_magic(head):
        return kind
    try:
        found = characters(head, content_type)
    except Undecodable:  # its reader will say so, unless it is no text to begin with
        return Kind.BINARY if _is_binary(head) else _kind_of_text(head.decode("latin-1"), hint)
    if not found.encoding.startswith(("utf-16", "utf-32")) and _is_binary(head):
        return Kind.BINARY
    return _kind_of_text(found.text, hint)


def _is_pdf(head: bytes, hint: str) -> bool:
    """By its mark, behind anything (mail headers, for one); a page may quote what follows it."""
    mark = _PDF_MARK.search(head[:1024])
    if not mark:
        return False
    if mark.start() and _ROOT.match(head.lstrip().decode("latin-1")):
        return False
    after = head[mark.start() :]
    return b" obj" in after or not after.isascii() or not hint.startswith(_TEXTS)


def _by_magic(head: bytes) -> Kind | None:
    if head.startswith(b"RIFF"):
        return Kind.IMAGE if head[8:12] == b"WEBP" else Kind.MEDIA
    if head[4:8] == b"ftyp":
        return Kind.IMAGE if head[8:11] in {b"avi", b"hei", b"mif"} else Kind.MEDIA
    if head.startswith(b"PK\3\4"):
        return Kind.OFFICE if _OFFICE_PARTS.search(head) else Kind.ARCHIVE
    if head.startswith(b"\x1f\x8b"):
        return Kind.SITEMAP if _packed_kind(head) is Kind.SITEMAP else Kind.ARCHIVE
    return next((kind for kind, marks in _MAGIC if head.startswith(marks)), None)


def _packed_kind(head: bytes) -> Kind | None:
    """Of what a gzip file holds, as far as its beginning shows."""
    try:
        inside = zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return None
    return _kind_of_text(inside.decode("utf-8", "replace"), "")


def _is_binary(head: bytes) -> bool:
    """Text holds no controls; a stray one in what is UTF-8 otherwise is somebody's mistake."""
    if 20 * len(_CONTROLS.findall(head)) > len(head):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return b"\0" in head
    return False


def _kind_of_text(head: str, hint: str) -> Kind:
    if kind := _by_root(head):
        return kind
    if "feed+json" in hint or _JSON_FEED.search(head):
        return Kind.FEED
    if _JSON.match(head) and not hint.startswith("text/markdown"):
        return Kind.JSON
    return _by_hint(head, hint)


def _by_root(head: str) -> Kind | None:
    """By the first element of a document, behind what may stand before it."""
    at = 0
    while found := _PROLOGUE.match(head, at):
        at = found.end()
    root = _ROOT.match(head, at)
    name = (root[1] or root[2]).lower().rpartition(":")[2] if root else ""
    if name == "rdf":
        return Kind.FEED if _RSS_1.search(head) else Kind.DATA
    return _ROOTS.get(name)


def _by_hint(head: str, hint: str) -> Kind:
    if "html" in hint:
        return Kind.HTML
    if hint.startswith(_TEXTS):
        return Kind.TEXT
    if "json" in hint or "ndjson" in hint:
        return Kind.JSON
    if any(name in hint for name in ("javascript", "css", "xml")):
        return Kind.DATA
    if head.startswith("<?xml"):
        return Kind.DATA
    return Kind.HTML if _MARKUP.search(head) else Kind.TEXT


_TEXTS = ("text/plain", "text/markdown", "text/x-markdown", "text/csv")
_PDF_MARK = re.compile(rb"%PDF-\d\.\d\s*[\r\n]")
_OFFICE_PARTS = re.compile(
    rb"\[Content_Types\]\.xml|_rels/|word/|xl/|ppt/|mimetypeapplication/(?:vnd\.oasis|epub)"
)
_MAGIC = (
    (Kind.IMAGE, (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"\0\0\1\0")),
    (Kind.IMAGE, (b"\0\0\0\x0cjP  ", b"\xff\x0a", b"8BPS")),
    (Kind.MEDIA, (b"ID3", b"OggS", b"fLaC", b"\x1a\x45\xdf\xa3", b"FLV\1")),
    (Kind.OFFICE, (b"\xd0\xcf\x11\xe0", b"{\\rtf")),
    (Kind.ARCHIVE, (b"PK\5\6", b"7z\xbc\xaf", b"Rar!\x1a", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ")),
    (Kind.ARCHIVE, tuple(b"BZh%d1AY" % level for level in range(1, 10))),
    (Kind.BINARY, (b"\x7fELF", b"\0asm", b"wOFF", b"wOF2", b"SQLite format 3\0", b"%!PS-Adobe")),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PROLOGUE = re.compile(
    r"[\s\ufeff]+|<!--.*?-->|<\?.*?>|<!doctype\s+(?!html\b)[^\[>]*(?:\[.*?\]\s*)?>",
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(r"<(?:!doctype\s+([\w.:-]+)|([a-z_][\w.:-]*))", re.IGNORECASE)
_ROOTS = {
    "rss": Kind.FEED,
    "feed": Kind.FEED,
    "urlset": Kind.SITEMAP,
    "sitemapindex": Kind.SITEMAP,
    "svg": Kind.IMAGE,
    "html": Kind.HTML,
    "head": Kind.HTML,
    "body": Kind.HTML,
}
_RSS_1 = re.compile(r"purl\.org/rss/|my\.netscape\.com/rdf", re.IGNORECASE)
_JSON_FEED = re.compile(r"""^\s*\{[^{}\[\]]*"version"\s*:\s*"https?:\\?/\\?/jsonfeed\.org""")
_JSON = re.compile(
    r"""\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}\s*$)|\[\s*(?:[\[{]\s*["\[{]|\]\s*$))"""
)
_MARKUP = re.compile(r"<(?:title|meta|div|p|h[1-6]|table|article|main|section)[\s>]", re.IGNORECASE)
