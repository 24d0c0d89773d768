"""What a report says, before it looks like anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for one question; no statements means that nothing was found."""

    question: str
    statements: tuple[Statement, ...]


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

    @property
    def read(self) -> int:
        return sum(1 for source in self.sources if source.was_read)
