"""Tasks and units as commands ask for them: one that must be there, those under way."""

from __future__ import annotations

from console.account import Account
from console.errors import BadInput
from lambdas.agent.model import Unit, UnitRecord
from lambdas.agent.tasks import TaskRecord


def known_task(account: Account, task_id: str) -> TaskRecord:
    found = account.ledger.task(task_id)
    if found is None:
        raise BadInput(
            f"There is no task {task_id} in {account.name}: `./ratchet list` shows those there are."
        )
    return found


def under_way(account: Account) -> list[TaskRecord]:
    """Those that have not ended, newest first."""
    found = account.ledger.under_way()
    return sorted(found, key=lambda task: task.created_at, reverse=True)


def unit(account: Account, asked: Unit) -> UnitRecord | None:
    found = account.ledger.units(asked.task_id, item=asked.item)
    return next((each for each in found if each.step is asked.step), None)
