"""The report's documents: one HTML page, Markdown, and JSON by `docs/report.schema.json`.

Strings from sources are escaped here and nowhere else, at every expression of a template: in HTML
by Jinja2's autoescape, in Markdown by `_escaped`. In the JSON they stay as they are.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lambdas.agent import left_out
from lambdas.agent.report import Citation, Report, SourceLine

SCHEMA_VERSION = 2
"""Of report.json."""

NAMES_SHOWN = 5
"""Other names of one source that a page shows; report.json has them all."""

TEMPLATES = Path(__file__).with_name("templates")


class JinjaRenderer:
    """The port `Renderer`. Equal reports give equal bytes."""

    def __init__(self) -> None:
        style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
        trusted = {"style": Markup(style), "style_hash": _csp_hash(style)}  # noqa: S704  ours
        html = _environment(autoescape=True, finalize=_visible)
        self._html = html.get_template("report.html.j2", globals=trusted)
        markdown = _environment(autoescape=False, finalize=_escaped)
        self._markdown = markdown.get_template("report.md.j2")

    def render(self, report: Report) -> Mapping[str, bytes]:
        shown = {
            "report": report,
            "citations": {citation.number: citation for citation in report.citations},
            "targets": {citation.number: at_the_quote(citation) for citation in report.citations},
            "nothing_found": _nothing_found(report),
            "checked": _checked(report),
            "names_shown": NAMES_SHOWN,
        }
        return {
            "report.html": self._html.render(shown).encode(),
            "report.md": self._markdown.render(shown).encode(),
            "report.json": _json(report),
        }


def _environment(**escaping: Any) -> Environment:
    environment = Environment(  # noqa: S701  the caller says how to escape
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **escaping,
    )
    environment.filters.update(
        destination=_destination,
        label=_label,
        link=link,
        moment=_moment,
    )
    return environment


def _csp_hash(style: str) -> str:
    return f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}"


def _json(report: Report) -> bytes:
    coverage = {"read": report.read, "sources": len(report.sources)}
    body = {"schema_version": SCHEMA_VERSION, "coverage": coverage, **asdict(report)}
    text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    return text.encode(errors="backslashreplace")  # half a surrogate pair becomes its JSON escape


def _nothing_found(report: Report) -> str:
    if any(answer.statements for answer in report.answers):
        return ""
    if not report.read:
        return "Nothing was found: none of the sources could be read."
    return "Nothing was found: no source that was read answers any of the questions."


def _checked(report: Report) -> str:
    if told := left_out.sentence(report.dropped):
        return f"{told} Nothing in this report rests on what was left out."
    if report.citations:
        return "Every quote was found again, word for word, in the stored text of its source."
    return ""


def _label(shown: Citation | SourceLine) -> str:
    return _flat(shown.title) or _flat(shown.url)


def _moment(iso: str) -> str:
    return f"{datetime.fromisoformat(iso).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if iso else ""


_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # shows "gnp.exe" as "exe.png"
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def _visible(value: Any) -> Any:
    """Text without the characters that have no place in a document; the rest as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    text = _REORDERING.sub("", _CONTROL.sub(" ", value))
    return _HALF_CHARACTER.sub("\ufffd", text)


def _flat(text: str) -> str:
    return " ".join(_visible(text).split())


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
    if len(words) <= WHOLE_UP_TO:
        return _encoded(run)
    ends = words[:WORDS_AT_EACH_END], words[-WORDS_AT_EACH_END:]
    return ",".join(_encoded(" ".join(end)) for end in ends)


def _encoded(words: str) -> str:
    return _percent(words).replace("-", "%2D")  # a dash beside a comma is the directive's syntax


def _percent(text: str) -> str:
    return quote(text, safe="", errors="replace")


_MARK = re.compile(r"[\\`*_{}\[\]<>#|~]|&(?=#?\w+;)")
_BLOCK_START = re.compile(r"\A(?:(?=[-+=:])|(\d{1,9})(?=[.)](?:\s|\Z)))")
_ENTITY = re.compile(r"&(?=#?\w+;)")


class _Ready(str):
    """Markdown that is not to be escaped any more."""

    __slots__ = ()


def _escaped(value: Any) -> Any:
    """Text as one line of Markdown that reads as that text, also at the start of a block."""
    if not isinstance(value, str) or isinstance(value, _Ready):
        return value
    return _BLOCK_START.sub(r"\1\\", _MARK.sub(r"\\\g<0>", _flat(value)))


def _destination(target: str) -> _Ready:
    """A link's target for between ( and ), or behind [1]: in a definition."""
    return _Ready(_ENTITY.sub("&amp;", target.replace("(", "%28").replace(")", "%29")))
