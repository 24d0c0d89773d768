"""A job and the budget of its run: waiting for room, the price of an answer, giving back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.costs import Hold, Purse
from lambdas.agent.endings import Ending, broken
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.job_places import Kind, job_keys
from lambdas.agent.job_state import JobState
from lambdas.agent.model_ports import Jobs
from lambdas.agent.spending import Spending
from lambdas.agent.work import Work

WAITED = "waited"
"""The name under which a cursor counts how often a unit waited for what others hold."""
WAITS = (5, 10, 20, *[30] * 18)
"""Seconds, about ten minutes together: what others hold may be given back."""


def let_go(
    work: Work,
    jobs: Jobs,
    payload: Mapping[str, Any],
    *,
    kind: Kind,
    subject: str,
    spending: Spending,
) -> None:
    """Of a question whose answer was found elsewhere: a worker before us may hold something."""
    held = spending.hold(payload, jobs).cost
    for key in job_keys(work, kind, subject, work.unit.context.get("run", 1)):
        intent = Intent(key=key, kind=kind, stage=Stage.RESERVED, held=held)
        work.ports.ledger.forgo(work.task_id, intent)


def without_room(work: Work, purse: Purse, hold: Hold, place: Mapping[str, Any]) -> JobState:
    """What is spent stays spent; what others hold is waited for, as long as it may help."""
    waited = int(work.cursor.get(WAITED, 0))
    if waited >= len(WAITS) or not hold.limits.admit(purse.spent + hold.cost):
        return broken(Ending.BUDGET_SPENT)
    return replace(JobState.running(WAITS[waited]), cursor={**place, WAITED: waited + 1})


def priced(state: JobState, spending: Spending | None, intent: Intent) -> JobState:
    """With what it counts for: what its provider tells, or else what was held for it."""
    if spending is None:
        return state
    if state.usage is None:
        return replace(state, cost=intent.held)
    cost = spending.cost_of(state.usage)
    return replace(state, cost=cost, usage=replace(state.usage, micro_usd=cost.micro_usd))
