"""Links that open a source at the words that were quoted, as URL fragment text directives do.

A fragment that names words which the page does not show opens the page at its top and says so to
nobody. So it holds only words of which it is sure, and of a long quote only both ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from urllib.parse import quote

from lambdas.agent.report import Citation

_CLICKABLE = re.compile(r"https?://[\w.~:@\[\]%!$&'()*+,;=-]+(?:[/?#]|\Z)", re.IGNORECASE)
_NO_URL_CHARACTER = re.compile(
    r"""[\x00-\x20"<>\\^`{|}\x7f-\xa0\xad]"""
    "|[\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]"  # cannot be seen
)


def link(url: str) -> str:
    """The address to link to; empty unless it is http or https."""
    if not _CLICKABLE.match(url):
        return ""
    return _NO_URL_CHARACTER.sub(lambda found: _percent(found[0]), url)


def at_the_quote(citation: Citation) -> str:
    """The address of the source at the quote's words, or of the source as a whole where the quote
    has no run of words that surely stands in the page as it stands in our text.
    """
    target = link(citation.url)
    words = max(_runs(citation.quote), key=len, default="")
    if not target or len(words.encode(errors="replace")) < SHORTEST_RUN:
        return target
    page, _, anchor = target.partition("#")
    return f"{page}#{anchor.partition(':~:')[0]}:~:text={_directive(words)}"


SHORTEST_RUN = 12
"""Bytes, for four Chinese characters say as much as two words: less stands in every menu."""
WHOLE_UP_TO = 12
"""Words. A longer run is given by its ends, which survives a footnote mark in its middle."""
WORDS_AT_EACH_END = 5
BYTES_WHOLE = 120
"""Of a run without spaces, forty Chinese characters; a longer one is given by its outer clauses."""

_CLAUSE = re.compile(r"[^、。，；！？]+[、。，；！？]*")  # noqa: RUF001  full-width marks

_BLOCK_MARK = re.compile(r"\A\s*(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+")
_LINK = re.compile(r"(!?)\[([^\]]{0,400})\]\((?:[^()]|\([^()]*\))*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`{1,3})(?=\S)(.{1,400}?)(?<=\S)\1")
_DOUBTFUL = re.compile(r"[*`\[\]\\|<>]|__")


def _runs(passage: str) -> Iterator[str]:
    """The stretches of a Markdown passage that a browser shows as they are, within one block."""
    for line in passage.splitlines():
        shown = _LINK.sub(lambda found: "|" if found[1] else found[2], _BLOCK_MARK.sub("", line))
        words = _EMPHASIS.sub(r"\2", shown).split()
        for doubtful, run in groupby(words, key=lambda word: bool(_DOUBTFUL.search(word))):
            if not doubtful:
                yield " ".join(run)


def _directive(run: str) -> str:
    words = run.split()
    if len(words) > WHOLE_UP_TO:
        ends = words[:WORDS_AT_EACH_END], words[-WORDS_AT_EACH_END:]
        return ",".join(_encoded(" ".join(end)) for end in ends)
    clauses = _CLAUSE.findall(run)
    if len(run.encode(errors="replace")) > BYTES_WHOLE and len(clauses) > 2:
        return f"{_encoded(clauses[0])},{_encoded(clauses[-1])}"
    return _encoded(run)


def _encoded(words: str) -> str:
    return _percent(words).replace("-", "%2D")  # a dash beside a comma is the directive's syntax


def _percent(text: str) -> str:
    return quote(text, safe="", errors="replace")
