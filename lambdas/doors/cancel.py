"""CANCEL: somebody calls a task off. The record comes first, its execution is stopped after.

Event    {"task_id"}
Answer   how the task stands now, its execution, and `already` where it had ended before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.calling_off import called_off
from lambdas.agent.errors import IllegalMove
from lambdas.agent.ports import Ports
from lambdas.entry import door_handler


def cancel(event: Mapping[str, Any], ports: Ports, **_: Any) -> dict[str, Any]:
    task_id = str(event["task_id"])
    task = ports.ledger.task(task_id)
    if task is None:
        raise IllegalMove(f"There is no task {task_id}: see `./ratchet list`")
    task, already = called_off(task, ports.ledger)
    return {
        "task_id": task_id,
        "status": task.status.value,
        "execution": task.execution,
        "already": already,
    }


handler = door_handler(cancel)
