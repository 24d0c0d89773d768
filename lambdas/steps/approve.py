"""APPROVE: a person decides, by task token; or the policy decides that nobody needs to.

Reads    the request's approval policy; for `auto` also how much the report says.
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
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work
from lambdas.entry import step_handler

BY_POLICY = Verdict(
    decision=Decision.APPROVED, by="policy", note="The request asks for no approval (auto)"
)


def approve(work: Work) -> Outcome:
    # Without a comparison with the run before, everything counts as changed: on_change asks too.
    # Whatever the policy, a report that rests on nothing is not published by itself.
    policy = fields_of(work.read(work.unit.context["request"]))["approval"]
    if policy == "auto" and _says_something(work):
        return decided(work, BY_POLICY)
    return Outcome.ask(
        callback=work.unit.context["task_token"],
        move=Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL),
        report=work.args["report"],
    )


def _says_something(work: Work) -> bool:
    """Whether the report that is to be decided on has a statement."""
    made = work.ports.ledger.units(work.task_id, item=work.unit.item)
    outcomes = [unit.outcome for unit in made if unit.step is Step.REPORT]
    return any(outcome and outcome.facts["statements"] for outcome in outcomes)


def answer(ran: Ran, unit: Unit, ports: Ports) -> dict[str, Any]:
    """The state listens to the signal, not to this: a decision that stands is sent to it."""
    if ran.outcome.progress is Progress.DONE:
        ports.callbacks.succeed(unit.context["task_token"], signal_of(ran.outcome))
    return ran.outcome.as_event()


handler = step_handler(approve, answer=answer)
