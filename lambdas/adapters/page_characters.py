"""The characters of a fetched page; charset-normalizer guesses where nobody says."""

from __future__ import annotations

import re
from functools import partial
from urllib.parse import urlsplit

from lambdas.agent.characters import Characters, Undecodable, characters
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.page_labels import LABEL_WITHIN
from lambdas.agent.pages import Page
from lambdas.agent.web_encodings import codec_of

FEWEST = 8
"""Bytes beyond ASCII below which a guess is worse than what pages of that language mean."""

_BY_LANGUAGE = {
    "windows-1250": "al ba bs cs cz hr hu pl ro si sk sl sq",
    "windows-1254": "az tr",
    "windows-1257": "ee et lt lv",
    "windows-1258": "vi vn",
}
"""Languages, and countries in host names, that do not mean windows-1252 by default.

These pages differ from it in a few letters, which nobody can tell apart in a short text.
"""
_LATIN = {name: encoding for encoding, names in _BY_LANGUAGE.items() for name in names.split()}
_ELSEWHERE = (
    *("windows-1251", "koi8-r", "windows-1253", "windows-1255", "windows-1256", "windows-874"),
    *("shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"),
)
"""What pages in other scripts are written in, where they do not say."""

_LANGUAGE = re.compile(rb"<html\b[^>]*?\slang\s*=\s*[\"']?\s*([a-z]{2})\b", re.IGNORECASE)


def characters_of(page: Page) -> Characters:
    """SourceUnreadable where its bytes spell nothing."""
    try:
        return characters(page.body, page.content_type, partial(_guess, latin=_latin_of(page)))
    except Undecodable as undecodable:
        host = urlsplit(page.url).hostname or "the source"
        raise SourceUnreadable(
            f"What {host} answered cannot be read as text: {undecodable}. "
            "Name another address that says the same.",
            code="UNDECODABLE",
            dependency=host,
        ) from None


def _latin_of(page: Page) -> str:
    """The Latin encoding of the page's language or country."""
    found = _LANGUAGE.search(page.body[:LABEL_WITHIN])
    language = found[1].decode().lower() if found else ""
    country = (urlsplit(page.url).hostname or "").rpartition(".")[2]
    return _LATIN.get(language or country, "windows-1252")


def _guess(sample: bytes, *, latin: str) -> str:
    if len(sample) - len(sample.decode("ascii", "ignore")) < FEWEST:
        return latin
    from charset_normalizer import from_bytes

    names = {_python_name(encoding): encoding for encoding in (latin, *_ELSEWHERE)}
    best = from_bytes(sample, cp_isolation=list(names), preemptive_behaviour=False).best()
    return names.get(best.encoding, latin) if best else latin


def _python_name(encoding: str) -> str:
    return codec_of(encoding).replace("windows-", "cp").replace("-", "_")
