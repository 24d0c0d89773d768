"""The report's documents: one HTML page, Markdown, and JSON by `docs/report.schema.json`.

Strings from sources are escaped here and nowhere else, at every expression of a template: in HTML
by Jinja2's autoescape, in Markdown by `_escaped`. In the JSON they stay as they are.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lambdas.adapters.text_fragments import at_the_quote, link
from lambdas.adapters.word_differences import side_by_side
from lambdas.agent import left_out
from lambdas.agent.changes import Kind
from lambdas.agent.report import (
    Answer,
    Changes,
    Citation,
    Report,
    SourceChange,
    SourceLine,
    Spent,
)
from lambdas.agent.request import Allowance
from lambdas.agent.spending import LARGER_BUDGET, in_words

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
            "read": [source for source in report.sources if source.was_read],
            "set_aside": [source for source in report.sources if not source.was_read],
            "cards": [_cards(answer, n) for n, answer in enumerate(report.answers, start=1)],
            "nothing_found": _nothing_found(report),
            "run": _run(report),
            "checked": _checked(report),
            "since": _since(report.changes),
            "changed": _sources(report.changes, is_change=True),
            "unknown": _sources(report.changes, is_change=False),
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
        sides=lambda passage: side_by_side(passage.before, passage.after),
        standing=_standing,
        unsaid=_unsaid,
    )
    return environment


def _csp_hash(style: str) -> str:
    return f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}"


def _json(report: Report) -> bytes:
    coverage: dict[str, Any] = {"read": report.read, "sources": len(report.sources)}
    told = asdict(report)
    if report.spent is None:
        del told["spent"]
    else:
        coverage["is_partial"] = report.spent.is_all
    body = {"schema_version": SCHEMA_VERSION, "coverage": coverage, **told}
    text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    return text.encode(errors="backslashreplace")  # half a surrogate pair becomes its JSON escape


def _since(changes: Changes | None) -> str:
    """What has changed, in a sentence."""
    if changes is None:
        return ""
    if not changes.task_id:
        return changes.why
    counts = _counts(changes)
    if changes.is_nothing:
        begin = f"Nothing has changed since the report of {_moment(changes.made_for)}"
    else:
        begin = f"Since the report of {_moment(changes.made_for)}"
    return f"{begin}: {', '.join(counts)}." if counts else f"{begin}."


def _counts(changes: Changes) -> list[str]:
    """Of sources, by what became of them."""
    kinds = Counter(each.kind for each in changes.sources)
    told = [(kinds[kind], kind.lower()) for kind in (Kind.NEW, Kind.CHANGED, Kind.GONE)]
    told += [
        (changes.unchanged, "unchanged"),
        (changes.unlisted, "not listed any more"),
        (kinds[Kind.UNREACHABLE], "out of reach"),
    ]
    return [f"{number:,} {word}" for number, word in told if number]


def _sources(changes: Changes | None, *, is_change: bool) -> list[SourceChange]:
    every = changes.sources if changes and changes.task_id else ()
    return [each for each in every if Kind(each.kind).is_change == is_change]


def _cards(answer: Answer, question: int) -> Mapping[int, str]:
    """The first card of each citation within its answer, as the page names them."""
    cards: dict[int, str] = {}
    for place, statement in enumerate(answer.statements, start=1):
        for at, number in enumerate(statement.citations, start=1):
            cards.setdefault(number, f"c{question}.{place}.{at}")
    return cards


def _nothing_found(report: Report) -> str:
    if report.changes and report.changes.is_short:
        return ""
    if any(answer.statements for answer in report.answers):
        return ""
    if not report.read:
        return "Nothing was found: none of the sources could be read."
    if report.dropped:
        return "Nothing was found that stands: see at the end what was left out and why."
    return "Nothing was found: no source that was read answers any of the questions."


def _run(report: Report) -> list[tuple[str, str]]:
    """What the run came to, as names and values."""
    asked = [source.fetched_at for source in report.sources if source.fetched_at]
    times = sorted({_moment(iso) for iso in asked})
    written = sum(bool(answer.written) for answer in report.answers)
    is_asked = written or any(answer.note for answer in report.answers)
    by_a_model = f"{written:,} of {_count(len(report.answers), 'answer')} written by a model"
    return [
        ("Coverage", f"{report.read:,} of {len(report.sources):,} sources read{_partly(report)}"),
        ("Statements", _statements(report)),
        *([("Written", by_a_model)] if is_asked else []),
        ("Left out", f"{sum(report.dropped.values()):,}"),
        ("Fetched", " to ".join(dict.fromkeys((times[0], times[-1]))) if times else "nothing"),
        ("Made", f"{_moment(report.made_at)}, revision {report.revision}"),
        *_spent(report.spent),
    ]


def _statements(report: Report) -> str:
    if report.changes and report.changes.is_short:
        return f"{report.changes.standing:,}, as the report before tells them"
    statements = sum(len(answer.statements) for answer in report.answers)
    return f"{statements:,}, proved by {_count(len(report.citations), 'citation')}"


def _unsaid(reasons: Mapping[str, int]) -> str:
    return left_out.sentence(reasons, "sentence")


def _partly(report: Report) -> str:
    return ", partial: the budget was spent" if report.is_partial else ""


def _spent(spent: Spent | None) -> Iterator[tuple[str, str]]:
    if spent is None:
        return
    yield "Tokens", f"{spent.tokens:,}"
    if spent.usd is not None:
        yield "Cost", f"{spent.usd:,.4f} USD"
    if spent.limits:
        yield "Budget", in_words(Allowance(**spent.limits))  # type: ignore[arg-type]  # as it was told
    if left := _left(spent):
        yield "Not analysed", left


def _left(spent: Spent) -> str:
    told = []
    if spent.unasked:
        told.append(_count(spent.unasked, "source"))
    if spent.cut_short:
        told.append(f"a part of {_count(spent.cut_short, 'source')}")
    if not told:
        return ""
    return f"{' and '.join(told)}, for want of budget. To have the rest read, {LARGER_BUDGET}."


def _standing(source: SourceLine) -> str:
    if not source.was_read:
        return "set aside"
    return f"read, {_count(source.findings, 'finding')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _checked(report: Report) -> str:
    if told := left_out.sentence(report.dropped):
        return f"{told} Nothing in this report rests on what was left out."
    if report.citations:
        return "Every quote was found again, word for word, in the stored text of its source."
    return ""


def _label(shown: Citation | SourceLine | SourceChange) -> str:
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


_MARK = re.compile(r"[\\`*_{}\[\]<>#|~]|&(?=#?\w+;)")
_BLOCK_START = re.compile(r"\A(?:(?=[-+=:])|(\d{1,9})(?=[.)](?:\s|\Z)))")
_BARE_ADDRESS = re.compile(r"(?<=[a-z])(?=://)|(?<=\bwww)(?=\.)|(?<=\S)(?=@)", re.IGNORECASE)
"""Where a viewer of Markdown would begin to make a link of what a source says as text."""
_ENTITY = re.compile(r"&(?=#?\w+;)")


class _Ready(str):
    """Markdown that is not to be escaped any more."""

    __slots__ = ()


def _escaped(value: Any) -> Any:
    """Text as one line of Markdown that reads as that text, also at the start of a block."""
    if not isinstance(value, str) or isinstance(value, _Ready):
        return value
    marked = _BARE_ADDRESS.sub(r"\\", _MARK.sub(r"\\\g<0>", _flat(value)))
    return _BLOCK_START.sub(r"\1\\", marked)


def _destination(target: str) -> _Ready:
    """A link's target for between ( and ), or behind [1]: in a definition."""
    return _Ready(_ENTITY.sub("&amp;", target.replace("(", "%28").replace(")", "%29")))
