"""APPROVE: a person decides, by task token; or the policy decides that nobody needs to.

Reads    the request's approval policy; how much the report says, and whether anything changed.
Writes   the token and the id of the invitation into the record, sealed, and until when it waits;
         the id's hash, by which it is found; or the decision.
Effects  the signal that wakes the state, when the decision is there already.
Repeats  safely; a retried state's token replaces the one before, its invitation stays the same, a
         decision that was made is signalled again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.approval import WAITS, decided, signal_of
from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Decision, Progress, Step
from lambdas.agent.instants import iso
from lambdas.agent.invitation import Held, link_of, opened, sealed
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran
from lambdas.agent.verdicts import Verdict
from lambdas.agent.work import Work
from lambdas.entry import step_handler

UNTOLD = 72 * 3600
"""Seconds that a report waits where the state does not say: as every deployment had it then."""
BY_POLICY = Verdict(
    decision=Decision.APPROVED,
    by="policy",
    note="The request asks for no approval (auto)",
    rule="auto",
)
UNCHANGED = Verdict(
    decision=Decision.APPROVED,
    by="policy",
    note="Nothing has changed since the report before",
    rule="on_change",
)


def approve(work: Work) -> Outcome:
    policy = fields_of(work.read(work.unit.context["request"]))["approval"]
    if verdict := _verdict(policy, _reported(work)):
        return decided(work, verdict)
    return _asked(work)


def _asked(work: Work) -> Outcome:
    before = opened(work.held.outcome, work.task_id, work.ports.seals)
    id_ = (before.id if before else "") or work.ports.chance.token()
    link = link_of(id_)
    # A link that no record names leads nowhere; a record whose link leads nowhere asks nobody.
    work.ports.invitations.keep(link, task_id=work.task_id, item=work.unit.item)
    held = Held(token=work.unit.context["task_token"], id=id_)
    window = _window(work)
    return Outcome.ask(
        callback=sealed(held, work.task_id, work.ports.seals),
        move=replace(WAITS, fields={"waits_until": window["until"]}),
        report=work.args["report"],
        link=link,
        **window,
    )


def _window(work: Work) -> dict[str, Any]:
    """Until when it waits, and how often that was put off; a machine that was deployed before
    there was more time knows no way back here, and tells no window.
    """
    window, now = work.unit.context.get("window"), work.ports.clock.now()
    if window is None:
        return {"until": iso(now + UNTOLD)}
    facts = work.held.outcome.facts if work.held.outcome else {}
    return {"until": iso(now + int(window)), "extensions": facts.get("extensions", 0)}


def _verdict(policy: str, report: Mapping[str, Any]) -> Verdict | None:
    """None where a person is to decide. Without a comparison everything counts as changed, and
    whatever the policy, a report that rests on nothing is not published by itself.
    """
    if not report.get("statements"):
        return None
    if policy == "auto":
        return BY_POLICY
    return UNCHANGED if policy == "on_change" and not report.get("changed", True) else None


def _reported(work: Work) -> Mapping[str, Any]:
    """What REPORT said of the report that is to be decided on."""
    made = work.ports.ledger.units(work.task_id, item=work.unit.item)
    outcomes = [unit.outcome for unit in made if unit.step is Step.REPORT]
    return next((outcome.facts for outcome in outcomes if outcome), {})


def answer(ran: Ran, unit: Unit, ports: Ports) -> dict[str, Any]:
    """The state listens to the signal, not to this: a decision that stands is sent to it."""
    if ran.outcome.progress is Progress.DONE:
        ports.callbacks.succeed(unit.context["task_token"], signal_of(ran.outcome))
        return ran.outcome.as_event()
    return {"progress": ran.outcome.progress.value}


handler = step_handler(approve, answer=answer)
