"""What has changed since the report before, as a report tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.changes import Change, Kind
from lambdas.agent.findings import Finding
from lambdas.agent.report import Changes, GoneStatement, Report, SourceChange
from lambdas.agent.request import Request, SourceKind
from lambdas.agent.validated import Reading

NEVER_READ = "It could not be read this time, nor for the report before."
NOT_LISTED = "The sitemap that named it for the report before does not name it any more."
NO_FORMER_TEXT = "Its former text is not kept any more, so what differs cannot be shown."


def with_changes(
    report: Report,
    readings: Sequence[Reading],
    baseline: Baseline,
    formers: Formers,
    request: Request,
) -> Report:
    """The report, with what has changed; without its answers where nothing has.

    A reviewer who asked for another revision, or a reader who asks something else than before,
    gets all of it, and so does one for whose sources the budget did not last.
    """
    absent = tuple(formers.without(_names(readings))) if baseline.has_same else ()
    tells_absence = _lists_are_whole(request, readings)
    missing = absent if tells_absence else ()
    changes = Changes(
        task_id=baseline.task_id,
        why=baseline.why,
        made_for=baseline.made_for,
        address=baseline.address,
        sources=(*_changed(readings), *map(_not_listed, missing)),
        unchanged=sum(_is(reading, Kind.UNCHANGED) for reading in readings),
        unlisted=len(absent) - len(missing),
        standing=sum(len(answer.statements) for answer in report.answers),
        gone=tuple(_gone(readings, missing, baseline.questions)),
    )
    is_short = changes.is_nothing and not report.is_partial and _asks_the_same(report, baseline)
    if not is_short:
        return replace(report, changes=changes)
    changes = replace(changes, is_short=True, full=baseline.full)
    return replace(report, changes=changes, answers=(), citations=())


def _asks_the_same(report: Report, baseline: Baseline) -> bool:
    questions = tuple(answer.question for answer in report.answers)
    return questions == baseline.questions and report.revision == 1 and not report.note


def _names(readings: Sequence[Reading]) -> Iterator[str]:
    for reading in readings:
        yield reading.url
        yield from reading.also


def _lists_are_whole(request: Request, readings: Sequence[Reading]) -> bool:
    """Whether a page that no list names any more is gone. What a feed does not name has only grown
    old; a list that was cut, or could not be read, says nothing of what it does not name.
    """
    lists = [asked for asked in request.sources if asked.kind.is_list]
    pages = sum(reading.change is not None for reading in readings)
    is_faulty = any(reading.change is None and not reading.same_as for reading in readings)
    return not is_faulty and all(
        asked.kind is SourceKind.SITEMAP and pages < asked.limit for asked in lists
    )


def _changed(readings: Sequence[Reading]) -> Iterator[SourceChange]:
    for reading in readings:
        if reading.change and reading.change.kind is not Kind.UNCHANGED:
            yield _line(reading, reading.change)


def _line(reading: Reading, change: Change) -> SourceChange:
    return SourceChange(
        url=reading.url,
        title=reading.title,
        kind=change.kind.value,
        since=change.since,
        passages=change.passages,
        more=change.more,
        reason=_reason(reading, change),
    )


def _reason(reading: Reading, change: Change) -> str:
    if change.kind is Kind.CHANGED:
        return "" if change.passages else NO_FORMER_TEXT
    if change.kind is Kind.UNREACHABLE and not change.since:
        return f"{NEVER_READ} {reading.reason}"
    return reading.reason


def _not_listed(former: Reading) -> SourceChange:
    return SourceChange(
        url=former.url,
        title=former.title,
        kind=Kind.GONE.value,
        since=former.fetched_at,
        reason=NOT_LISTED,
    )


def _gone(
    readings: Sequence[Reading], missing: Sequence[Reading], questions: Sequence[str]
) -> Iterator[GoneStatement]:
    lost = [(reading.url, reading.change.gone) for reading in readings if reading.change]
    lost += [(former.url, former.findings) for former in missing]
    yield from (
        _statement(finding, url, questions)
        for url, findings in lost
        for finding in findings
        if finding.question < len(questions)
    )


def _statement(finding: Finding, url: str, questions: Sequence[str]) -> GoneStatement:
    return GoneStatement(
        question=questions[finding.question], text=finding.claim, quote=finding.quote, url=url
    )


def _is(reading: Reading, kind: Kind) -> bool:
    return reading.change is not None and reading.change.kind is kind
