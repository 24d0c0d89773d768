"""The ledger, as the agent needs it: records that outlive every worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from lambdas.agent.costs import Cost, Hold, Purse
from lambdas.agent.intents import Intent
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import Move, NewTask, Place, TaskRecord


class Ledger(Protocol):
    """The durable record of who does what, and what is done. Every write is conditional."""

    def accept(self, task: NewTask) -> TaskRecord:
        """Create the task RUNNING, or return it as it stands; InputChanged for another request."""

    def task(self, task_id: str) -> TaskRecord | None:
        """Read strongly consistently; None where there is none, or its retention is over."""

    def continue_run(self, task_id: str, *, run: int, execution: str) -> TaskRecord:
        """Take the task on in a later run, RUNNING and without its error.

        The same run again, in the same execution, finds the task as it stands. IllegalMove for
        a task that is not CONTINUABLE, or that this or a later run has taken on already.
        """

    def move(self, task_id: str, move: Move, *, run: int) -> TaskRecord:
        """Move the task's record by itself; IllegalMove where its status does not allow it, or
        where it is not in that run any more.
        """

    def under_way(self) -> Iterable[TaskRecord]:
        """The tasks that have not ended, oldest first, as they stood a moment ago."""

    def newest(self, limit: int, *, before: Place | None = None) -> Sequence[TaskRecord]:
        """So many tasks at the most, the newest first, as they stood a moment ago; with `before`
        those behind that place. Fewer than the limit are the last ones.
        """

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        """Lease the unit and read it in one write.

        A unit that is done comes back as it is, unleased. StillClaimed while somebody else's
        lease runs, InputChanged where the unit was begun with another input.
        """

    def commit(self, unit: Unit, held: UnitRecord, outcome: Outcome) -> None:
        """Write the outcome, give the lease back and make the outcome's move, in one transaction.

        LeaseLost where owner or version are no longer ours, IllegalMove where the task's
        status does not allow the move; then nothing is written.
        """

    def release(self, unit: Unit, held: UnitRecord, fault: Fault) -> None:
        """Give the lease back and keep why; nothing happens where it is no longer ours."""

    def units(self, task_id: str, *, item: str | None = None) -> Iterable[UnitRecord]:
        """The units of a task, or of one of its items, in no particular order."""

    def tally(self, task_id: str) -> Tally:
        """How far the task's sources have come; no unit is read whole for it."""

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        """Write down that an effect is about to happen, or return what is known of it."""

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        """Write down the provider's id of an effect that has begun; what stands there stays."""

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        """Write down that the effect has happened. What has ended stays as it ended."""

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        """Write down that the effect has failed for good. What has ended stays as it ended."""

    def reserve_paid(self, task_id: str, key: str, kind: str, hold: Hold) -> Intent | Purse:
        """Reserve what costs something: it is held in the task's purse by the same transaction.

        The purse as it stands where the limits leave no room for it; then nothing is written.
        """

    def close(
        self,
        task_id: str,
        known: Intent,
        *,
        cost: Cost,
        receipt: str = "",
        error_code: str = "",
    ) -> Intent:
        """Settle what was `reserve_paid`, or give it up where there is an error's code: what was
        held for it is given back and its cost taken, by one transaction. What has ended stays as
        it ended, and costs what it cost.
        """

    def forgo(self, task_id: str, known: Intent) -> None:
        """Give back what is held for an effect that nobody waits for any more, as far as its end
        is not known yet. One under way will be billed: what was held is what it costs.
        """

    def held(self, task_id: str) -> Iterable[Intent]:
        """The effects that something is held for."""

    def purse(self, task_id: str) -> Purse:
        """What the task has spent, and what is held; read strongly consistently."""
