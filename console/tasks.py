"""Tasks and units as commands ask for them: one that must be there, those under way."""

from __future__ import annotations

from console.account import Account
from console.errors import BadInput, Refused
from lambdas.agent.api_queries import is_task_id
from lambdas.agent.beginning import FIRST_RUN
from lambdas.agent.identity import execution_name
from lambdas.agent.model import Unit, UnitRecord
from lambdas.agent.tasks import ExecutionStatus, TaskRecord


def known_task(account: Account, task_id: str) -> TaskRecord:
    """One whose execution was started, and has written nothing down yet, is told from none."""
    if not is_task_id(task_id):  # what never was an id is not looked up
        raise _no_task(account, task_id)
    if found := account.ledger.task(task_id):
        return found
    began = account.executions.status(execution_name(task_id, FIRST_RUN))
    if began is ExecutionStatus.ABSENT:
        raise _no_task(account, task_id)
    raise _unrecorded(task_id, began)


def under_way(account: Account) -> list[TaskRecord]:
    """Those that have not ended, newest first."""
    found = account.ledger.under_way()
    return sorted(found, key=lambda task: task.created_at, reverse=True)


def unit(account: Account, asked: Unit) -> UnitRecord | None:
    found = account.ledger.units(asked.task_id, item=asked.item)
    return next((each for each in found if each.step is asked.step), None)


def _no_task(account: Account, task_id: str) -> BadInput:
    return BadInput(
        f"There is no task {task_id} in {account.name}: `./ratchet list` shows those there are."
    )


def _unrecorded(task_id: str, began: ExecutionStatus) -> Refused:
    see = f"see it with `./ratchet watch {task_id}`"
    if began.is_over:
        return Refused(
            f"The execution of task {task_id} ended before it had begun, and its name is used up: "
            f"{see}, and give the request a workflow_id of its own."
        )
    return Refused(
        f"Task {task_id} has just been started and is not written down yet: ask again in a "
        f"moment, or {see}."
    )
