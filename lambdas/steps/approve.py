"""APPROVE: a person decides, by task token; or the policy decides that nobody needs to.

Reads    the request's approval policy.
Writes   the token into the record, where only the decision's door reads it; or the decision.
Effects  the signal that wakes the state, when the decision is there already.
Repeats  safely; a retried state's token replaces the one before, a decision that was made is
         signalled again.
"""

from __future__ import annotations

from typing import Any

from lambdas.agent.approval import Verdict, decided, signal_of
from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Decision, Progress, Status, Step
from lambdas.agent.model import Move, Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran
from lambdas.agent.work import Work
from lambdas.entry import step_handler

BY_POLICY = Verdict(
    decision=Decision.APPROVED, by="policy", note="The request asks for no approval (auto)"
)


def approve(work: Work) -> Outcome:
    # Without a comparison with the run before, everything counts as changed: on_change asks too.
    if fields_of(work.read(work.unit.context["request"]))["approval"] == "auto":
        return decided(work, BY_POLICY)
    return Outcome.ask(
        callback=work.unit.context["task_token"],
        move=Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL),
        report=work.args["report"],
    )


def answer(ran: Ran, unit: Unit, ports: Ports) -> dict[str, Any]:
    """The state listens to the signal, not to this: a decision that stands is sent to it."""
    if ran.outcome.progress is Progress.DONE:
        ports.callbacks.succeed(unit.context["task_token"], signal_of(ran.outcome))
    return ran.outcome.as_event()


handler = step_handler(approve, answer=answer)
