"""A ledger in memory, held to the same contract as the one on DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lambdas.agent.continuing import refusal
from lambdas.agent.contract import (
    CLOCK_SKEW,
    CONTINUABLE,
    MOVES,
    SCHEMA_VERSION,
    Progress,
    Status,
    Step,
)
from lambdas.agent.costs import NOTHING, Cost, Hold, Purse
from lambdas.agent.errors import IllegalMove, InputChanged, LeaseLost, StillClaimed, Unexpected
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.model import BESIDE, Fault, Outcome, Unit, UnitRecord
from lambdas.agent.ports import Clock
from lambdas.agent.tally import Tally, Trace, tallied
from lambdas.agent.tasks import Move, NewTask, Place, TaskRecord

DAY = 86_400
BETWEEN_LAPS = {Progress.CONTINUE, Progress.PENDING, Progress.WAITING}

Name = tuple[str, str, Step]


class MemoryLedger:
    def __init__(self, clock: Clock, *, retention: int) -> None:
        self._clock = clock
        self._retention = retention * DAY
        self._tasks: dict[str, TaskRecord] = {}
        self._units: dict[Name, UnitRecord] = {}
        self._intents: dict[tuple[str, str], tuple[Intent, float]] = {}
        self._purses: dict[str, tuple[Purse, float]] = {}

    def accept(self, task: NewTask) -> TaskRecord:
        found = self.task(task.task_id)
        if found is None:
            found = self._tasks[task.task_id] = _begun(task, self._clock.now())
        if found.input_id != task.input_id:
            raise InputChanged(f"task {task.task_id} was started with another request")
        return found

    def task(self, task_id: str) -> TaskRecord | None:
        found = self._tasks.get(task_id)
        return found if found and self._is_kept(found.updated_at) else None

    def continue_run(self, task_id: str, *, run: int, execution: str) -> TaskRecord:
        found = self.task(task_id)
        if found and (found.run, found.execution) == (run, execution):
            return found
        if found is None or found.run >= run or found.status not in CONTINUABLE:
            raise IllegalMove(refusal(found, task_id, run))
        begun = replace(found, run=run, execution=execution, error_code="", last_error="")
        self._tasks[task_id] = begun
        return self._moved(begun, Move(to=Step.PLAN))

    def move(self, task_id: str, move: Move, *, run: int) -> TaskRecord:
        found = self.task(task_id)
        if found is None or found.run != run:
            raise IllegalMove(f"task {task_id} is not in run {run} and cannot become {move.status}")
        return self._move(task_id, move)

    def under_way(self) -> Iterator[TaskRecord]:
        known = sorted(self._tasks.values(), key=lambda task: task.created_at)
        kept = (task for task in known if self._is_kept(task.updated_at))
        return (task for task in kept if not task.status.is_final)

    def newest(self, limit: int, *, before: Place | None = None) -> list[TaskRecord]:
        kept = [task for task in self._tasks.values() if self._is_kept(task.updated_at)]
        listed = sorted(kept, key=_time, reverse=True)
        if before:
            place = (before.created_at, before.task_id)
            listed = [task for task in listed if _time(task) < place]
        return listed[:limit]

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        now = self._clock.now()
        found = self._units.get(_name(unit))
        if found is None or not self._is_kept(found.updated_at):
            found = UnitRecord(
                step=unit.step, item=unit.item, fingerprint=unit.fingerprint, version=0
            )
        if found.fingerprint != unit.fingerprint:
            raise InputChanged(f"{unit} was begun with another input")
        if found.is_done:
            return found
        if found.leased_until >= now - CLOCK_SKEW:
            raise StillClaimed(f"{unit} is leased to {found.owner}")
        return self._write(
            unit, replace(found, owner=owner, leased_until=until, attempt=found.attempt + 1)
        )

    def commit(self, unit: Unit, held: UnitRecord, outcome: Outcome) -> None:
        found = self._ours(unit, held)
        if found is None:
            raise LeaseLost(f"{unit} was taken over")
        if outcome.move:
            self._move(unit.task_id, outcome.move)
        self._write(
            unit,
            replace(
                found,
                outcome=replace(outcome, move=None),
                owner=None,
                leased_until=0.0,
                attempt=found.attempt - (outcome.progress in BETWEEN_LAPS),
                error_code="",
                last_error="",
                dependency="",
            ),
        )

    def release(self, unit: Unit, held: UnitRecord, fault: Fault) -> None:
        found = self._ours(unit, held)
        if found is None:
            return
        self._write(
            unit,
            replace(
                found,
                owner=None,
                leased_until=0.0,
                error_code=fault.error_code,
                last_error=fault.message,
                dependency=fault.dependency,
            ),
        )

    def units(self, task_id: str, *, item: str | None = None) -> Iterator[UnitRecord]:
        for (task, its_item, _), unit in list(self._units.items()):
            is_asked = not its_item.startswith(BESIDE) if item is None else item == its_item
            wanted = task == task_id and is_asked
            if wanted and self._is_kept(unit.updated_at):
                yield unit

    def tally(self, task_id: str) -> Tally:
        units = self.units(task_id)
        return tallied(Trace(step=u.step, item=u.item, is_done=u.is_done) for u in units)

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        found = self._intents.get((task_id, key))
        if found and self._is_kept(found[1]):
            return found[0]
        now = self._clock.now()
        intent = Intent(key=key, kind=kind, stage=Stage.RESERVED, reserved_at=now)
        self._intents[task_id, key] = (intent, now)
        return replace(intent, is_new=True)

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        found = self._intent(task_id, key)
        if found.stage is not Stage.RESERVED:
            return found
        return self._advance(
            task_id, replace(found, stage=Stage.SUBMITTED, external_id=external_id)
        )

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        found = self._intent(task_id, key)
        if found.stage.is_final:
            return found
        return self._advance(task_id, replace(found, stage=Stage.DONE, receipt=receipt))

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        found = self._intent(task_id, key)
        if found.stage.is_final:
            return found
        return self._advance(task_id, replace(found, stage=Stage.FAILED, error_code=error_code))

    def reserve_paid(self, task_id: str, key: str, kind: str, hold: Hold) -> Intent | Purse:
        found = self._intents.get((task_id, key))
        stands = found[0] if found and self._is_kept(found[1]) else None
        if stands and (stands.stage is not Stage.RESERVED or stands.held != NOTHING):
            return stands
        purse = self.purse(task_id)
        if not hold.limits.admit(purse.taken + hold.cost):
            return purse
        intent = self.reserve(task_id, key, kind)
        self._pay(task_id, intent, replace(intent, held=hold.cost, is_new=False))
        return replace(intent, held=hold.cost)

    def close(
        self,
        task_id: str,
        known: Intent,
        *,
        cost: Cost,
        receipt: str = "",
        error_code: str = "",
    ) -> Intent:
        found = self._intent(task_id, known.key)
        if found.stage.is_final:
            return found
        end = Stage.FAILED if error_code else Stage.DONE
        ended = replace(found, stage=end, receipt=receipt, error_code=error_code)
        return self._pay(task_id, found, replace(ended, held=NOTHING, spent=cost))

    def forgo(self, task_id: str, known: Intent) -> None:
        if (task_id, known.key) not in self._intents:
            return
        found = self._intent(task_id, known.key)
        if found.stage.is_final or found.held == NOTHING:
            return
        spent = found.held if found.stage is Stage.SUBMITTED else found.spent
        self._pay(task_id, found, replace(found, held=NOTHING, spent=spent))

    def held(self, task_id: str) -> Iterator[Intent]:
        for (task, _), (intent, written_at) in list(self._intents.items()):
            if task == task_id and intent.held != NOTHING and self._is_kept(written_at):
                yield intent

    def purse(self, task_id: str) -> Purse:
        purse, written_at = self._purses.get(task_id, (Purse(), 0.0))
        return purse if self._is_kept(written_at) else Purse()

    def _pay(self, task_id: str, before: Intent, after: Intent) -> Intent:
        purse = self.purse(task_id)
        held = purse.held + after.held - before.held
        spent = purse.spent + after.spent - before.spent
        self._purses[task_id] = (Purse(held=held, spent=spent), self._clock.now())
        return self._advance(task_id, after)

    def _intent(self, task_id: str, key: str) -> Intent:
        if (task_id, key) not in self._intents:
            raise Unexpected(f"task {task_id} has no record of the effect {key}")
        return self._intents[task_id, key][0]

    def _advance(self, task_id: str, to: Intent) -> Intent:
        self._intents[task_id, to.key] = (to, self._clock.now())
        return to

    def _move(self, task_id: str, move: Move) -> TaskRecord:
        task = self._tasks[task_id]
        if move.status not in MOVES[task.status]:
            raise IllegalMove(f"task {task_id} is {task.status} and cannot become {move.status}")
        return self._moved(task, move)

    def _moved(self, task: TaskRecord, move: Move) -> TaskRecord:
        self._tasks[task.task_id] = replace(
            task,
            status=move.status,
            current_step=move.to,
            state_version=task.state_version + 1,
            updated_at=self._clock.now(),
            **dict(move.fields),  # type: ignore[arg-type]  # fields of the record, by their names
        )
        return self._tasks[task.task_id]

    def _ours(self, unit: Unit, held: UnitRecord) -> UnitRecord | None:
        found = self._units[_name(unit)]
        return found if (found.owner, found.version) == (held.owner, held.version) else None

    def _write(self, unit: Unit, record: UnitRecord) -> UnitRecord:
        record = replace(record, version=record.version + 1, updated_at=self._clock.now())
        self._units[_name(unit)] = record
        return record

    def _is_kept(self, written_at: float) -> bool:
        return int(written_at) + self._retention > self._clock.now()


def _name(unit: Unit) -> Name:
    return unit.task_id, unit.item, unit.step


def _time(task: TaskRecord) -> tuple[float, str]:
    return task.created_at, task.task_id


def _begun(task: NewTask, now: float) -> TaskRecord:
    return TaskRecord(
        task_id=task.task_id,
        agent_id=task.agent_id,
        workflow_id=task.workflow_id,
        input_id=task.input_id,
        status=Status.RUNNING,
        current_step=Step.PLAN,
        state_version=1,
        schema_version=SCHEMA_VERSION,
        execution=task.execution,
        run=1,
        request=task.request,
        created_at=now,
        updated_at=now,
    )
