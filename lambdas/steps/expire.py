"""EXPIRE: the window of an approval is over; whoever has answered by then is heard all the same.

Reads    the record of APPROVE, whose unit it works on: the end of the window is one more answer,
         and the first one counts.
Writes   EXPIRED as the decision; nothing where there is one, or where more time was asked for.
Effects  none.
Repeats  safely; what was decided stays decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.approval import decided, is_extended, signal_of, still_asked, unit_of
from lambdas.agent.contract import Decision
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran
from lambdas.agent.verdicts import Verdict
from lambdas.agent.work import Work
from lambdas.entry import step_handler

BY_THE_CLOCK = Verdict(decision=Decision.EXPIRED, by="nobody", note="Nobody answered in time")


def identify(event: Mapping[str, Any], _: Ports) -> Unit:
    return unit_of(event["task_id"], f"r{event['revision']}", event["args"]["report"])


def expire(work: Work) -> Outcome:
    if work.held.outcome and is_extended(work.held.outcome):
        return still_asked(work)
    return decided(work, BY_THE_CLOCK)


def answer(ran: Ran, _: Unit, __: Ports) -> dict[str, Any]:
    """As the answer of a person whose signal was lost would have come to the state."""
    return signal_of(ran.outcome)


handler = step_handler(expire, identify=identify, answer=answer)
