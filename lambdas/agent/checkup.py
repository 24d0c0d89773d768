"""A task's record, its execution and its units compared: what does not fit, and what to do.

Shared by the sweeper, which acts on it, and by `./ratchet doctor`, which prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from lambdas.agent.contract import CLOCK_SKEW, Status
from lambdas.agent.model import UnitRecord
from lambdas.agent.tasks import ExecutionStatus, TaskRecord

NOT_SEEN_YET = 60
"""Seconds in which Step Functions may not yet know an execution that it has just begun."""


class Sign(StrEnum):
    """What does not fit together."""

    ABANDONED = "ABANDONED"  # the record is under way, its execution is over
    RUNS_ON = "RUNS_ON"  # the record has ended, its execution has not
    EXPIRED_LEASE = "EXPIRED_LEASE"  # a worker went away without giving its unit back
    MISSING_ARTIFACT = "MISSING_ARTIFACT"  # the record names something that is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`advice` is a command or a sentence; empty where the run mends it by itself."""

    task_id: str
    sign: Sign
    subject: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.sign}: {self.subject}" + (f". {self.advice}" if self.advice else "")


def examined(
    task: TaskRecord,
    execution: ExecutionStatus,
    units: Iterable[UnitRecord] = (),
    *,
    now: float,
) -> Iterator[Finding]:
    """The execution must have been looked at before the record was read: a run writes its end
    into the record before it ends.
    """
    if is_abandoned(task, execution, now=now):
        yield Finding(
            task_id=task.task_id,
            sign=Sign.ABANDONED,
            subject=f"{task.status} in run {task.run}, but its execution is {execution}",
            advice=f"Go on with `./ratchet resume {task.task_id}`",
        )
    if task.status is Status.CANCELLED and execution is ExecutionStatus.RUNNING:
        yield Finding(
            task_id=task.task_id,
            sign=Sign.RUNS_ON,
            subject=f"{task.status}, but its execution runs",
            advice=f"Stop it with `./ratchet cancel {task.task_id}`",
        )
    for unit in units:
        if unit.owner and is_expired(unit, now=now):
            yield Finding(
                task_id=task.task_id,
                sign=Sign.EXPIRED_LEASE,
                subject=f"{unit.step} of {unit.item}, attempt {unit.attempt}",
            )


def is_abandoned(task: TaskRecord, execution: ExecutionStatus, *, now: float) -> bool:
    if task.status.is_final or not execution.is_over:
        return False
    is_young = now - task.updated_at < NOT_SEEN_YET
    return not (execution is ExecutionStatus.ABSENT and is_young)


def is_expired(unit: UnitRecord, *, now: float) -> bool:
    return not unit.is_done and unit.leased_until < now - CLOCK_SKEW


def missing(task_id: str, named: Mapping[str, str], stored: Iterable[str]) -> list[Finding]:
    """`named` says of each artifact which unit names it."""
    there = set(stored)
    return [
        Finding(
            task_id=task_id,
            sign=Sign.MISSING_ARTIFACT,
            subject=f"{ref}, which {unit} names",
            advice="Start its request anew: what is lost cannot be made again",
        )
        for ref, unit in sorted(named.items())
        if ref not in there
    ]
