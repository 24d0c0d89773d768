"""What ANALYZE has found of one text so far, what it could not analyse, and what models took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

from lambdas.agent.codec import findings_body
from lambdas.agent.costs import NOTHING, Cost
from lambdas.agent.endings import WHY, Ending
from lambdas.agent.extractive import merge
from lambdas.agent.findings import FINDINGS_EACH, Finding
from lambdas.agent.identity import canonical
from lambdas.agent.job_state import NOTHING_USED, Usage
from lambdas.agent.left_out import total

_NONE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A part of a text, in code points, half open, that no model could analyse, and why."""

    start: int
    end: int
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """`dropped` counts a model's statements that are none of the text, by reason. `notes` are
    sentences for the report's readers, without words of the source. `usage` is what models told,
    `cost` what is counted of the run's budget.
    """

    findings: tuple[Finding, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = NOTHING_USED
    cost: Cost = NOTHING

    @property
    def unread(self) -> int:
        return sum(gap.end - gap.start for gap in self.gaps)

    def found(self, findings: Iterable[Finding], dropped: Mapping[str, int] = _NONE) -> Self:
        return replace(
            self,
            findings=merge((*self.findings, *findings), FINDINGS_EACH),
            dropped=total((self.dropped, dropped)),
        )

    def without(self, gap: Gap) -> Self:
        return replace(self, gaps=(*self.gaps, gap))

    def noting(self, note: str) -> Self:
        return self if note in self.notes else replace(self, notes=(*self.notes, note))

    def closed(self, length: int) -> Self:
        """With a note for each reason for which parts of the text were not analysed."""
        told = self
        for note in _notes(self.gaps, length):
            told = told.noting(note)
        return told

    def body(self) -> bytes:
        """A list of findings alone, where there is nothing else to tell."""
        if self == Analysis(findings=self.findings):
            return findings_body(self.findings)
        return canonical(asdict(self))

    @classmethod
    def of(cls, body: bytes | None) -> Self:
        told: Any = json.loads(body) if body else []
        fields: dict[str, Any] = {"findings": told} if isinstance(told, list) else told
        return cls(
            findings=tuple(Finding(**each) for each in fields["findings"]),
            dropped=fields.get("dropped", {}),
            gaps=tuple(Gap(**each) for each in fields.get("gaps", ())),
            notes=tuple(fields.get("notes", ())),
            usage=Usage(**fields["usage"]) if "usage" in fields else NOTHING_USED,
            cost=Cost(**fields.get("cost", {})),
        )


def _notes(gaps: Iterable[Gap], length: int) -> Iterator[str]:
    unread: dict[str, int] = {}
    for gap in gaps:
        unread[gap.code] = unread.get(gap.code, 0) + gap.end - gap.start
    for code, characters in unread.items():
        yield (
            f"{characters:,} of its {length:,} characters were not analysed: "
            f"{WHY[Ending(code)]} ({code})"
        )
