"""COMPLETE: the record is closed: published, rejected, or expired without an answer.

Reads    of a rejection, whether it is recorded.
Writes   the task's final status; a rejection that an operator gave by the raw token.
Effects  none.
Repeats  safely; what has ended stays as it ended.
"""

from __future__ import annotations

from lambdas.agent import approval
from lambdas.agent.contract import Decision, Status, Step
from lambdas.agent.model import Outcome
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def complete(work: Work) -> Outcome:
    end = Status(work.args["end"])
    task = work.ports.ledger.task(work.task_id) if end is Status.REJECTED else None
    if task:
        approval.on_record(work, task.revision, Decision.REJECTED)
    return Outcome.done(move=Move(to=Step.COMPLETE, status=end), status=end.value)


handler = step_handler(complete)
