"""Starting a task, or finding out that it was started before."""

from __future__ import annotations

from dataclasses import dataclass

from console import executions, tasks
from console.account import Account
from console.errors import Refused
from console.executions import Execution
from console.requests import Prepared, execution_input
from console.words import is_abandoned
from lambdas.agent.beginning import FIRST_RUN
from lambdas.agent.identity import execution_name
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """`task` and `execution` as they were found: none of the first where it is new, or where
    nothing was recorded before it failed.
    """

    task_id: str
    name: str
    is_new: bool
    task: TaskRecord | None = None
    execution: Execution | None = None

    @property
    def is_over(self) -> bool:
        if self.task and self.task.status.is_final:
            return True
        has_ended = self.execution is not None and not self.execution.is_running
        return has_ended or is_abandoned(self.task, self.execution)


def begin(account: Account, prepared: Prepared) -> Begun:
    """Two starts of one request are one task: whoever comes second finds it."""
    found = tasks.task(account, prepared.task_id)
    if found:
        return _found(account, prepared, found)
    name = execution_name(prepared.task_id, FIRST_RUN)
    is_new = executions.start(account, name, execution_input(prepared, account))
    if is_new:
        return Begun(task_id=prepared.task_id, name=name, is_new=True)
    return Begun(
        task_id=prepared.task_id,
        name=name,
        is_new=False,
        execution=executions.find(account, name),
        task=tasks.task(account, prepared.task_id),
    )


def _found(account: Account, prepared: Prepared, task: TaskRecord) -> Begun:
    if task.input_id != prepared.input_id:
        raise Refused(
            f"Task {task.task_id} was started with another request under the same workflow_id "
            f"{task.workflow_id!r}. Give this one a workflow_id of its own, or add --fresh."
        )
    execution = executions.find(account, task.execution)
    return Begun(
        task_id=task.task_id,
        name=task.execution,
        is_new=False,
        execution=execution,
        task=tasks.known_task(account, task.task_id),  # read last: it may just have ended
    )
