"""A page of the newest tasks, each with the status it really has: what the API lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from console import tasks
from console.account import Account
from lambdas.agent.api_routes import LISTED
from lambdas.agent.standing import briefly
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A task's record; and its status, which the record of an abandoned run does not tell."""

    task: TaskRecord
    status: str

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.task), "status": self.status}


def listed(account: Account, limit: int, *, before: str | None = None) -> list[Listed]:
    """Those that are older than the task `before`; from the newest on where none is named."""
    place = tasks.known_task(account, before).place if before else None
    return [_checked(account, record) for record in account.ledger.newest(limit, before=place)]


def what_follows(found: Sequence[Listed], limit: int, *, before: str | None, where: str) -> str:
    """How to see the next page; or why this one is empty."""
    if not found:
        older = f"older than {before} in {where}" if before else f"in {where} yet"
        return f"There are no tasks {older}."
    if len(found) < limit:
        return ""
    size = "" if limit == LISTED else f" --limit {limit}"
    return f"The next page: `./ratchet list{size} --before {found[-1].task.task_id}`."


def _checked(account: Account, record: TaskRecord) -> Listed:
    stands = briefly(record, account)
    return Listed(task=stands.task or record, status=stands.status)
