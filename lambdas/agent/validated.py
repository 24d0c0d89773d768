"""What VALIDATE hands to REPORT: per source, the findings that stand, or why there are none.

The set is a chain of parts, one for each lap, so that no cursor and no part grows with the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from lambdas.agent.changes import Change, Kind, Passage
from lambdas.agent.findings import Finding
from lambdas.agent.identity import canonical
from lambdas.agent.left_out import Reason
from lambdas.agent.ports import Artifacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one source.

    also       its other names in the request
    dropped    findings that do not stand, by reason
    same_as    the item of the source that was read for both, because it has the same bytes
    published  as the source says, where `published_by` tells; notes  as its text bears them
    text       the artifact of its text, `by` who found the findings in it, and `unread` how many
               characters of it nobody could analyse
    change     against the report before, where the run has one
    last       of one that is out of reach, how it stood when it was not
    is_cut_short   the budget did not last for all of its text
    """

    item: str
    url: str
    was_read: bool
    title: str = ""
    findings: tuple[Finding, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    error_code: str = ""
    reason: str = ""
    fetched_at: str = ""
    sha256: str = ""
    also: tuple[str, ...] = ()
    same_as: str = ""
    author: str = ""
    published: str = ""
    published_by: str = ""
    notes: tuple[str, ...] = ()
    text: str = ""
    by: str = ""
    unread: int = 0
    change: Change | None = None
    last: Reading | None = None
    is_cut_short: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The readings of one lap, and the part before it."""

    previous: str | None
    readings: tuple[Reading, ...]

    def body(self) -> bytes:
        return canonical(asdict(self))

    @classmethod
    def of(cls, body: bytes) -> Self:
        fields = json.loads(body)
        readings = tuple(_reading(line) for line in fields["readings"])
        return cls(previous=fields["previous"], readings=readings)


def _reading(line: Mapping[str, Any]) -> Reading:
    findings = tuple(Finding(**each) for each in line["findings"])
    lists = {name: tuple(line.get(name, ())) for name in ("also", "notes")}
    dropped = _dropped(line.get("dropped", 0))
    change = _change(line["change"]) if line.get("change") else None
    last = _reading(line["last"]) if line.get("last") else None
    told = {"findings": findings, "dropped": dropped, "change": change, "last": last}
    return Reading(**{**line, **lists, **told})


def _change(line: Mapping[str, Any]) -> Change:
    return Change(
        kind=Kind(line["kind"]),
        since=line["since"],
        passages=tuple(Passage(**each) for each in line["passages"]),
        more=line["more"],
        fresh=tuple(line["fresh"]),
        gone=tuple(Finding(**each) for each in line["gone"]),
    )


def _dropped(counted: Mapping[str, int] | int) -> Mapping[str, int]:
    """Parts were stored with a number when a quote that was not found was the only reason."""
    if isinstance(counted, int):
        return {Reason.QUOTE_NOT_FOUND.value: counted} if counted else {}
    return counted


def readings(artifacts: Artifacts, last_part: str) -> tuple[Reading, ...]:
    """All readings in the manifest's order."""
    parts = list(_parts(artifacts, last_part))
    return tuple(reading for part in reversed(parts) for reading in part.readings)


def _parts(artifacts: Artifacts, last_part: str) -> Iterator[Part]:
    ref: str | None = last_part
    while ref:
        part = Part.of(artifacts.get(ref))
        yield part
        ref = part.previous
