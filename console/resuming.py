"""Going on with a task that failed, or whose execution is over; and calling one off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from console import doors, tasks
from console.account import Account
from console.begin import Begun
from console.errors import Refused
from lambdas.agent import resuming
from lambdas.agent.contract import Status
from lambdas.agent.resuming import Hindrance
from lambdas.agent.tasks import TaskRecord


def resume(account: Account, task_id: str, *, retry_set_aside: bool = False) -> Begun:
    """Two at once start one execution, and whoever comes second finds it."""
    task, begun = resuming.resume(
        lambda: tasks.known_task(account, task_id),
        account.executions,
        retry_set_aside=retry_set_aside,
    )
    if isinstance(begun, Hindrance):
        raise Refused(_SAID[begun](task))
    return Begun(task_id=task_id, name=begun.name, is_new=begun.is_new)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledOff:
    """`already` where it had been called off before, `stopped` where its execution still ran."""

    task_id: str
    already: bool
    stopped: bool

    def __str__(self) -> str:
        if self.stopped:
            return f"Cancelled {self.task_id} and stopped its execution."
        before = " before" if self.already else ""
        return f"Cancelled {self.task_id}{before}; its execution was over."

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "status": Status.CANCELLED.value}


def cancel(account: Account, task_id: str, *, by: str, pause: Callable[[float], None]) -> CalledOff:
    """What was done. The record comes first: from then on no worker of the run can move it."""
    tasks.known_task(account, task_id)
    told = {"task_id": task_id}
    answer = doors.call(account, account.resources.cancel_function, told, pause=pause)
    if answer["status"] != Status.CANCELLED:
        raise Refused(f"Task {task_id} has ended as {answer['status']}: there is nothing to stop.")
    name = str(answer["execution"])
    runs = not account.executions.status(name).is_over
    if runs:
        cause = f"Called off by {by} with `./ratchet cancel`"
        account.executions.stop(name, cause=cause)
    return CalledOff(task_id=task_id, already=bool(answer["already"]), stopped=runs)


def _ended(task: TaskRecord) -> str:
    see = f"./ratchet status {task.task_id}"
    return (
        f"Task {task.task_id} has ended as {task.status}, and stays so: see `{see}`, or start its "
        "request anew with --fresh."
    )


def _under_way(task: TaskRecord) -> str:
    return (
        f"Task {task.task_id} is under way in run {task.run}: see it with `./ratchet watch "
        f"{task.task_id}`, or call it off with `./ratchet cancel {task.task_id}`."
    )


def _lost(task: TaskRecord) -> str:
    return (
        f"Every execution of task {task.task_id} ended before it had begun: see their graphs in "
        "Step Functions, and mend what they say."
    )


_SAID = {Hindrance.ENDED: _ended, Hindrance.UNDER_WAY: _under_way, Hindrance.LOST: _lost}
