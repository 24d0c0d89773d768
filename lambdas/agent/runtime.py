"""How every step runs: claim, execute, commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lambdas.agent.contract import LEASE_MARGIN, budget
from lambdas.agent.effects import happen
from lambdas.agent.errors import OutOfTime, StepError, Unexpected
from lambdas.agent.job_state import NOTHING_USED, Usage
from lambdas.agent.keeping import kept
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.ports import Ports
from lambdas.agent.work import Work

Execute = Callable[[Work], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What is committed after an invocation, and whether it had been before."""

    outcome: Outcome
    record: UnitRecord
    """As it was claimed, or found done."""
    is_replay: bool
    usage: Usage = NOTHING_USED
    """What models took in this invocation."""
    reused: int = 0
    """Answers of models that it had before."""

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
    outcome = _committed(execute, work)
    return Ran(
        outcome=outcome,
        record=work.held,
        is_replay=False,
        usage=work.usage,
        reused=work.reused,
    )


def _committed(execute: Execute, work: Work) -> Outcome:
    try:
        outcome = _done_outside(kept(execute(work), work), work)
        work.ports.ledger.commit(work.unit, work.held, outcome)
    except StepError as error:
        error.usage = work.usage
        _release(work, error)
        raise
    except Exception as error:
        fault = Unexpected(f"{work.unit}: {type(error).__name__}; see the log of {work.held.owner}")
        _release(work, fault)
        raise fault from error
    return outcome


def _done_outside(outcome: Outcome, work: Work) -> Outcome:
    """The effects, now that whatever the step says of itself is known to be storable."""
    for effect in outcome.effects:
        happen(work, effect)
    return replace(outcome, effects=())


def _release(work: Work, error: StepError) -> None:
    """Let the next attempt begin at once. Failing here costs only the rest of the lease."""
    fault = Fault(error_code=error.code, message=str(error), dependency=error.dependency)
    try:
        work.ports.ledger.release(work.unit, work.held, fault)
    except StepError:
        return
