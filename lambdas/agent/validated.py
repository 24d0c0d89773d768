"""What VALIDATE hands to REPORT: per source, the findings that stand, or why there are none.

The set is a chain of parts, one for each lap, so that no cursor and no part grows with the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Self

from lambdas.agent.findings import Finding
from lambdas.agent.identity import canonical
from lambdas.agent.ports import Artifacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one source."""

    item: str
    url: str
    was_read: bool
    title: str = ""
    findings: tuple[Finding, ...] = ()
    dropped: int = 0
    error_code: str = ""
    reason: str = ""
    fetched_at: str = ""
    sha256: str = ""


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
        readings = tuple(
            Reading(**{**line, "findings": tuple(Finding(**f) for f in line["findings"])})
            for line in fields["readings"]
        )
        return cls(previous=fields["previous"], readings=readings)


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
