"""Calling a task off: its record comes first, from then on no worker of the run can move it."""

from __future__ import annotations

from lambdas.agent.contract import Status
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.ports import Executions
from lambdas.agent.tasks import Move, TaskRecord


def called_off(task: TaskRecord, ledger: Ledger) -> tuple[TaskRecord, bool]:
    """The task as it stands now, and whether it had ended before, which stays."""
    if task.status.is_final:
        return task, True
    move = Move(to=task.current_step, status=Status.CANCELLED)
    return ledger.move(task.task_id, move, run=task.run), False


def stopped(task: TaskRecord, executions: Executions, *, cause: str) -> None:
    """End what runs of a task that was called off; once more where that failed before."""
    if not executions.status(task.execution).is_over:
        executions.stop(task.execution, cause=cause)
