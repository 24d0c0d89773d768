"""VALIDATE: every quote is found again in the stored text and says what its claim says, or the
finding is dropped.

Reads    the manifest; of each source its units, its text and its findings; where the run is
         compared with the report before, how the source stood then.
Writes   the readings of this lap, as an artifact that names the one before.
Effects  none. What is held for calls that nobody will settle any more is given back.
Repeats  safely; a run of many sources goes on from the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.analysis import Analysis
from lambdas.agent.analysts import model_there
from lambdas.agent.codec import fields_of, manifest_of, text_of
from lambdas.agent.comparison import Comparison
from lambdas.agent.contract import Step
from lambdas.agent.costs import NOTHING
from lambdas.agent.errors import CoverageTooLow
from lambdas.agent.judging import judge
from lambdas.agent.left_out import total
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.request import Source
from lambdas.agent.spending import BUDGET_SPENT
from lambdas.agent.tasks import Move
from lambdas.agent.validated import Part, Reading
from lambdas.agent.work import Work, stored_result
from lambdas.entry import step_handler


def validate(work: Work) -> Outcome:
    sources = manifest_of(work.read(work.args["manifest"]))
    begin = work.cursor.get("next", 0)
    ours = frozenset(url for source in sources for url in (source.url, *source.also))
    lap = _lap(work, sources[begin:], ours, Comparison.of(work))
    part = Part(previous=work.cursor.get("part"), readings=lap)
    ref = work.write("validated", part.body())
    read = work.cursor.get("read", 0) + sum(reading.was_read for reading in lap)
    unasked = work.cursor.get("unasked", 0) + sum(map(_is_unasked, lap))
    if begin + len(lap) < len(sources):
        told = {"next": begin + len(lap), "part": ref, "read": read, "unasked": unasked}
        return Outcome.go_on(told)
    return _judged(work, ref, read=read, unasked=unasked, of=len(sources))


def _is_unasked(reading: Reading) -> bool:
    """The budget was spent before its turn: that says nothing about the source."""
    return not reading.was_read and reading.error_code == BUDGET_SPENT


def _lap(
    work: Work, sources: tuple[Source, ...], ours: frozenset[str], comparison: Comparison
) -> tuple[Reading, ...]:
    """As many sources as the budget holds, and never none: a lap that stands still never ends."""
    readings: list[Reading] = []
    for source in sources:
        if readings and work.is_time_up():
            break
        reading = _reading(work, source, ours)
        readings.append(reading if source.kind.is_list else comparison.told(reading))
    return tuple(readings)


def _reading(work: Work, source: Source, ours: frozenset[str]) -> Reading:
    units = _done(work, source.item)
    if same_as := _twin(units):
        return _read_as(work, source, same_as)
    if Step.ANALYZE not in units:
        return _not_read(work, source, units)
    ref = _ref(units[Step.EXTRACT])
    text = text_of(work.read(ref))
    analysis = Analysis.of(stored_result(work.ports, units[Step.ANALYZE]))
    judged = judge(analysis.findings, text, ours)
    fetched = fields_of(
        stored_result(work.ports, units[Step.FETCH]) if Step.FETCH in units else None
    )
    return Reading(
        item=source.item,
        url=source.url,
        was_read=True,
        title=text.title,
        findings=judged.standing,
        dropped=total((analysis.dropped, judged.dropped)),
        fetched_at=fetched.get("fetched_at", ""),
        sha256=fetched.get("sha256", ""),
        also=source.also,
        author=text.author,
        published=text.published,
        published_by=text.published_by,
        notes=(*text.notes, *analysis.notes),
        text=ref,
        by=_by(units[Step.ANALYZE]),
        unread=analysis.unread,
        is_cut_short=any(gap.code == BUDGET_SPENT for gap in analysis.gaps),
    )


def _done(work: Work, item: str) -> Mapping[Step, UnitRecord]:
    found = work.ports.ledger.units(work.task_id, item=item)
    return {unit.step: unit for unit in found if unit.is_done}


def _twin(units: Mapping[Step, UnitRecord]) -> str:
    """The item that has the same bytes and came first, where this one was not read itself."""
    fetched = units.get(Step.FETCH)
    if Step.ANALYZE in units or fetched is None or fetched.outcome is None:
        return ""
    return str(fetched.outcome.facts.get("same_as", ""))


def _read_as(work: Work, source: Source, first: str) -> Reading:
    """It stands as its twin does, in whose line the report names it."""
    units = _done(work, first)
    if Step.ANALYZE not in units:
        return replace(_not_read(work, source, units), same_as=first)
    return Reading(item=source.item, url=source.url, was_read=True, also=source.also, same_as=first)


def _not_read(work: Work, source: Source, units: Mapping[Step, UnitRecord]) -> Reading:
    lost = {"error_code": "NOT_RECORDED", "reason": "The source's own run ended without a record"}
    aside = units.get(Step.SET_ASIDE)
    why = fields_of(stored_result(work.ports, aside)) if aside else lost
    return Reading(
        item=source.item,
        url=source.url,
        was_read=False,
        error_code=why["error_code"],
        reason=why["reason"],
        also=source.also,
    )


def _ref(unit: UnitRecord) -> str:
    return str(unit.outcome.ref) if unit.outcome else ""


def _by(unit: UnitRecord) -> str:
    return str(unit.outcome.facts.get("by", "")) if unit.outcome else ""


def _judged(work: Work, part: str, *, read: int, unasked: int, of: int) -> Outcome:
    """What the budget was spent before is left out of the share that must be readable."""
    request = fields_of(work.read(work.args["request"]))
    _close_the_purse(work, request)
    asked = request["coverage"]
    if read == 0 or read < asked * (of - unasked):
        spent = f", {unasked} for which the budget was spent" if unasked else ""
        raise CoverageTooLow(
            f"{read} of {of} sources could be read{spent}, and the request asks for {asked:.0%}: "
            f"see why with `./ratchet status {work.task_id}`, mend the sources and go on with "
            f"`./ratchet resume {work.task_id} --retry-set-aside`, or lower `coverage`"
        )
    move = Move(to=Step.REPORT, fields={"read": read})
    return Outcome.done(ref=part, move=move, read=read, sources=of)


def _close_the_purse(work: Work, request: Mapping[str, Any]) -> None:
    """No source is under way any more: what is held still, nobody will ever settle."""
    if model_there(request.get("analyst", ""), work.ports) is None:
        return
    ledger = work.ports.ledger
    if ledger.purse(work.task_id).held == NOTHING:
        return
    for intent in ledger.held(work.task_id):
        ledger.forgo(work.task_id, intent)


handler = step_handler(validate)
