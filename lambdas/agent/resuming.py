"""Going on with a task that failed, or whose execution is over: why not, or by which execution."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from lambdas.agent.continuing import Begun, begin_again
from lambdas.agent.contract import CONTINUABLE
from lambdas.agent.ports import Executions
from lambdas.agent.tasks import TaskRecord


class Hindrance(StrEnum):
    """Why nothing was started."""

    ENDED = "ENDED"  # for good: its status allows no later run
    UNDER_WAY = "UNDER_WAY"
    LOST = "LOST"  # every execution that was started ended before it had begun


def resume(
    look: Callable[[], TaskRecord], executions: Executions, *, retry_set_aside: bool = False
) -> tuple[TaskRecord, Begun | Hindrance]:
    """The task as it was found, and what came of it. Two at once start one execution.

    `look` reads the record, which is read last: it may just have ended.
    """
    known = look()
    execution = executions.status(known.execution)
    task = look()
    if task.status not in CONTINUABLE:
        return task, Hindrance.ENDED
    if not execution.is_over or task.execution != known.execution:
        return task, Hindrance.UNDER_WAY
    begun = begin_again(task, executions, retry_set_aside=retry_set_aside)
    return task, begun or Hindrance.LOST
