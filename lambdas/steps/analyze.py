"""ANALYZE: what one text says about the questions.

Reads    the text and the request.
Writes   the findings so far, in the record or as an artifact.
Effects  none; where the deployment names a model, one job of it for each piece of the text.
Repeats  safely; a text too long for one invocation is read on from the cursor, and a job that
         was begun is asked after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lambdas.agent.asking import PROMPT, grounded, payload, pieces
from lambdas.agent.codec import fields_of, findings_body, findings_of, text_of
from lambdas.agent.extractive import merge
from lambdas.agent.findings import FINDINGS_EACH, Finding, Text
from lambdas.agent.job_state import Phase
from lambdas.agent.jobs import Kind, follow, waiting
from lambdas.agent.model import Outcome
from lambdas.agent.ports import Jobs
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def analyze(work: Work) -> Outcome:
    text = text_of(work.read(work.args["text"]))
    questions = fields_of(work.read(work.args["request"]))["questions"]
    model = work.ports.model
    return _ranked(work, text, questions) if model is None else _asked(work, model, text, questions)


def _ranked(work: Work, text: Text, questions: Sequence[str]) -> Outcome:
    lap = work.ports.analyst.find(
        text, questions, start=work.cursor.get("next", 0), stop=work.is_time_up
    )
    return _merged(work, lap.findings, {"next": lap.next_start} if lap.next_start else {})


def _asked(work: Work, model: Jobs, text: Text, questions: Sequence[str]) -> Outcome:
    number, parts = work.cursor.get("piece", 0), tuple(pieces(text))
    piece = parts[number]
    asked = payload(work.ports.prompts.get(PROMPT), questions, text.text[piece.start : piece.end])
    subject = f"{PROMPT} {work.args['text']} {number}"
    place = {"piece": number}
    state = follow(work, model, asked, kind=Kind.FINDINGS, subject=subject, place=place)
    if state.phase is Phase.RUNNING:
        return waiting(state, result=work.result_so_far())
    said = work.ports.answers.parse(state.body)
    found = grounded(said, text, piece, questions=len(questions))
    return _merged(work, found, {"piece": number + 1} if number + 1 < len(parts) else {})


def _merged(work: Work, found: Iterable[Finding], place: dict[str, int]) -> Outcome:
    """With what the laps before have found; `place` is where the next one goes on, if any."""
    findings = merge((*findings_of(work.result_so_far()), *found), FINDINGS_EACH)
    if place:
        return Outcome.go_on(place, result=findings_body(findings))
    return Outcome.done(result=findings_body(findings), findings=len(findings))


handler = step_handler(analyze)
