"""DECIDE: a person's answer to a report comes in here.

Event    {"task_id", "decision": APPROVED | CHANGES_REQUESTED | REJECTED | MORE_TIME, "by", "note"}
Answer   the decision that stands, `already` where it had been made before, and `heard`:
         whether the waiting state could be woken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent import approval
from lambdas.agent.contract import Decision
from lambdas.agent.errors import IllegalMove
from lambdas.agent.ports import Ports
from lambdas.agent.verdicts import Verdict
from lambdas.entry import door_handler


def decide(event: Mapping[str, Any], ports: Ports, *, owner: str, seconds: float) -> dict[str, Any]:
    task_id = str(event["task_id"])
    task = ports.ledger.task(task_id)
    asked = approval.record_of(ports, task_id, task.revision) if task else None
    if task is None or asked is None:
        raise IllegalMove(
            f"Task {task_id} waits for nobody's decision: see `./ratchet status {task_id}`"
        )
    verdict = Verdict(
        decision=Decision(event["decision"]), by=str(event["by"]), note=str(event.get("note", ""))
    )
    ran = approval.decide(verdict, asked, task_id, ports, owner=owner, seconds=seconds)
    return approval.told(ran, heard=approval.signalled(ran.outcome, task_id, ports))


handler = door_handler(decide)
