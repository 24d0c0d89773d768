"""REPORT: what was found, as documents people read.

Reads    the validated readings, the request, what a reviewer last asked for; where the run is
         compared with the report before, that one's readings; what models have cost.
Writes   HTML, Markdown and JSON, and a list of the three whose name is the report's digest; with a
         model also its answers, and the tokens they took.
Effects  none: nothing is published here; with a model one job of it for each question (as ANALYZE).
Repeats  safely; each revision is a unit of its own, and each question a lap of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent import approval
from lambdas.agent.analysts import model_of
from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.codec import fields_of
from lambdas.agent.composing import compose
from lambdas.agent.contract import Decision, Progress, Step
from lambdas.agent.drafting import Draft
from lambdas.agent.errors import SourceRefused
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.next_answer import next_answer
from lambdas.agent.ports import Ports
from lambdas.agent.questioning import most_laps
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.runtime import Ran
from lambdas.agent.spending import spending, spent_so_far
from lambdas.agent.synthesis import TOO_MANY_LAPS
from lambdas.agent.tasks import Move
from lambdas.agent.telling_changes import with_changes
from lambdas.agent.validated import Reading, readings
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def identify(event: Mapping[str, Any], _: Ports) -> Unit:
    """The revision after the one that the state machine has seen."""
    return Unit.from_event({**event, "revision": int(event["after_revision"]) + 1})


def answer(ran: Ran, unit: Unit, _: Ports) -> dict[str, Any]:
    """While there is more to do the state machine has seen the revision before, and no other."""
    told = ran.outcome.as_event()
    is_made = ran.outcome.progress is Progress.DONE
    return told if is_made else {**told, "revision": _revision(unit) - 1}


def report(work: Work) -> Outcome:
    fields = fields_of(work.read(work.args["request"]))
    request = work.ports.requests.parse(fields)
    read = readings(work.ports.artifacts, work.args["validated"])
    revision = _revision(work.unit)
    document = compose(
        request,
        read,
        task_id=work.task_id,
        made_at=iso(work.ports.clock.now()),
        revision=revision,
        note=_note_before(work, revision),
        spent=spent_so_far(work.ports, work.task_id, request),
    )
    document = _compared(work, document, read, request)
    draft = Draft.of(document, work.cursor, work.result_so_far())
    try:
        model = model_of(request.analyst, work.ports)
        if model is None or not draft.left:
            return _made(work, draft)
        budget = spending(work, model, fields)
    except SourceRefused as absent:
        return _made(work, draft.ended(absent.code))
    if draft.place.laps > most_laps(revision):
        return _made(work, draft.ended(TOO_MANY_LAPS))
    return next_answer(work, model, draft, budget)


def _made(work: Work, draft: Draft) -> Outcome:
    document = draft.synthesis.into(draft.document)
    statements = sum(len(answer.statements) for answer in document.answers)
    if document.changes:
        statements = document.changes.standing
    files = work.ports.renderer.render(document)
    refs = {name: work.write("report", body) for name, body in files.items()}
    return Outcome.done(
        ref=work.write("report-list", canonical(refs)),
        result=draft.synthesis.body(),
        move=Move(to=Step.APPROVE, fields={"revision": document.revision}),
        revision=document.revision,
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
    return {"changed": not document.changes.is_nothing or document.is_partial, **full}


def _revision(unit: Unit) -> int:
    return int(unit.item.removeprefix("r"))


def _note_before(work: Work, revision: int) -> str:
    """What was last asked for. A revision between that nobody decided on answers nothing: its run
    ended halfway, and another went on with more that was read.
    """
    for before in range(revision - 1, 0, -1):
        asked = approval.record_of(work.ports, work.task_id, before)
        if asked and asked.is_done and asked.outcome:
            wants = asked.outcome.facts["decision"] == Decision.CHANGES_REQUESTED
            return approval.note_in(asked.outcome) if wants else ""
    return ""


handler = step_handler(report, identify=identify, answer=answer)
