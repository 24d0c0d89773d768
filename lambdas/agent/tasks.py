"""A task, its record in the ledger, and how that moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lambdas.agent.contract import Status, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """What PLAN knows of a task before it has a record. `input_id` is the request's digest,
    `request` the artifact that holds it.
    """

    task_id: str
    agent_id: str
    workflow_id: str
    input_id: str
    execution: str
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """A task's item in the ledger: where it stands, whoever asks. Times are epoch seconds."""

    task_id: str
    agent_id: str
    workflow_id: str
    input_id: str
    status: Status
    current_step: Step
    state_version: int
    schema_version: int
    execution: str
    run: int
    request: str = ""
    """The artifact that holds the request; empty in records older than continuations."""
    sources: int = 0
    read: int = 0
    revision: int = 0
    waits_until: str = ""
    """The end of the window in which a person may answer, as they were asked last."""
    result_uri: str = ""
    budget: str = ""
    """The request's limits, in words; empty where it names none."""
    error_code: str = ""
    last_error: str = ""
    created_at: float
    updated_at: float

    @property
    def place(self) -> Place:
        return Place(created_at=self.created_at, task_id=self.task_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a task stands on the list of all tasks."""

    created_at: float
    task_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How the task's record moves in the transaction that commits a task-level unit."""

    to: Step
    status: Status = Status.RUNNING
    fields: Mapping[str, str | int] = field(default_factory=dict)
    """Attributes of the task record to set beside it: result_uri, error_code, ..."""


class ExecutionStatus(StrEnum):
    """How an execution of the state machine stands."""

    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    ABORTED = "ABORTED"
    ABSENT = "ABSENT"  # there never was one of that name, or it is forgotten after 90 days

    @classmethod
    def of(cls, told: str) -> ExecutionStatus:
        """A status that is none of ours belongs to an execution that may still do something."""
        return next((status for status in cls if status == told), cls.RUNNING)

    @property
    def is_over(self) -> bool:
        return self is not ExecutionStatus.RUNNING
