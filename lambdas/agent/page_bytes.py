"""What the bytes of a page are, and which characters they spell.

Servers mislabel both, so the bytes decide where they can, and the Content-Type is the hint.
"""

from __future__ import annotations

import codecs
import re
from enum import StrEnum

HEAD = 4096
"""Bytes at the beginning that tell what a page is."""


class Kind(StrEnum):
    HTML = "web page"
    TEXT = "text"
    PDF = "PDF"
    IMAGE = "image"
    ARCHIVE = "archive or an office document"
    FEED = "feed or a sitemap"
    DATA = "data file"
    BINARY = "binary file"


def kind_of(body: bytes, content_type: str) -> Kind:
    head = body[:HEAD]
    if _PDF.search(head[:1024]):
        return Kind.PDF
    if head.startswith(_IMAGES) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return Kind.IMAGE
    if head.startswith(_ARCHIVES):
        return Kind.ARCHIVE
    if _is_binary(head) and not (_mark(head) or "16" in _labelled(_CHARSET, content_type)):
        return Kind.BINARY
    return _kind_of_text(decoded(head, content_type), content_type.lower())


def decoded(body: bytes, content_type: str) -> str:
    """The characters: by byte order mark, header, UTF-8 if it is that, the page's own word.

    UTF-8 comes before the page's word: nothing else looks like it by chance, and a page that says
    otherwise was converted by somebody who forgot to change it.
    """
    own = body[:HEAD].decode("latin-1")
    labels = (
        _mark(body),
        _labelled(_CHARSET, content_type),
        "utf-8",
        _labelled(_META, own) or _labelled(_DECLARATION, own),
    )
    for label in filter(None, labels):
        try:
            return body.decode(label)
        except UnicodeDecodeError:
            continue
    return body.decode("cp1252", "replace")


def _is_binary(head: bytes) -> bool:
    """Text holds no NUL; a stray one in what is UTF-8 otherwise is somebody's mistake."""
    if b"\0" not in head:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return True
    return 20 * head.count(0) > len(head)


def _kind_of_text(head: str, content_type: str) -> Kind:
    root = _ROOT.match(head)
    if root and root[1].lower() in {"rss", "feed", "rdf:rdf", "urlset", "sitemapindex"}:
        return Kind.FEED
    if root and root[1].lower() in {"!doctype html", "html", "head", "body"}:
        return Kind.HTML
    if "html" in content_type:
        return Kind.HTML
    if content_type.startswith(("text/plain", "text/markdown", "text/x-markdown")):
        return Kind.TEXT
    if any(name in content_type for name in ("json", "javascript", "css", "xml")):
        return Kind.DATA
    return Kind.HTML if _MARKUP.search(head) else Kind.TEXT


def _mark(body: bytes) -> str:
    """The encoding that a byte order mark tells."""
    if body.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return "utf-16" if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ""


def _labelled(pattern: re.Pattern[str], text: str) -> str:
    """The encoding that a label means on the web; none where no reader would know it."""
    found = pattern.search(text)
    name = found[1].lower() if found else ""
    try:
        codec = codecs.lookup(_WEB_NAMES.get(name, name)).name
    except LookupError:
        return ""
    codec = _WIDER.get(codec, codec)
    return codec if _TEXT_CODEC.fullmatch(codec) else ""


_PDF = re.compile(rb"%PDF-\d\.\d\s*[\r\n]")  # behind anything: mail headers, for one
_IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"\0\0\1\0")
_ARCHIVES = (b"PK\3\4", b"PK\5\6", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\xd0\xcf\x11\xe0")
_ROOT = re.compile(
    r"(?>[\s\ufeff]+|<!--.*?-->|<\?.*?>)*+<(!doctype html|[a-z:]+)", re.IGNORECASE | re.DOTALL
)
_MARKUP = re.compile(r"<(?:title|meta|div|p|h[1-6]|table|article|main|section)[\s>]", re.IGNORECASE)

_NAME = r"\s*=\s*[\"']?\s*([a-z0-9._:-]+)"
_CHARSET = re.compile("charset" + _NAME, re.IGNORECASE | re.ASCII)
_META = re.compile(r"<meta\s[^>]*?charset" + _NAME, re.IGNORECASE | re.ASCII)
_DECLARATION = re.compile(r"<\?xml\s[^>]*?encoding" + _NAME, re.IGNORECASE | re.ASCII)

_WEB_NAMES = {
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "x-cp1252": "cp1252",
    "x-gbk": "gb18030",
    "x-sjis": "cp932",
}
# Browsers read these names as the larger sets that contain them, because pages mean those.
_WIDER = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
# Python knows more codecs than texts are written in: some are slow, some are no text at all.
_TEXT_CODEC = re.compile(
    r"ascii|utf-8|utf-16(-[bl]e)?|cp125\d|cp(866|874|932|949)|iso8859-\d+|koi8-[ru]"
    r"|mac-(roman|cyrillic)|big5(hkscs)?|euc_jp|iso2022_jp|gb18030"
)
