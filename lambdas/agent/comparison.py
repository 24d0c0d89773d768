"""A source against the time it was last read for a published report.

The bytes decide first: a later reader may make another text of them, and nothing has changed. Then
the passages do; and what was found is new, or gone, where the other text does not hold its words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.changes import Change, Kind
from lambdas.agent.codec import text_of
from lambdas.agent.differing import Differences
from lambdas.agent.errors import Unexpected
from lambdas.agent.findings import Text
from lambdas.agent.validated import Reading
from lambdas.agent.work import Work

GONE_CODES = frozenset({"HTTP_404", "HTTP_410"})
"""A server's word that there is nothing any more; every other error is its own affair."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`formers` is None where the run is compared with nothing."""

    work: Work
    formers: Formers | None

    @classmethod
    def of(cls, work: Work) -> Self:
        ref = work.unit.context.get("baseline")
        if not ref:
            return cls(work, None)
        return cls(work, Formers.at(work, Baseline.of(work.read(ref))))

    def told(self, reading: Reading) -> Reading:
        """The reading, with what has become of its source."""
        if self.formers is None or reading.same_as:
            return reading
        former = self.formers.of(reading.url)
        if not reading.was_read:
            return self._not_read(reading, former)
        if former is None:
            every = tuple(range(len(reading.findings)))
            return replace(reading, change=Change(kind=Kind.NEW, fresh=every))
        return replace(reading, change=self._change(former, reading))

    def _not_read(self, reading: Reading, former: Reading | None) -> Reading:
        """What is out of reach is compared again when it is not; what is gone may come back new."""
        if former is None:
            return replace(reading, change=Change(kind=Kind.UNREACHABLE))
        if reading.error_code in GONE_CODES:
            gone = Change(kind=Kind.GONE, since=former.fetched_at, gone=former.findings)
            return replace(reading, title=former.title, change=gone)
        change = Change(kind=Kind.UNREACHABLE, since=former.fetched_at)
        last = replace(former, text=self._ours(former.text), change=None)
        return replace(reading, title=former.title, change=change, last=last)

    def _change(self, former: Reading, reading: Reading) -> Change:
        unchanged = Change(kind=Kind.UNCHANGED, since=former.fetched_at)
        if former.sha256 == reading.sha256:
            return unchanged
        before = self._text(former)
        if before is None:
            return Change(kind=Kind.CHANGED, since=former.fetched_at)
        differences = Differences(before, text_of(self.work.read(reading.text)))
        if not differences:
            return unchanged
        passages, more = differences.passages()
        return Change(
            kind=Kind.CHANGED,
            since=former.fetched_at,
            passages=passages,
            more=more,
            fresh=differences.fresh(reading.findings),
            gone=differences.gone(former.findings),
        )

    def _text(self, former: Reading) -> Text | None:
        """None where it is past its retention, or the report is older than comparisons are."""
        try:
            return text_of(self.work.read(former.text)) if former.text else None
        except Unexpected:
            return None

    def _ours(self, text: str) -> str:
        """A copy: the one before may reach its retention before the source is in reach again."""
        try:
            return self.work.write("text", self.work.read(text)) if text else ""
        except Unexpected:
            return ""
