"""What became of a source since the last report: the words for it, and for what differs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lambdas.agent.findings import Finding


class Kind(StrEnum):
    """Of a source, against the time it was last read for a published report."""

    NEW = "NEW"
    CHANGED = "CHANGED"
    UNCHANGED = "UNCHANGED"
    GONE = "GONE"  # its server says so (404, 410), or the sitemap that named it does no longer
    UNREACHABLE = "UNREACHABLE"  # nobody knows: no change is concluded from a site's errors

    @property
    def is_change(self) -> bool:
        return self in {Kind.NEW, Kind.CHANGED, Kind.GONE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What stood there before and what stands there now, as a reader sees it; one may be empty."""

    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How one source differs from what it was.

    since      when the former state was fetched, ISO 8601; empty where there is none
    passages   those that differ, in the source's order; `more` are not kept
    fresh      places of the findings, among the source's, that its former text does not hold
    gone       former findings that its text does not hold any more
    """

    kind: Kind
    since: str = ""
    passages: tuple[Passage, ...] = ()
    more: int = 0
    fresh: tuple[int, ...] = ()
    gone: tuple[Finding, ...] = ()
