"""What the state machine, the stacks and the Lambdas agree on: names, budgets, statuses.

Nothing here may import anything of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

LAMBDA_MAXIMUM = 900
"""Seconds that AWS lets a function run at the most."""

SCHEMA_VERSION = 1
"""Of the ledger's records; apart from their `version`, which counts writes."""

INLINE_LIMIT = 4096
"""Bytes, compressed, up to which an outcome lives in its record: a PUT to S3 costs eight writes."""

FACTS_LIMIT = 3072
"""Bytes of JSON of an outcome's facts and cursor: with all the rest a record stays below 8 KB."""

MOVE_LIMIT = 4608
"""Bytes of UTF-8 that a move sets beside a task: 1,000 characters of message, in any script."""

STATE_LIMIT = 4096
"""Bytes of JSON that a state may take in or hand on. AWS ends the execution at 262,144."""


class Step(StrEnum):
    """The states that run our code. Each is the file `lambdas/steps/<name>.py`."""

    PLAN = "PLAN"
    FETCH = "FETCH"
    EXTRACT = "EXTRACT"
    ANALYZE = "ANALYZE"
    SET_ASIDE = "SET_ASIDE"
    VALIDATE = "VALIDATE"
    REPORT = "REPORT"
    APPROVE = "APPROVE"
    EXPIRE = "EXPIRE"
    PUBLISH = "PUBLISH"
    COMPLETE = "COMPLETE"
    RECORD_FAILURE = "RECORD_FAILURE"
    TELL = "TELL"  # of a machine of its own

    @property
    def handler(self) -> str:
        return f"lambdas.steps.{self.value.lower()}.handler"


class Door(StrEnum):
    """The Lambdas that are not states. Each is the file `lambdas/doors/<name>.py`."""

    DECIDE = "DECIDE"
    APPROVALS = "APPROVALS"
    CANCEL = "CANCEL"
    SWEEP = "SWEEP"
    TICK = "TICK"
    API = "API"
    NOTICE = "NOTICE"

    @property
    def handler(self) -> str:
        return f"lambdas.doors.{self.value.lower()}.handler"


class Progress(StrEnum):
    """How a unit of work stands after an invocation."""

    DONE = "DONE"
    CONTINUE = "CONTINUE"  # there is more to do, and nothing to wait for
    PENDING = "PENDING"  # something outside is not ready yet: wait, then ask again
    WAITING = "WAITING"  # a person has to answer


class Status(StrEnum):
    """How a task stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING_FOR_APPROVAL = "WAITING_FOR_APPROVAL"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        return not MOVES[self]


_ENDS = frozenset(
    {Status.SUCCEEDED, Status.FAILED, Status.REJECTED, Status.EXPIRED, Status.CANCELLED}
)
_UNDER_WAY = frozenset({Status.RUNNING, Status.WAITING_FOR_APPROVAL})

MOVES: Mapping[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.RUNNING, Status.FAILED, Status.CANCELLED}),
    Status.RUNNING: _UNDER_WAY | _ENDS,
    # A person's answer sets the run going again; that is the story moving on, not slipping back.
    Status.WAITING_FOR_APPROVAL: _UNDER_WAY | _ENDS,
    **{end: frozenset() for end in _ENDS},
}
"""The legal moves of a task; any other is refused. What has ended stays as it ended."""

CONTINUABLE = frozenset({Status.PENDING, Status.FAILED}) | _UNDER_WAY
"""From these a later run may take a task on: no move, a new beginning (docs/decisions/0008)."""


def may_become(to: Status) -> tuple[Status, ...]:
    """The statuses from which a task may move to this one."""
    return tuple(status for status in Status if to in MOVES[status])


class Decision(StrEnum):
    """What a person, the policy, or the end of the window says to a report."""

    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    REJECTED = "REJECTED"
    MORE_TIME = "MORE_TIME"  # the question stands, and is asked for another window
    EXPIRED = "EXPIRED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Seconds, nested: a call ends before its step, a step before its function, and so on.

    `margin` is what a step keeps back for its checkpoint, its answer and its log line: inside
    it no new work is taken. The lease outlives the function by LEASE_MARGIN, so that nobody
    takes over from a worker that may still be alive.
    """

    call: float
    step: float
    function: int
    margin: float = 3

    def __post_init__(self) -> None:
        nested = 0 < self.call < self.step < self.function <= LAMBDA_MAXIMUM
        if not nested or self.step + self.margin > self.function:
            raise ValueError(f"budgets must nest, with their margin, in {LAMBDA_MAXIMUM} s: {self}")

    @property
    def state(self) -> int:
        """`TimeoutSeconds` of the state: later than a cold start and Lambda's own timeout."""
        return self.function + LEASE_MARGIN - 2

    @property
    def lease(self) -> int:
        return self.function + LEASE_MARGIN


LEASE_MARGIN = 10
CLOCK_SKEW = 2.0
"""Seconds by which two workers' clocks may differ: an expired lease is taken over only after."""

_DEFAULT = Budget(call=5, step=15, function=20)
_BUDGETS = {
    # It asks for feeds and sitemaps; a later run also reads every unit of the task.
    Step.PLAN: Budget(call=15, step=60, function=90),
    Step.FETCH: Budget(call=15, step=35, function=40),  # robots.txt before the page
    Step.EXTRACT: Budget(call=5, step=40, function=60),
    # A model that answers at once writes for a minute; no longer than PLAN, so is no lease.
    Step.ANALYZE: Budget(call=75, step=85, function=90),
    Step.VALIDATE: Budget(call=5, step=40, function=60),
    Step.REPORT: Budget(call=75, step=85, function=90),  # a model may write its answers
    Step.TELL: Budget(call=15, step=25, function=30),  # a receiver may be slow
}


def budget(step: Step) -> Budget:
    return _BUDGETS.get(step, _DEFAULT)
