"""ANALYZE: what one text says about the questions.

Reads    the text and the request.
Writes   the findings so far, in the record or as an artifact.
Effects  none.
Repeats  safely; a text too long for one invocation is read on from the cursor.
"""

from __future__ import annotations

from lambdas.agent.codec import fields_of, findings_body, findings_of, text_of
from lambdas.agent.extractive import merge
from lambdas.agent.findings import FINDINGS_EACH
from lambdas.agent.model import Outcome
from lambdas.agent.runtime import Work
from lambdas.entry import step_handler


def analyze(work: Work) -> Outcome:
    text = text_of(work.read(work.args["text"]))
    questions = fields_of(work.read(work.args["request"]))["questions"]
    lap = work.ports.analyst.find(
        text, questions, start=work.cursor.get("next", 0), stop=work.is_time_up
    )
    findings = merge((*findings_of(work.result_so_far()), *lap.findings), FINDINGS_EACH)
    result = findings_body(findings)
    if lap.next_start is not None:
        return Outcome.go_on({"next": lap.next_start}, result=result)
    return Outcome.done(result=result, findings=len(findings))


handler = step_handler(analyze)
