"""What EXTRACT stores of a source, and what ANALYZE finds in it."""

from __future__ import annotations

from dataclasses import dataclass

FINDINGS_EACH = 5
"""Findings that are kept of one source for one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a Text: heading, paragraph, list, table, code or quote.

    Offsets are code points into the text, half open.
    """

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The readable text of one source: Markdown in NFC, lines ended by LF.

    published      ISO 8601 date, as the source itself says; empty where it says none
    published_by   where it says so: "meta article:published_time", "json-ld datePublished", ...
    notes          what a reader of the report should know: pages without text, a guessed encoding,
                   hidden text that was left out; sentences, without words of the source
    """

    title: str
    text: str
    blocks: tuple[Block, ...]
    language: str = ""
    author: str = ""
    published: str = ""
    published_by: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement that bears on a question, and the words that prove it."""

    question: int
    """Index into the request's questions."""
    claim: str
    """One line: what is said."""
    quote: str
    """Verbatim: `text[start:end] == quote`."""
    start: int
    end: int
    score: float
    """0..1, comparable between the sources of a run."""
