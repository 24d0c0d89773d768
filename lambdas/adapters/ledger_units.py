"""The ledger's units: leased to one worker at a time, and done once."""

from __future__ import annotations

from collections.abc import Iterator

from lambdas.adapters import ledger_items as items
from lambdas.adapters import ledger_task_writes
from lambdas.adapters import ledger_unit_writes as writes
from lambdas.adapters.dynamodb_conditions import Refused
from lambdas.adapters.ledger_refusals import as_it_stands, refuse_commit
from lambdas.adapters.ledger_table import LedgerTable
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.tally import Tally, tallied


class LedgerUnits(LedgerTable):
    """What the port promises of units."""

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        now = self._clock.now()
        write = writes.claim(
            unit, owner=owner, until=until, now=now, delete_after=self._delete_after()
        )
        try:
            return items.unit_record(self._update(write))
        except Refused as refused:
            if self._is_kept(refused.old):
                return as_it_stands(unit, items.unit_record(refused.old))
            self._forget(items.unit_key(unit), refused.old)
        return self.claim(unit, owner=owner, until=until)

    def commit(self, unit: Unit, held: UnitRecord, outcome: Outcome) -> None:
        now, delete_after = self._clock.now(), self._delete_after()
        write = writes.commit(unit, held, outcome, now=now, delete_after=delete_after)
        try:
            if outcome.move is None:
                self._update(write)
            else:
                move = ledger_task_writes.move(
                    unit.task_id, outcome.move, now=now, delete_after=delete_after
                )
                self._together(write, move)
        except Refused as refused:
            refuse_commit(unit, outcome, refused)

    def release(self, unit: Unit, held: UnitRecord, fault: Fault) -> None:
        try:
            self._update(writes.release(unit, held, fault, now=self._clock.now()))
        except Refused:
            return

    def units(self, task_id: str, *, item: str | None = None) -> Iterator[UnitRecord]:
        where = items.partitions(task_id) if item is None else [items.partition(task_id, item)]
        prefix = "UNIT#" if item is None else items.units_of(item)
        for partition in where:
            yield from map(items.unit_record, self._query(partition, prefix))

    def tally(self, task_id: str) -> Tally:
        where = items.partitions(task_id)[1:]  # the first one holds no unit of a source
        units = (each for part in where for each in self._query(part, "UNIT#", **items.SHORT))
        return tallied(map(items.trace_of, units))
