"""What others are told of a task: which change of its record is worth it, and under which name.

A notice is named by the task, its kind and the occasion, and by nothing that may differ from one
delivery of the change to the next: told twice it is one notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from lambdas.agent.contract import Status, Step
from lambdas.agent.identity import digest
from lambdas.agent.instants import epoch
from lambdas.agent.model import BESIDE, Unit
from lambdas.agent.tasks import TaskRecord

ONCE = "once"
"""The occasion of what a task goes through one time only."""


class Kind(StrEnum):
    """The types of notices: names are API, as docs/events.md has them."""

    TASK_ACCEPTED = "TaskAccepted"
    APPROVAL_REQUESTED = "ApprovalRequested"
    APPROVAL_REMINDER = "ApprovalReminder"
    REPORT_COMPLETED = "ReportCompleted"
    TASK_FAILED = "TaskFailed"
    TASK_EXPIRED = "TaskExpired"
    TASK_REJECTED = "TaskRejected"
    TASK_CANCELLED = "TaskCancelled"


ENDS: Mapping[Status, Kind] = {
    Status.SUCCEEDED: Kind.REPORT_COMPLETED,
    Status.FAILED: Kind.TASK_FAILED,
    Status.EXPIRED: Kind.TASK_EXPIRED,
    Status.REJECTED: Kind.TASK_REJECTED,
    Status.CANCELLED: Kind.TASK_CANCELLED,
}
TOLD_OF = frozenset({Status.WAITING_FOR_APPROVAL, *ENDS})
"""A record that comes to one of these is worth telling; so is a record that is new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    task_id: str
    kind: Kind
    occasion: str = ONCE

    def key(self, channel: str) -> str:
        """Under which it goes out by that channel, at every attempt."""
        return digest("notice", self.task_id, self.kind, self.occasion, channel)

    def execution(self, channel: str) -> str:
        """The name of the execution that tells it: at most 80 characters."""
        return f"{self.task_id[:60]}-{self.key(channel)[:19]}"

    def told(self, channel: str) -> dict[str, Any]:
        """The input of that execution: names alone, the record says the rest."""
        return {
            "task_id": self.task_id,
            "kind": self.kind.value,
            "occasion": self.occasion,
            "channel": channel,
        }

    def unit(self, channel: str) -> Unit:
        item = f"{BESIDE}{self.kind}.{self.occasion}.{channel}"
        return Unit(task_id=self.task_id, step=Step.TELL, item=item, args=self.told(channel))

    @property
    def revision(self) -> int:
        """Which report is asked about."""
        return int(self.occasion.removeprefix("r").partition(".")[0])

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        return cls(
            task_id=str(told["task_id"]),
            kind=Kind(told["kind"]),
            occasion=str(told["occasion"]),
        )


def notices_of(task: TaskRecord, *, is_new: bool) -> list[Notice]:
    """What the record, as it has just become, gives to tell."""
    if is_new:
        return [Notice(task_id=task.task_id, kind=Kind.TASK_ACCEPTED)]
    if task.status is Status.WAITING_FOR_APPROVAL:
        return list(_of_an_approval(task))
    kind = ENDS.get(task.status)
    if kind is None:
        return []
    # A task that failed may be taken on by a later run, and fail of something else.
    occasion = f"run{task.run}" if kind is Kind.TASK_FAILED else ONCE
    return [Notice(task_id=task.task_id, kind=kind, occasion=occasion)]


def window(until: str) -> str:
    """A window by its end, as an occasion names it."""
    return str(int(epoch(until)))


def _of_an_approval(task: TaskRecord) -> Iterator[Notice]:
    """Asked once for each report; reminded once in each window, for it may be given another."""
    asked = f"r{task.revision}"
    yield Notice(task_id=task.task_id, kind=Kind.APPROVAL_REQUESTED, occasion=asked)
    if task.waits_until:
        occasion = f"{asked}.{window(task.waits_until)}"
        yield Notice(task_id=task.task_id, kind=Kind.APPROVAL_REMINDER, occasion=occasion)
