"""How long an approval still waits, and when somebody is reminded of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from lambdas.agent import approval
from lambdas.agent.instants import epoch
from lambdas.agent.notices import Kind, Notice, window
from lambdas.agent.ports import Ports

LEAD_AT_MOST, PART = 86_400, 4
"""A reminder comes a day before the end, and not before three quarters of the window are over."""
LEAD_AT_LEAST = 900
"""Seconds: who was asked a moment ago is not reminded."""
OF_AN_APPROVAL = frozenset({Kind.APPROVAL_REQUESTED, Kind.APPROVAL_REMINDER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Since when, in epoch seconds, and until when a report waits; empty where none does."""

    since: float = 0.0
    until: str = ""


def asked_of(notice: Notice, ports: Ports) -> Asked | None:
    """How the approval stands that the notice is about. None where it need not be told any more:
    an answer, or another window, makes a request no less true, but a reminder idle.
    """
    if notice.kind not in OF_AN_APPROVAL:
        return Asked()
    task = ports.ledger.task(notice.task_id)
    asked = approval.record_of(ports, notice.task_id, notice.revision)
    if task is None or asked is None or asked.outcome is None:
        return None
    until = str(asked.outcome.facts.get("until", ""))
    if notice.kind is Kind.APPROVAL_REMINDER:
        is_its_window = bool(until) and notice.occasion.endswith(f".{window(until)}")
        is_over = not approval.is_open(task, asked) or ports.clock.now() >= epoch(until)
        if is_over or not is_its_window:
            return None
    return Asked(since=asked.updated_at, until=until)


def due_in(notice: Notice, asked: Asked, *, now: float) -> int:
    """Seconds until it is to be told; 0 where that is now. In a window too short for a reminder
    it is due when it is over: then there is nothing to remind of, and another has its own.
    """
    if notice.kind is not Kind.APPROVAL_REMINDER:
        return 0
    until = epoch(asked.until)
    lead = min(LEAD_AT_MOST, (until - asked.since) / PART)
    due = until + 1 if lead < LEAD_AT_LEAST else until - lead
    return max(0, ceil(due - now))
