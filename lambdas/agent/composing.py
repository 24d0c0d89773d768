"""From readings to a report: answers by question, statements with numbered citations.

Without a model the report is composed of the findings themselves: the strongest first, each
said once, and never more than a reader can take in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lambdas.agent.endings import Ending
from lambdas.agent.findings import Finding
from lambdas.agent.left_out import total
from lambdas.agent.report import NEW, STILL, Answer, Citation, Report, SourceLine, Spent, Statement
from lambdas.agent.request import Request
from lambdas.agent.validated import Reading

STATEMENTS_EACH = 12
"""Statements at the most for one question."""
FROM_ONE_SOURCE = 4
"""Statements at the most that one source gives to one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A finding and the source it comes from."""

    finding: Finding
    source: Reading
    is_new: bool = False
    """Against the report before."""


def compose(
    request: Request,
    readings: Sequence[Reading],
    *,
    task_id: str,
    made_at: str,
    revision: int,
    note: str,
    spent: Spent | None = None,
) -> Report:
    """The report; equal input gives an equal report."""
    readings = _read_once(readings)
    chosen = [_strongest(readings, number) for number in range(len(request.questions))]
    citations = _numbered(placed for groups in chosen for group in groups for placed in group)
    return Report(
        task_id=task_id,
        agent_id=request.agent_id,
        workflow_id=request.workflow_id,
        made_at=made_at,
        revision=revision,
        note=note,
        answers=tuple(
            Answer(question=question, statements=_statements(answer, citations))
            for question, answer in zip(request.questions, chosen, strict=True)
        ),
        citations=tuple(_citation(placed, number) for placed, number in citations.values()),
        sources=tuple(_line(reading) for reading in readings),
        dropped=total(reading.dropped for reading in readings),
        spent=_with_what_it_left(spent, readings),
    )


def _with_what_it_left(spent: Spent | None, readings: Sequence[Reading]) -> Spent | None:
    if spent is None:
        return None
    unasked = sum(not each.was_read and each.error_code == Ending.BUDGET_SPENT for each in readings)
    cut_short = sum(each.is_cut_short for each in readings)
    return replace(spent, unasked=unasked, cut_short=cut_short)


def _read_once(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """What was read for another source too bears the names of both."""
    places = {reading.item.partition(".")[0]: reading.item for reading in readings}
    places |= {reading.item: reading.item for reading in readings}
    names = defaultdict[str, list[str]](list)
    for reading in readings:
        if reading.same_as in places:
            names[places[reading.same_as]] += [reading.url, *reading.also]
    return tuple(
        replace(reading, also=tuple(dict.fromkeys((*reading.also, *names[reading.item]))))
        for reading in readings
        if reading.same_as not in places
    )


_Place = tuple[str, int, int]


def _strongest(readings: Sequence[Reading], question: int) -> list[list[Placed]]:
    """Groups of findings that say the same, the strongest group first."""
    placed = [
        Placed(finding=finding, source=reading, is_new=_is_new(reading, number))
        for reading in readings
        for number, finding in enumerate(reading.findings)
        if finding.question == question
    ]
    placed.sort(key=lambda p: (-p.finding.score, p.source.url, p.finding.start))
    groups: dict[str, list[Placed]] = {}
    begun: dict[str, int] = {}
    for candidate in placed:
        words = " ".join(candidate.finding.claim.casefold().split())
        source = candidate.source.item
        if words in groups:
            groups[words].append(candidate)
        elif len(groups) < STATEMENTS_EACH and begun.get(source, 0) < FROM_ONE_SOURCE:
            groups[words] = [candidate]
            begun[source] = begun.get(source, 0) + 1
    return list(groups.values())


def _is_new(reading: Reading, number: int) -> bool:
    return reading.change is not None and number in reading.change.fresh


def _numbered(placed: Iterable[Placed]) -> dict[_Place, tuple[Placed, int]]:
    numbers: dict[_Place, tuple[Placed, int]] = {}
    for each in placed:
        numbers.setdefault(_place(each), (each, len(numbers) + 1))
    return numbers


def _place(placed: Placed) -> _Place:
    return placed.source.item, placed.finding.start, placed.finding.end


def _statements(
    groups: Iterable[Sequence[Placed]], citations: Mapping[_Place, tuple[Placed, int]]
) -> tuple[Statement, ...]:
    return tuple(
        Statement(
            text=group[0].finding.claim,
            citations=tuple(citations[_place(placed)][1] for placed in group),
            mark=_mark(group),
        )
        for group in groups
    )


def _mark(group: Sequence[Placed]) -> str:
    """New is what no source said before."""
    if all(placed.source.change is None for placed in group):
        return ""
    return NEW if all(placed.is_new for placed in group) else STILL


def _citation(placed: Placed, number: int) -> Citation:
    return Citation(
        number=number,
        url=placed.source.url,
        title=placed.source.title or placed.source.url,
        quote=placed.finding.quote,
        start=placed.finding.start,
    )


def _line(reading: Reading) -> SourceLine:
    return SourceLine(
        url=reading.url,
        title=reading.title,
        was_read=reading.was_read,
        findings=len(reading.findings),
        error_code=reading.error_code,
        reason=reading.reason,
        fetched_at=reading.fetched_at,
        sha256=reading.sha256,
        also=reading.also,
        author=reading.author,
        published=reading.published,
        published_by=reading.published_by,
        notes=reading.notes,
        change=reading.change.kind.value if reading.change else "",
    )
