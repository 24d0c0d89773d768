"""What was asked for: a request, and the sources that it names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PREVIOUS = "previous"
"""A request's `baseline`: the last published report of the same agent about the same sources."""


class SourceKind(StrEnum):
    """What a request may name: a page, or a list of pages."""

    PAGE = "page"
    FEED = "feed"
    SITEMAP = "sitemap"

    @property
    def is_list(self) -> bool:
        return self is not SourceKind.PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A source as a request names it. The last three belong to lists only.

    limit                how many of its pages are read at the most, the newest first
    include, exclude     globs over a page's path and query; without any, all are included
    """

    url: str
    kind: SourceKind = SourceKind.PAGE
    limit: int = 0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thing to read. `item` is its place in unit records and artifacts.

    also    the other names of the same page that were given
    kind    of a list that could not be expanded, or not wholly; everything else is a page
    """

    item: str
    url: str
    also: tuple[str, ...] = ()
    kind: SourceKind = SourceKind.PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a run may take; None where there is no limit. The money and the tokens are the task's,
    the minutes are each run's own.
    """

    tokens: int | None = None
    usd: float | None = None
    minutes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What somebody asked for, checked and with every default filled in."""

    agent_id: str
    workflow_id: str
    questions: tuple[str, ...]
    sources: tuple[Asked, ...]
    approval: str
    coverage: float
    analyst: str = ""
    """Who finds what bears on the questions; empty where the deployment is to say."""
    baseline: str = ""
    """What the run is compared with: PREVIOUS, or nothing."""
    budget: Allowance | None = None
