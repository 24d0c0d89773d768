"""REPORT: what was found, as documents people read.

Reads    the validated readings, the request, the reviewer's note on the revision before; where
         the run is compared with the report before, that one's readings.
Writes   HTML, Markdown and JSON, and a list of the three whose name is the report's digest.
Effects  none: nothing is published here.
Repeats  safely; each revision is a unit of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent import approval
from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.codec import fields_of
from lambdas.agent.composing import compose
from lambdas.agent.contract import Step
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.tasks import Move
from lambdas.agent.telling_changes import with_changes
from lambdas.agent.validated import Reading, readings
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def identify(event: Mapping[str, Any], _: Ports) -> Unit:
    """The revision after the one that the state machine has seen."""
    return Unit.from_event({**event, "revision": int(event["after_revision"]) + 1})


def report(work: Work) -> Outcome:
    revision = int(work.unit.item.removeprefix("r"))
    request = work.ports.requests.parse(fields_of(work.read(work.args["request"])))
    read = readings(work.ports.artifacts, work.args["validated"])
    document = compose(
        request,
        read,
        task_id=work.task_id,
        made_at=iso(work.ports.clock.now()),
        revision=revision,
        note=_note_on(work, revision - 1),
    )
    statements = sum(len(answer.statements) for answer in document.answers)
    document = _compared(work, document, read, request)
    files = work.ports.renderer.render(document)
    refs = {name: work.write("report", body) for name, body in files.items()}
    return Outcome.done(
        ref=work.write("report-list", canonical(refs)),
        move=Move(to=Step.APPROVE, fields={"revision": revision}),
        revision=revision,
        statements=statements,
        validated=work.args["validated"],
        **_changes(document),
    )


def _compared(work: Work, document: Report, read: tuple[Reading, ...], request: Request) -> Report:
    ref = work.unit.context.get("baseline")
    if not ref:
        return document
    baseline = Baseline.of(work.read(ref))
    return with_changes(document, read, baseline, Formers.at(work, baseline), request)


def _changes(document: Report) -> dict[str, Any]:
    """Whether anything has changed; and where the answers are that this report leaves out."""
    if document.changes is None:
        return {}
    full = {"full": document.changes.full} if document.changes.is_short else {}
    return {"changed": not document.changes.is_nothing, **full}


def _note_on(work: Work, revision: int) -> str:
    asked = approval.record_of(work.ports, work.task_id, revision) if revision else None
    return str(asked.outcome.facts.get("note", "")) if asked and asked.outcome else ""


handler = step_handler(report, identify=identify)
