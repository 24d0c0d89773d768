"""How every step runs: claim, execute, commit."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lambdas.agent.contract import FACTS_LIMIT, INLINE_LIMIT, LEASE_MARGIN, budget
from lambdas.agent.errors import OutOfTime, StepError, Unexpected
from lambdas.agent.identity import canonical
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.ports import Ports


@dataclass(slots=True, kw_only=True)
class Work:
    """A unit this worker holds, as a step sees it."""

    unit: Unit
    ports: Ports
    held: UnitRecord
    deadline: float

    @property
    def task_id(self) -> str:
        return self.unit.task_id

    @property
    def args(self) -> Mapping[str, Any]:
        return self.unit.args

    @property
    def cursor(self) -> Mapping[str, Any]:
        """Where the lap before left off; empty at the first."""
        return self.held.cursor

    def result_so_far(self) -> bytes | None:
        return stored_result(self.ports, self.held)

    def read(self, ref: str) -> bytes:
        return self.ports.artifacts.get(ref)

    def write(self, kind: str, body: bytes) -> str:
        return self.ports.artifacts.put(self.task_id, kind, body)

    def is_time_up(self) -> bool:
        return self.ports.clock.now() >= self.deadline

    def call_seconds(self) -> float:
        """Seconds the next outside call may take and still leave time to commit."""
        left = self.deadline - self.ports.clock.now()
        return max(0.0, min(left, budget(self.unit.step).call))


Execute = Callable[[Work], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What is committed after an invocation, and whether it had been before."""

    outcome: Outcome
    record: UnitRecord
    """As it was claimed, or found done."""
    is_replay: bool

    @property
    def state_version(self) -> int:
        """The record's version now: a commit is one write more than its claim."""
        return self.record.version + (not self.is_replay)


def run(execute: Execute, unit: Unit, ports: Ports, *, owner: str, seconds: float) -> Ran:
    """Bring one unit of work to its next committed state. `seconds` is what Lambda leaves us.

    Safe to call any number of times, from any number of workers: a finished unit answers with
    the outcome it committed, and only the lease's holder can commit. A worker that dies
    between claim and commit leaves a lease that ends by itself, and nothing else.
    """
    limits, now = budget(unit.step), ports.clock.now()
    usable = min(limits.step, seconds - limits.margin)
    if usable <= 0:
        raise OutOfTime(f"{unit} began with {seconds:.1f} s left and took no work: it is retried")
    held = ports.ledger.claim(unit, owner=owner, until=now + seconds + LEASE_MARGIN)
    if held.is_done and held.outcome is not None:
        return Ran(outcome=held.outcome, record=held, is_replay=True)
    work = Work(unit=unit, ports=ports, held=held, deadline=now + usable)
    return Ran(outcome=_committed(execute, work), record=work.held, is_replay=False)


def stored_result(ports: Ports, record: UnitRecord) -> bytes | None:
    """A unit's result, wherever it lies."""
    if record.outcome is None:
        return None
    if record.outcome.result_ref:
        return ports.artifacts.get(record.outcome.result_ref)
    return record.outcome.result


def _committed(execute: Execute, work: Work) -> Outcome:
    try:
        outcome = _kept(execute(work), work)
        work.ports.ledger.commit(work.unit, work.held, outcome)
    except StepError as error:
        _release(work, error)
        raise
    except Exception as error:
        fault = Unexpected(f"{work.unit}: {type(error).__name__}; see the log of {work.held.owner}")
        _release(work, fault)
        raise fault from error
    return outcome


def _kept(outcome: Outcome, work: Work) -> Outcome:
    """Artifact before record: a result too large for the record goes to the store first."""
    size = len(canonical([outcome.facts, outcome.cursor]))
    if size > FACTS_LIMIT:
        raise Unexpected(
            f"{work.unit} was to commit {size} bytes of facts and cursor and may {FACTS_LIMIT}: "
            "what is large belongs into its result, this is a fault of the step"
        )
    if outcome.result is None or size + len(zlib.compress(outcome.result)) <= INLINE_LIMIT:
        return outcome
    return replace(outcome, result=None, result_ref=work.write("result", outcome.result))


def _release(work: Work, error: StepError) -> None:
    """Let the next attempt begin at once. Failing here costs only the rest of the lease."""
    fault = Fault(error_code=error.code, message=str(error), dependency=error.dependency)
    try:
        work.ports.ledger.release(work.unit, work.held, fault)
    except StepError:
        return
