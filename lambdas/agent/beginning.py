"""A task is begun by its request, once, whoever asks and however often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.agent.errors import IllegalMove, InputChanged, StillClaimed
from lambdas.agent.identity import execution_name
from lambdas.agent.intake import checked, input_id, task_of
from lambdas.agent.ports import Ports
from lambdas.agent.tasks import ExecutionStatus, TaskRecord

FIRST_RUN = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """`already` where the same request had begun the task before, be it over by now."""

    task_id: str
    already: bool


def begin(typed: Mapping[str, Any], ports: Ports) -> Beginning:
    """The execution's name follows from the task, so that two at once start one.

    InvalidRequest for a faulty request, InputChanged for another one under the same id. Whoever
    died on the way, be it between the inbox and the execution, asks again and loses nothing.
    """
    request = checked(typed, ports)
    task_id, wanted = task_of(request), input_id(request)
    if known := ports.ledger.task(task_id):
        return hold_to(known, wanted)
    name = execution_name(task_id, FIRST_RUN)
    already = ports.executions.status(name) is not ExecutionStatus.ABSENT
    if ports.executions.start(name, ports.inbox.told(typed)):
        return Beginning(task_id=task_id, already=already)
    if known := ports.ledger.task(task_id):  # it has just been written down
        return hold_to(known, wanted)
    raise _not_comparable(task_id, name, ports)


def hold_to(task: TaskRecord, wanted: str) -> Beginning:
    """InputChanged where the task was begun by another request than the one of this input id."""
    if task.input_id != wanted:
        raise InputChanged(
            f"Task {task.task_id} was started with another request under the same workflow_id "
            f"{task.workflow_id!r}: give this one a workflow_id of its own"
        )
    return Beginning(task_id=task.task_id, already=True)


def _not_comparable(task_id: str, name: str, ports: Ports) -> IllegalMove | StillClaimed:
    """Until PLAN has written the task down nobody knows what was asked in other words."""
    if ports.executions.status(name).is_over:
        return IllegalMove(
            f"The execution of task {task_id} ended before it had begun, and its name is used up: "
            "give the request a workflow_id of its own"
        )
    return StillClaimed(
        f"Task {task_id} begins at this moment with a request that is written otherwise: ask again"
    )
