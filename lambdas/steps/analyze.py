"""ANALYZE: what one text says about the questions.

Reads    the text and the request.
Writes   the findings so far, in the record or as an artifact; with a model also what it could not
         analyse, and the tokens it took.
Effects  none; with a model one job of it for each piece of the text, as far as the run's budget
         goes. A model that answers at once and knows no repeat may be asked once more where its
         answer was lost (ADR 13).
Repeats  safely; an answer that was had before is not asked for again; a text too long for one
         invocation is read on from the cursor, and a job that was begun is asked after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lambdas.agent.analysis import Analysis, Gap
from lambdas.agent.analysts import model_of, name_of
from lambdas.agent.asking import PROMPT, Piece, grounded, payload
from lambdas.agent.calls import Call, answered, said, with_repair
from lambdas.agent.codec import fields_of, text_of
from lambdas.agent.contract import Progress
from lambdas.agent.costs import Cost
from lambdas.agent.endings import WHY, Ending, broken
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Text
from lambdas.agent.job_places import CURSOR, Kind
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.jobs import waiting
from lambdas.agent.model import Outcome
from lambdas.agent.model_ports import Jobs
from lambdas.agent.piecewise import MOST_GAPS, WAYS_ON, Place, way_on
from lambdas.agent.recalling import Recall, recalled, remember
from lambdas.agent.spending import LARGER_BUDGET, spending
from lambdas.agent.work import Work
from lambdas.agent.writing import is_other_writing
from lambdas.entry import step_handler

OTHER_WRITING = "its claims are not in the writing of the questions: answer in their language"
STILL_OTHER = "What it says is told in another language than the questions"


def analyze(work: Work) -> Outcome:
    text = text_of(work.read(work.args["text"]))
    request = fields_of(work.read(work.args["request"]))
    questions = request["questions"]
    model = model_of(request.get("analyst", ""), work.ports)
    if model is None:
        return _signed(_ranked(work, text, questions), model)
    return _signed(_asked(work, model, text, request), model)


def _signed(outcome: Outcome, model: Jobs | None) -> Outcome:
    """With whose findings these are: a later run asks for those of the same only."""
    if outcome.progress is not Progress.DONE:
        return outcome
    return replace(outcome, facts={**outcome.facts, "by": name_of(model)})


def _ranked(work: Work, text: Text, questions: Sequence[str]) -> Outcome:
    lap = work.ports.analyst.find(
        text, questions, start=work.cursor.get("next", 0), stop=work.is_time_up
    )
    analysis = Analysis.of(work.result_so_far()).found(lap.findings)
    if lap.next_start:
        return Outcome.go_on({"next": lap.next_start}, result=analysis.body())
    return Outcome.done(result=analysis.body(), findings=len(analysis.findings))


def _asked(work: Work, model: Jobs, text: Text, request: Mapping[str, Any]) -> Outcome:
    """One piece of the text, or the same piece once more or by halves: a lap has one question."""
    questions = request["questions"]
    place = Place.of(work.cursor, text, anew=_anew(work))
    piece = place.piece(text)
    asked = _payload(work, questions, text.text[piece.start : piece.end], place)
    recall = recalled(
        work, model, request["agent_id"], asked, prompt=PROMPT, parse=work.ports.answers.parse
    )
    analysis = Analysis.of(work.result_so_far())
    call = Call(
        asked=asked,
        kind=Kind.FINDINGS,
        subject=f"{PROMPT} {work.args['text']} {place.subject(piece)}",
        place=place.cursor(),
        spending=spending(work, model, request),
    )
    state = _answered(work, model, call, recall, taken=analysis.cost)
    if state.phase is Phase.RUNNING:
        return waiting(state, result=work.result_so_far())
    analysis = _with_usage(analysis, state)
    try:
        findings = said(state, work.ports.answers.parse)
    except SourceUnreadable as unusable:
        return _otherwise(work, text, place, piece, analysis, unusable)
    if recall.answer is None:
        remember(work, recall, state.ref)
    if is_other_writing(questions, [one.claim for one in findings]):
        if again := place.once_more(OTHER_WRITING):
            return Outcome.go_on(again.cursor(), result=analysis.body())
        analysis = analysis.noting(STILL_OTHER)
    stands = grounded(findings, text, piece, questions=len(questions))
    return _on(text, place.behind(piece), analysis.found(stands.findings, stands.dropped))


def _answered(work: Work, model: Jobs, call: Call, recall: Recall, *, taken: Cost) -> JobState:
    """A source that has taken its share of the budget begins nothing new that costs."""
    is_new = recall.answer is None and CURSOR not in work.cursor
    if is_new and call.spending.has_taken_its_share(taken):
        return broken(Ending.BUDGET_SPENT)
    return answered(work, model, call, recall)


def _anew(work: Work) -> int:
    """The later run in which somebody has a source tried again whose answers were of no use."""
    run = int(work.unit.context.get("run", 1))
    had_answers = work.held.error_code in WAYS_ON - {Ending.BUDGET_SPENT}
    return run if run > 1 and had_answers else 0


def _payload(work: Work, questions: Sequence[str], words: str, place: Place) -> Any:
    asked = payload(work.ports.prompts.get(PROMPT), questions, words)
    return with_repair(work, asked, place.again)


def _with_usage(analysis: Analysis, state: JobState) -> Analysis:
    usage = analysis.usage + state.usage if state.usage else analysis.usage
    return replace(analysis, usage=usage, cost=analysis.cost + state.cost)


def _otherwise(
    work: Work,
    text: Text,
    place: Place,
    piece: Piece,
    analysis: Analysis,
    unusable: SourceUnreadable,
) -> Outcome:
    """The way on from an answer that is of no use; the text's end where there is none."""
    if again := way_on(place, piece, unusable.code, str(unusable)):
        return Outcome.go_on(again.cursor(), result=analysis.body())
    end = len(text.text)
    is_spent = unusable.code == Ending.BUDGET_SPENT
    is_last = is_spent or len(analysis.gaps) + 1 >= MOST_GAPS
    after = end if is_last else piece.after
    analysis = analysis.without(Gap(start=piece.start, end=after, code=unusable.code))
    if after == end and analysis.unread >= end:
        raise _nothing_analysed(work, unusable)
    return _on(text, replace(place.behind(piece), at=after), analysis)


def _on(text: Text, place: Place, analysis: Analysis) -> Outcome:
    length = len(text.text)
    if place.at < length:
        return Outcome.go_on(place.cursor(), result=analysis.body())
    analysis = analysis.closed(length)
    unread: dict[str, Any] = {"unread": analysis.unread} if analysis.unread else {}
    return Outcome.done(result=analysis.body(), findings=len(analysis.findings), **unread)


def _nothing_analysed(work: Work, unusable: SourceUnreadable) -> SourceUnreadable:
    way_out = (
        f"To have it read, {LARGER_BUDGET}"
        if unusable.code == Ending.BUDGET_SPENT
        else f"Try it again with `./ratchet resume {work.task_id} --retry-set-aside`, name another "
        "`analyst` in the request, or remove the source"
    )
    return SourceUnreadable(
        f"No part of the text could be analysed: {WHY[Ending(unusable.code)]}. {way_out}",
        code=unusable.code,
        dependency="model",
    )


handler = step_handler(analyze)
