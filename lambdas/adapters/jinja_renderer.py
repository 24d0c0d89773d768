"""The report's documents: one HTML page, Markdown, and JSON by `docs/report.schema.json`.

Every expression of a template is escaped, by `report_escaping`. In the JSON strings from sources
stay as they are.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lambdas.adapters import report_words as words
from lambdas.adapters.report_escaping import destination, escaped, visible
from lambdas.adapters.text_fragments import at_the_quote, link
from lambdas.adapters.word_differences import side_by_side
from lambdas.agent.report import Answer, Report

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
        html = _environment(autoescape=True, finalize=visible)
        self._html = html.get_template("report.html.j2", globals=trusted)
        markdown = _environment(autoescape=False, finalize=escaped)
        self._markdown = markdown.get_template("report.md.j2")

    def render(self, report: Report) -> Mapping[str, bytes]:
        shown = {
            "report": report,
            "citations": {citation.number: citation for citation in report.citations},
            "targets": {citation.number: at_the_quote(citation) for citation in report.citations},
            "read": [source for source in report.sources if source.was_read],
            "set_aside": [source for source in report.sources if not source.was_read],
            "cards": [_cards(answer, n) for n, answer in enumerate(report.answers, start=1)],
            "nothing_found": words.nothing_found(report),
            "run": words.figures(report),
            "checked": words.checked(report),
            "since": words.since(report.changes),
            "changed": words.sources(report.changes, is_change=True),
            "unknown": words.sources(report.changes, is_change=False),
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
        destination=destination,
        label=words.label,
        link=link,
        moment=words.moment,
        sides=lambda passage: side_by_side(passage.before, passage.after),
        standing=words.standing,
        unsaid=words.unsaid,
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


def _cards(answer: Answer, question: int) -> Mapping[int, str]:
    """The first card of each citation within its answer, as the page names them."""
    cards: dict[int, str] = {}
    for place, statement in enumerate(answer.statements, start=1):
        for at, number in enumerate(statement.citations, start=1):
            cards.setdefault(number, f"c{question}.{place}.{at}")
    return cards
