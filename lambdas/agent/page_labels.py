"""What a server and a page say of the page's encoding, right or wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lambdas.agent.web_encodings import USER_DEFINED, encoding_of

LABEL_WITHIN = 32_768
"""Bytes in which a page must say its encoding; browsers begin anew when they find it so late."""

LONGEST = 1_000
"""Characters of a header or a tag: what is longer says nothing sensible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """`is_odd`: somebody said something, and no browser would know it."""

    by: str
    encoding: str = ""
    is_odd: bool = False


def labels_of(body: bytes, content_type: str) -> Iterator[Label]:
    """In the order in which they count: the header, the page's meta, its XML declaration."""
    if found := _CHARSET.search(content_type[:LONGEST]):
        yield _label("Content-Type", found[1], of_page=False)
    head = _COMMENT.sub("", body[:LABEL_WITHIN].decode("latin-1"))
    for tag in _META.findall(head):
        if charset := _charset_of(tag):
            yield _label("page's meta", charset, of_page=True)
            break
    if found := _DECLARATION.match(head):
        yield _label("XML declaration", found[1], of_page=True)


def _charset_of(tag: str) -> str:
    found = {name.lower(): one or two or bare for name, one, two, bare in _ATTRIBUTE.findall(tag)}
    if "charset" in found:
        return str(found["charset"])
    if found.get("http-equiv", "").lower() != "content-type":
        return ""
    charset = _CHARSET.search(found.get("content", ""))
    return str(charset[1]) if charset else ""


def _label(by: str, name: str, *, of_page: bool) -> Label:
    """A page that can say in ASCII that it is UTF-16 is not UTF-16."""
    encoding = encoding_of(name)
    if of_page and encoding.startswith("utf-16"):
        encoding = "utf-8"
    if encoding == USER_DEFINED:
        encoding = "windows-1252" if of_page else ""
    return Label(by=by, encoding=encoding, is_odd=not encoding)


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rf"<meta[\s/]([^<>]{{0,{LONGEST}}})", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,>]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']?\s*([^\s\"'?>]+)", re.IGNORECASE)
