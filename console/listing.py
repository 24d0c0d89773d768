"""The newest tasks, each with the status it really has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from console import executions, tasks, words
from console.account import Account
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A task's record; and its status, which the record of an abandoned run does not tell."""

    task: TaskRecord
    status: str

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.task), "status": self.status}


def listed(account: Account, limit: int) -> list[Listed]:
    return [_checked(account, record) for record in tasks.newest(account, limit)]


def _checked(account: Account, record: TaskRecord) -> Listed:
    """The execution is asked before the record is read again: it may just have ended."""
    if record.status.is_final:
        return Listed(task=record, status=record.status.value)
    execution = executions.find(account, record.execution)
    record = tasks.task(account, record.task_id) or record
    return Listed(task=record, status=words.ending(record, execution))
