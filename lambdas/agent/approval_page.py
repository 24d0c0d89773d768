"""What an approval's page shows: the report in short, how the question stands, and the form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from lambdas.agent.answer_form import Form

STATEMENTS = 3
"""Of an answer that the page shows; the report has them all."""
SOURCES = 20
"""That were set aside, or have changed, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """As many of them as a page has room for."""

    each: tuple[tuple[str, str], ...]
    more: int

    @classmethod
    def of(cls, pairs: list[tuple[str, str]], most: int) -> Self:
        return cls(each=tuple(pairs[:most]), more=max(0, len(pairs) - most))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The report that is to be decided on, in short. Strings are as sources have them."""

    agent: str
    workflow: str
    revision: int
    made_at: str
    read: int
    sources: int
    answers: tuple[tuple[str, Shown], ...]
    changed: Shown
    since: str
    set_aside: Shown
    tokens: int | None
    usd: float | None

    @classmethod
    def of(cls, report: bytes) -> Self:
        """Of a report.json."""
        told: Mapping[str, Any] = json.loads(report)
        changes, spent = told["changes"] or {}, told.get("spent") or {}
        aside = [(s["url"], s["reason"]) for s in told["sources"] if not s["was_read"]]
        changed = [(each["kind"], each["url"]) for each in changes.get("sources", ())]
        return cls(
            agent=told["agent_id"],
            workflow=told["workflow_id"],
            revision=told["revision"],
            made_at=told["made_at"],
            read=told["coverage"]["read"],
            sources=told["coverage"]["sources"],
            answers=tuple(_answer(each) for each in told["answers"]),
            changed=Shown.of(changed, SOURCES),
            since=changes.get("made_for", ""),
            set_aside=Shown.of(aside, SOURCES),
            tokens=spent.get("tokens"),
            usd=spent.get("usd"),
        )


def _answer(told: Mapping[str, Any]) -> tuple[str, Shown]:
    said = told.get("written") or told["statements"]
    pairs = [(each.get("mark", ""), each["text"]) for each in said]
    return told["question"], Shown.of(pairs, STATEMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What is shown. `said` is the decision that stands, in a sentence, and `note` its reason; the
    form is there where something may still be answered.

    choices  names of the decisions that are offered
    faults   what was wrong with the form, which then is shown as it was filled in
    """

    title: str
    said: str = ""
    note: str = ""
    summary: Summary | None = None
    report_link: str = ""
    until: str = ""
    choices: frozenset[str] = frozenset()
    nonce: str = ""
    extensions: int = 0
    form: Form = field(default_factory=Form)
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page, and the policy under which a browser may show it."""

    body: str
    policy: str
