"""Starting a task, or finding out that it was started before."""

from __future__ import annotations

from dataclasses import dataclass

from console import executions
from console.account import Account
from console.errors import Refused
from console.executions import Execution
from console.requests import Prepared
from console.words import is_abandoned
from lambdas.agent.beginning import FIRST_RUN, hold_to
from lambdas.agent.errors import InputChanged
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
    task_id, name = prepared.task_id, execution_name(prepared.task_id, FIRST_RUN)
    known = account.ledger.task(task_id)
    if known is None and account.executions.start(name, account.inbox.told(prepared.typed)):
        return Begun(task_id=task_id, name=name, is_new=True)
    known = known or account.ledger.task(task_id)
    if known:
        _hold_to(known, prepared)
        name = known.execution
    return Begun(
        task_id=task_id,
        name=name,
        is_new=False,
        execution=executions.find(account, name),
        task=account.ledger.task(task_id),  # read last: it may just have ended
    )


def _hold_to(task: TaskRecord, prepared: Prepared) -> None:
    try:
        hold_to(task, prepared.input_id)
    except InputChanged as other:
        raise Refused(f"{other}, or add --fresh.") from other
