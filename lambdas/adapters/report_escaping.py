"""Strings from sources, made harmless for a document: here and nowhere else, at every expression
of a template. In HTML Jinja2's autoescape does the rest, in Markdown `escaped` does it all.
"""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # shows "gnp.exe" as "exe.png"
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def visible(value: Any) -> Any:
    """Text without the characters that have no place in a document; the rest as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    text = _REORDERING.sub("", _CONTROL.sub(" ", value))
    return _HALF_CHARACTER.sub("\ufffd", text)


def flat(text: str) -> str:
    return " ".join(visible(text).split())


_MARK = re.compile(r"[\\`*_{}\[\]<>#|~]|&(?=#?\w+;)")
_BLOCK_START = re.compile(r"\A(?:(?=[-+=:])|(\d{1,9})(?=[.)](?:\s|\Z)))")
_BARE_ADDRESS = re.compile(r"(?<=[a-z])(?=://)|(?<=\bwww)(?=\.)|(?<=\S)(?=@)", re.IGNORECASE)
"""Where a viewer of Markdown would begin to make a link of what a source says as text."""
_ENTITY = re.compile(r"&(?=#?\w+;)")


class _Ready(str):
    """Markdown that is not to be escaped any more."""

    __slots__ = ()


def escaped(value: Any) -> Any:
    """Text as one line of Markdown that reads as that text, also at the start of a block."""
    if not isinstance(value, str) or isinstance(value, _Ready):
        return value
    marked = _BARE_ADDRESS.sub(r"\\", _MARK.sub(r"\\\g<0>", flat(value)))
    return _BLOCK_START.sub(r"\1\\", marked)


def destination(target: str) -> _Ready:
    """A link's target for between ( and ), or behind [1]: in a definition."""
    return _Ready(_ENTITY.sub("&amp;", target.replace("(", "%28").replace(")", "%29")))
