"""What a report says of itself, in words: what has changed, what the run came to, what is left out.

HTML and Markdown say the same; how it looks is a matter of the templates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from lambdas.adapters.report_escaping import flat
from lambdas.agent import left_out
from lambdas.agent.changes import Kind
from lambdas.agent.report import Changes, Citation, Report, SourceChange, SourceLine, Spent
from lambdas.agent.request import Allowance
from lambdas.agent.spending import LARGER_BUDGET, in_words


def since(changes: Changes | None) -> str:
    """What has changed, in a sentence."""
    if changes is None:
        return ""
    if not changes.task_id:
        return changes.why
    counts = _counts(changes)
    if changes.is_nothing:
        begin = f"Nothing has changed since the report of {moment(changes.made_for)}"
    else:
        begin = f"Since the report of {moment(changes.made_for)}"
    return f"{begin}: {', '.join(counts)}." if counts else f"{begin}."


def _counts(changes: Changes) -> list[str]:
    """Of sources, by what became of them."""
    kinds = Counter(each.kind for each in changes.sources)
    told = [(kinds[kind], kind.lower()) for kind in (Kind.NEW, Kind.CHANGED, Kind.GONE)]
    told += [
        (changes.unchanged, "unchanged"),
        (changes.unlisted, "not listed any more"),
        (kinds[Kind.UNREACHABLE], "out of reach"),
    ]
    return [f"{number:,} {word}" for number, word in told if number]


def sources(changes: Changes | None, *, is_change: bool) -> list[SourceChange]:
    every = changes.sources if changes and changes.task_id else ()
    return [each for each in every if Kind(each.kind).is_change == is_change]


def nothing_found(report: Report) -> str:
    if report.changes and report.changes.is_short:
        return ""
    if any(answer.statements for answer in report.answers):
        return ""
    if not report.read:
        return "Nothing was found: none of the sources could be read."
    if report.dropped:
        return "Nothing was found that stands: see at the end what was left out and why."
    return "Nothing was found: no source that was read answers any of the questions."


def figures(report: Report) -> list[tuple[str, str]]:
    """What the run came to, as names and values."""
    asked = [source.fetched_at for source in report.sources if source.fetched_at]
    times = sorted({moment(iso) for iso in asked})
    written = sum(bool(answer.written) for answer in report.answers)
    is_asked = written or any(answer.note for answer in report.answers)
    by_a_model = f"{written:,} of {_count(len(report.answers), 'answer')} written by a model"
    return [
        ("Coverage", f"{report.read:,} of {len(report.sources):,} sources read{_partly(report)}"),
        ("Statements", _statements(report)),
        *([("Written", by_a_model)] if is_asked else []),
        ("Left out", f"{sum(report.dropped.values()):,}"),
        ("Fetched", " to ".join(dict.fromkeys((times[0], times[-1]))) if times else "nothing"),
        ("Made", f"{moment(report.made_at)}, revision {report.revision}"),
        *_spent(report.spent),
    ]


def _statements(report: Report) -> str:
    if report.changes and report.changes.is_short:
        return f"{report.changes.standing:,}, as the report before tells them"
    statements = sum(len(answer.statements) for answer in report.answers)
    return f"{statements:,}, proved by {_count(len(report.citations), 'citation')}"


def _partly(report: Report) -> str:
    return ", partial: the budget was spent" if report.is_partial else ""


def _spent(spent: Spent | None) -> Iterator[tuple[str, str]]:
    if spent is None:
        return
    yield "Tokens", f"{spent.tokens:,}"
    if spent.usd is not None:
        yield "Cost", f"{spent.usd:,.4f} USD"
    if spent.limits:
        yield "Budget", in_words(Allowance(**spent.limits))  # type: ignore[arg-type]  # as it was told
    if left := _left(spent):
        yield "Not analysed", left


def _left(spent: Spent) -> str:
    told = []
    if spent.unasked:
        told.append(_count(spent.unasked, "source"))
    if spent.cut_short:
        told.append(f"a part of {_count(spent.cut_short, 'source')}")
    if not told:
        return ""
    return f"{' and '.join(told)}, for want of budget. To have the rest read, {LARGER_BUDGET}."


def checked(report: Report) -> str:
    if told := left_out.sentence(report.dropped):
        return f"{told} Nothing in this report rests on what was left out."
    if report.citations:
        return "Every quote was found again, word for word, in the stored text of its source."
    return ""


def standing(source: SourceLine) -> str:
    if not source.was_read:
        return "set aside"
    return f"read, {_count(source.findings, 'finding')}"


def unsaid(reasons: Mapping[str, int]) -> str:
    return left_out.sentence(reasons, "sentence")


def label(shown: Citation | SourceLine | SourceChange) -> str:
    return flat(shown.title) or flat(shown.url)


def moment(iso: str) -> str:
    return f"{datetime.fromisoformat(iso).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if iso else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
