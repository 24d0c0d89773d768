"""COMPLETE: the record is closed: published, rejected, or expired without an answer.

Reads    nothing.
Writes   the task's final status.
Effects  none.
Repeats  safely; what has ended stays as it ended.
"""

from __future__ import annotations

from lambdas.agent.contract import Status, Step
from lambdas.agent.model import Outcome
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def complete(work: Work) -> Outcome:
    end = Status(work.args["end"])
    return Outcome.done(move=Move(to=Step.COMPLETE, status=end), status=end.value)


handler = step_handler(complete)
