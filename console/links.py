"""The address at which a report is decided on, for whoever may open its seal."""

from __future__ import annotations

from console import tasks
from console.account import Account
from console.errors import Refused
from lambdas.adapters.kms_seals import KmsSeals
from lambdas.agent.approval import is_open, unit_of
from lambdas.agent.invitation import address_of, opened
from lambdas.agent.tasks import TaskRecord


def approval_link(account: Account, task: TaskRecord) -> str:
    """It is a secret: it is printed, and kept nowhere."""
    asked = tasks.unit(account, unit_of(task.task_id, f"r{task.revision}", ""))
    held = None
    if asked and is_open(task, asked):
        seals = KmsSeals(account.kms, account.resources.seal_key)
        held = opened(asked.outcome, task.task_id, seals)
    if held is None or not held.id:
        raise Refused(
            f"Task {task.task_id} waits for nobody's decision: see `./ratchet status "
            f"{task.task_id}`."
        )
    return address_of(account.resources.http_url, held.id)
