"""How a task stands, whoever asks: by its record, its execution, its sources and its purse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lambdas.agent.beginning import FIRST_RUN
from lambdas.agent.checkup import Sign, is_abandoned
from lambdas.agent.contract import CONTINUABLE, Status, Step
from lambdas.agent.costs import EMPTY, Purse
from lambdas.agent.identity import execution_name
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.ports import Clock, Executions
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import ExecutionStatus, TaskRecord

ABANDONED = Sign.ABANDONED.value
"""The record waits for an execution that is over: nothing moves it any more."""
STUCK = frozenset({Status.FAILED.value, ABANDONED})
COUNTED = frozenset({Step.REPORT, Step.APPROVE, Step.EXPIRE, Step.PUBLISH, Step.COMPLETE})
"""VALIDATE has counted the sources into the record; before, they are counted from their units."""


class Looked(Protocol):
    """What is looked at; the ports have all of it, and so has the command line."""

    @property
    def clock(self) -> Clock: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def executions(self) -> Executions: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`task` is None where its execution was started and has written nothing down yet."""

    task_id: str
    status: str
    task: TaskRecord | None = None
    read: int = 0
    aside: int = 0
    purse: Purse = EMPTY

    @property
    def may_go_on(self) -> bool:
        is_stuck = self.status in STUCK
        return is_stuck and self.task is not None and self.task.status in CONTINUABLE

    @property
    def may_be_called_off(self) -> bool:
        return self.task is not None and not self.task.status.is_final


def standing(task_id: str, ports: Looked) -> Standing | None:
    """None where there is no such task, and none has just been started."""
    status, task = _looked_at(ports.ledger.task(task_id), task_id, ports)
    if task is None:
        return Standing(task_id=task_id, status=status) if status else None
    if status in STUCK and _is_taken_on(task, ports):
        status = Status.PENDING
    is_counted = task.current_step in COUNTED
    tally = Tally() if is_counted else ports.ledger.tally(task_id)
    return Standing(
        task_id=task_id,
        status=status,
        task=task,
        read=task.read if is_counted else tally.read,
        aside=_aside(task) if is_counted else tally.aside,
        purse=ports.ledger.purse(task_id),
    )


def briefly(listed: TaskRecord, ports: Looked) -> Standing:
    """Of a list: without counting its sources or its purse."""
    status, task = _looked_at(listed, listed.task_id, ports)
    return Standing(task_id=listed.task_id, status=status, task=task or listed)


def _looked_at(
    known: TaskRecord | None, task_id: str, ports: Looked
) -> tuple[str, TaskRecord | None]:
    """The execution is asked before the record is read again: it may just have ended."""
    if known and known.status.is_final:
        return known.status, known
    name = known.execution if known else execution_name(task_id, FIRST_RUN)
    execution = ports.executions.status(name)
    task = ports.ledger.task(task_id) or known
    if task is None:
        return _unrecorded(execution), None
    is_stuck = task.execution == name and is_abandoned(task, execution, now=ports.clock.now())
    return ABANDONED if is_stuck else task.status, task


def _is_taken_on(task: TaskRecord, ports: Looked) -> bool:
    """By a run that has just been started, and has not written it down yet."""
    following = execution_name(task.task_id, task.run + 1)
    return ports.executions.status(following) is ExecutionStatus.RUNNING


def _unrecorded(execution: ExecutionStatus) -> str:
    if execution is ExecutionStatus.ABSENT:
        return ""
    return ABANDONED if execution.is_over else Status.PENDING


def _aside(task: TaskRecord) -> int:
    return max(0, task.sources - task.read)
