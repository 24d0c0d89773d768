"""What a report says, before it looks like anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lambdas.agent.changes import Kind, Passage

NEW, STILL = "NEW", "STILL"
"""Marks of a statement: no source said so at the report before; one did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a statement stands: a verbatim quote of a source. `number` is its mark, from 1."""

    number: int
    url: str
    title: str
    quote: str
    start: int
    """Offset of the quote in the source's stored text, in code points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that is said, and the numbers of the citations that prove it."""

    text: str
    citations: tuple[int, ...]
    mark: str = ""
    """NEW or STILL, against the report before; empty where it is compared with none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for one question; no statements means that nothing was found.

    written   the answer in a model's sentences, each held against the citations that it bears;
              empty where there is none, and the statements are the answer
    left_out  sentences of the model that did not stand, by reason (left_out.Reason)
    note      why there is no written answer, where a model was to write one
    """

    question: str
    statements: tuple[Statement, ...]
    written: tuple[Statement, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """What became of one source."""

    url: str
    title: str
    was_read: bool
    findings: int
    error_code: str = ""
    reason: str = ""
    fetched_at: str = ""
    """ISO 8601 with zone."""
    sha256: str = ""
    """Of the bytes that were fetched."""
    also: tuple[str, ...] = ()
    """Other addresses at which the request, or a feed or sitemap in it, names the same page."""
    author: str = ""
    published: str = ""
    """ISO 8601 date, as the source itself says."""
    published_by: str = ""
    """Where the source says so."""
    notes: tuple[str, ...] = ()
    """What a reader should know of how it was read."""
    change: str = ""
    """What became of it since the report before (changes.Kind); empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """A source that is not as it was, or of which nobody knows.

    since      when it was last read for a published report, ISO 8601; empty where it never was
    passages   those that differ; `more` are not shown
    reason     why it is gone, or could not be compared
    """

    url: str
    title: str
    kind: str
    since: str = ""
    passages: tuple[Passage, ...] = ()
    more: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneStatement:
    """What the report before could say, and its source does not any more."""

    question: str
    text: str
    quote: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What has changed since the report before. Without a `task_id` there is none: `why` says so.

    made_for     when the run before was asked for, ISO 8601
    address      where its report is published; `full` the one that the answers stand in, where
                 this one leaves them out because nothing has changed (`is_short`)
    unchanged    sources that are as they were
    unlisted     sources of the report before that no feed or sitemap named this time
    standing     statements that hold now, told here or there
    """

    task_id: str = ""
    why: str = ""
    made_for: str = ""
    address: str = ""
    full: str = ""
    is_short: bool = False
    sources: tuple[SourceChange, ...] = ()
    unchanged: int = 0
    unlisted: int = 0
    standing: int = 0
    gone: tuple[GoneStatement, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """True where no source has changed; one that is out of reach is no change."""
        return bool(self.task_id) and not any(Kind(each.kind).is_change for each in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run may take and what models have cost; `usd` is None where no price is known.

    limits     the request's budget: tokens, usd, minutes; only those it names
    unasked    sources for which nothing was left; they are set aside
    cut_short  sources of which a part was analysed, and for the rest nothing was left
    """

    tokens: int
    usd: float | None
    limits: Mapping[str, float]
    unasked: int = 0
    cut_short: int = 0

    @property
    def is_all(self) -> bool:
        """The budget was the end of it."""
        return bool(self.unasked or self.cut_short)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything the documents show. Strings from sources are raw: escaping is the renderer's."""

    task_id: str
    agent_id: str
    workflow_id: str
    made_at: str
    """ISO 8601 with zone."""
    revision: int
    note: str
    """What the reviewer of the revision before asked for."""
    answers: tuple[Answer, ...]
    citations: tuple[Citation, ...]
    sources: tuple[SourceLine, ...]
    dropped: Mapping[str, int]
    """Findings that did not stand, by reason (left_out.Reason)."""
    changes: Changes | None = None
    """None where the request asks for no comparison."""
    spent: Spent | None = None
    """None where no model may be asked and the request names no budget."""

    @property
    def is_partial(self) -> bool:
        """The budget was spent before everything was analysed."""
        return self.spent is not None and self.spent.is_all

    @property
    def read(self) -> int:
        return sum(1 for source in self.sources if source.was_read)
