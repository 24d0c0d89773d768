"""VALIDATE: every quote is found again in the stored text, or its finding is dropped.

Reads    the manifest; of each source its units, its text and its findings.
Writes   the readings of this lap, as an artifact that names the one before.
Effects  none.
Repeats  safely; a run of many sources goes on from the cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lambdas.agent.codec import fields_of, findings_of, manifest_of, text_of
from lambdas.agent.contract import Step
from lambdas.agent.errors import CoverageTooLow
from lambdas.agent.findings import Finding
from lambdas.agent.grounding import Grounds
from lambdas.agent.model import Move, Outcome, Source, UnitRecord
from lambdas.agent.validated import Part, Reading
from lambdas.agent.work import Work, stored_result
from lambdas.entry import step_handler


def validate(work: Work) -> Outcome:
    sources = manifest_of(work.read(work.args["manifest"]))
    begin = work.cursor.get("next", 0)
    lap = _lap(work, sources[begin:])
    part = Part(previous=work.cursor.get("part"), readings=lap)
    ref = work.write("validated", part.body())
    read = work.cursor.get("read", 0) + sum(reading.was_read for reading in lap)
    if begin + len(lap) < len(sources):
        return Outcome.go_on({"next": begin + len(lap), "part": ref, "read": read})
    return _judged(work, ref, read=read, of=len(sources))


def _lap(work: Work, sources: tuple[Source, ...]) -> tuple[Reading, ...]:
    """As many sources as the budget holds, and never none: a lap that stands still never ends."""
    readings: list[Reading] = []
    for source in sources:
        if readings and work.is_time_up():
            break
        readings.append(_reading(work, source))
    return tuple(readings)


def _reading(work: Work, source: Source) -> Reading:
    found = work.ports.ledger.units(work.task_id, item=source.item)
    units = {unit.step: unit for unit in found if unit.is_done}
    fetched = fields_of(
        stored_result(work.ports, units[Step.FETCH]) if Step.FETCH in units else None
    )
    if Step.ANALYZE not in units:
        return _not_read(work, source, units)
    text = text_of(work.read(_ref(units[Step.EXTRACT])))
    findings = findings_of(stored_result(work.ports, units[Step.ANALYZE]))
    standing = tuple(_standing(findings, text.text))
    return Reading(
        item=source.item,
        url=source.url,
        was_read=True,
        title=text.title,
        findings=standing,
        dropped=len(findings) - len(standing),
        fetched_at=fetched.get("fetched_at", ""),
        sha256=fetched.get("sha256", ""),
    )


def _standing(findings: Iterable[Finding], text: str) -> Iterator[Finding]:
    """The findings whose quote is there, with the quote as the source has it."""
    grounds = Grounds(text)
    for finding in findings:
        span = grounds.locate(finding.quote, near=finding.start)
        if span:
            quote = text[span.start : span.end]
            yield replace(finding, quote=quote, start=span.start, end=span.end)


def _not_read(work: Work, source: Source, units: dict[Step, UnitRecord]) -> Reading:
    lost = {"error_code": "NOT_RECORDED", "reason": "The source's own run ended without a record"}
    aside = units.get(Step.SET_ASIDE)
    why = fields_of(stored_result(work.ports, aside)) if aside else lost
    return Reading(
        item=source.item,
        url=source.url,
        was_read=False,
        error_code=why["error_code"],
        reason=why["reason"],
    )


def _ref(unit: UnitRecord) -> str:
    return str(unit.outcome.ref) if unit.outcome else ""


def _judged(work: Work, part: str, *, read: int, of: int) -> Outcome:
    asked = fields_of(work.read(work.args["request"]))["coverage"]
    if read == 0 or read < asked * of:
        raise CoverageTooLow(
            f"{read} of {of} sources could be read and the request asks for {asked:.0%}: "
            f"see why with `./ratchet status {work.task_id}`, mend the sources and go on with "
            f"`./ratchet resume {work.task_id} --retry-set-aside`, or lower `coverage`"
        )
    move = Move(to=Step.REPORT, fields={"read": read})
    return Outcome.done(ref=part, move=move, read=read, sources=of)


handler = step_handler(validate)
