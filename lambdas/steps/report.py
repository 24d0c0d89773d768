"""REPORT: what was found, as documents people read.

Reads    the validated readings, the request, the reviewer's note on the revision before; where
         the run is compared with the report before, that one's readings; what models have cost.
Writes   HTML, Markdown and JSON, and a list of the three whose name is the report's digest; with a
         model also its answers, and the tokens they took.
Effects  none: nothing is published here; with a model one job of it for each question (as ANALYZE).
Repeats  safely; each revision is a unit of its own, and each question a lap of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lambdas.agent import approval
from lambdas.agent.analysts import model_of
from lambdas.agent.answering import PROMPT, Shown, payload, shown
from lambdas.agent.asking import REPAIR, asked_again
from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.citing import Sentence
from lambdas.agent.codec import fields_of
from lambdas.agent.composing import compose
from lambdas.agent.contract import Progress, Step
from lambdas.agent.drafting import Draft
from lambdas.agent.errors import SourceFailed, SourceRefused, SourceUnreadable
from lambdas.agent.identity import canonical, digest
from lambdas.agent.instants import iso
from lambdas.agent.job_costs import let_go
from lambdas.agent.job_places import Kind
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.jobs import follow, waiting
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.model_ports import Jobs
from lambdas.agent.piecewise import WAYS_ON
from lambdas.agent.ports import Ports
from lambdas.agent.questioning import MOST_SILENCES, Place, Unhurried, most_laps, way_on
from lambdas.agent.recalling import Recall, recalled, remember
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.runtime import Ran
from lambdas.agent.spending import Spending, spending, spent_so_far
from lambdas.agent.supporting import supported
from lambdas.agent.synthesis import LATE, SILENT, TOO_MANY_LAPS
from lambdas.agent.tasks import Move
from lambdas.agent.telling_changes import with_changes
from lambdas.agent.validated import Reading, readings
from lambdas.agent.work import Work
from lambdas.agent.writing import is_other_writing
from lambdas.entry import step_handler

OTHER_WRITING = "its sentences are not in the writing of the question: answer in its language"


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
        note=_note_on(work, revision - 1),
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
    return _asked(work, model, draft, budget)


def _asked(work: Work, model: Jobs, draft: Draft, budget: Spending) -> Outcome:
    """One question, or the same once more or with fewer findings: a lap has one call."""
    seen = shown(draft.document, draft.place.question, draft.place.most)
    asked = _payload(work, seen, draft)
    recall = recalled(
        work,
        model,
        draft.document.agent_id,
        asked,
        prompt=PROMPT,
        parse=work.ports.answers.sentences,
    )
    unhurried = Unhurried(model)
    try:
        state = _answered(work, unhurried, asked, draft.place, recall, budget)
    except SourceFailed as failed:
        return _without(draft, failed)
    if state.phase is Phase.RUNNING:
        return _waiting(draft, state, was_silent=unhurried.was_silent)
    draft = replace(draft, synthesis=draft.synthesis.took(state.usage))
    try:
        said = _said(work, state)
    except SourceUnreadable as unusable:
        return _otherwise(draft, seen, unusable)
    if recall.answer is None:
        remember(work, recall, state.ref)
    return _judged(draft, seen, said)


def _payload(work: Work, seen: Shown, draft: Draft) -> Mapping[str, Any]:
    asked = payload(work.ports.prompts.get(PROMPT), seen, draft.document.note)
    if not draft.place.again:
        return asked
    return asked_again(asked, work.ports.prompts.get(REPAIR), draft.place.again)


def _answered(  # what a call needs, and the lap's own two
    work: Work,
    model: Jobs,
    asked: Mapping[str, Any],
    place: Place,
    recall: Recall,
    budget: Spending,
) -> JobState:
    subject = f"{PROMPT} {work.unit.item} {digest(asked)}"
    if recall.answer is not None:
        if work.held.attempt > 1:
            let_go(work, model, asked, kind=Kind.ANSWER, subject=subject, spending=budget)
        return JobState.done(recall.answer)
    return follow(
        work,
        model,
        asked,
        kind=Kind.ANSWER,
        subject=subject,
        place=place.cursor(),
        ways_on=WAYS_ON,
        spending=budget,
    )


def _waiting(draft: Draft, state: JobState, *, was_silent: bool) -> Outcome:
    place = draft.place.unanswered() if was_silent else replace(draft.place, silent=0)
    if place.silent >= MOST_SILENCES:
        return draft.ended(SILENT).go_on()
    cursor = {name: value for name, value in state.cursor.items() if name != "silent"}
    state = replace(state, cursor={**cursor, **place.cursor()})
    return waiting(state, result=draft.synthesis.body())


def _said(work: Work, state: JobState) -> tuple[Sentence, ...]:
    if state.phase is Phase.FAILED:
        raise SourceUnreadable(state.sentence, code=state.code, dependency="model")
    return work.ports.answers.sentences(state.body)


def _otherwise(draft: Draft, seen: Shown, unusable: SourceUnreadable) -> Outcome:
    """The way on from an answer that is of no use."""
    place = way_on(draft.place, len(seen.proofs), unusable.code, str(unusable))
    if place is None:
        return _without(draft, unusable)
    return draft.elsewhere(place).go_on()


def _without(draft: Draft, failed: SourceFailed) -> Outcome:
    """Who takes no request at all, or takes too long, is asked no other question either."""
    if isinstance(failed, SourceRefused) or failed.code == LATE:
        return draft.ended(failed.code).go_on()
    synthesis = draft.synthesis.without([draft.place.question], failed.code)
    return draft.behind(synthesis).go_on()


def _judged(draft: Draft, seen: Shown, said: Sequence[Sentence]) -> Outcome:
    is_other = is_other_writing([seen.question], [each.text for each in said])
    if is_other and (place := draft.place.once_more(OTHER_WRITING)):
        return draft.elsewhere(place).go_on()
    stands = supported(said, seen.proofs, question=seen.question)
    synthesis = draft.synthesis.with_answer(draft.place.question, stands, seen)
    return draft.behind(synthesis).go_on()


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


def _note_on(work: Work, revision: int) -> str:
    asked = approval.record_of(work.ports, work.task_id, revision) if revision else None
    return str(asked.outcome.facts.get("note", "")) if asked and asked.outcome else ""


handler = step_handler(report, identify=identify, answer=answer)
