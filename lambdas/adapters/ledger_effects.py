"""The ledger's effects, and the purse that pays for those with a price, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from lambdas.adapters import ledger_effect_writes as writes
from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_conditions import Refused
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_refusals import never_reserved
from lambdas.adapters.ledger_table import LedgerTable
from lambdas.adapters.ledger_write import Write
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.costs import NOTHING, Cost, Hold, Purse
from lambdas.agent.intents import Intent, Stage


class LedgerEffects(LedgerTable):
    """What the port promises of effects and purses."""

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        item = self._reservation(task_id, key, kind)
        try:
            self._create(item)
        except Refused as refused:
            return items.intent(refused.old)
        return items.intent(item, is_new=True)

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        return self._advanced(task_id, key, Stage.SUBMITTED, {"external_id": external_id})

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        return self._advanced(task_id, key, Stage.DONE, {"receipt": receipt})

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        return self._advanced(task_id, key, Stage.FAILED, {"error_code": error_code})

    def reserve_paid(self, task_id: str, key: str, kind: str, hold: Hold) -> Intent | Purse:
        item = {
            **self._reservation(task_id, key, kind),
            **items.paid_attributes(hold.cost, NOTHING),
        }
        try:
            self._transact({"Put": self._put(item)}, self._change(self._holds(task_id, hold)))
        except Refused as refused:
            if refused.place == 0:
                return self._held_for(task_id, items.intent(refused.old), hold)
            if self._is_past(refused.old):
                self._forget(items.purse_key(task_id), refused.old)
                return self.reserve_paid(task_id, key, kind, hold)
            return items.purse(refused.old)
        return items.intent(item, is_new=True)

    def close(
        self,
        task_id: str,
        known: Intent,
        *,
        cost: Cost,
        receipt: str = "",
        error_code: str = "",
    ) -> Intent:
        end = Stage.FAILED if error_code else Stage.DONE

        def then(known: Intent) -> Intent | None:
            if known.stage not in writes.FROM[end]:
                return None
            ended = replace(known, stage=end, receipt=receipt, error_code=error_code)
            return replace(ended, held=NOTHING, spent=cost, is_new=False)

        stands = self._paid(task_id, known, then)
        if stands is None:
            raise never_reserved(task_id, known.key)
        return stands

    def forgo(self, task_id: str, known: Intent) -> None:
        def then(stands: Intent) -> Intent | None:
            holds_nothing = stands.held == NOTHING and stands is not known  # which may be a guess
            if stands.stage.is_final or holds_nothing:
                return None
            is_billed = stands.stage is Stage.SUBMITTED
            return replace(stands, held=NOTHING, spent=stands.held if is_billed else stands.spent)

        self._paid(task_id, known, then)

    def held(self, task_id: str) -> Iterator[Intent]:
        found = map(items.intent, self._query(task_id, items.EFFECTS))
        return (intent for intent in found if intent.held != NOTHING)

    def purse(self, task_id: str) -> Purse:
        found = next(self._query(task_id, items.PURSE_SORT_KEY), {})
        return items.purse(found)

    def _reservation(self, task_id: str, key: str, kind: str) -> Item:
        return {
            **items.intent_key(task_id, key),
            "kind": text(kind),
            "stage": text(Stage.RESERVED),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(self._clock.now()),
            "delete_after": number(self._delete_after()),
        }

    def _held_for(self, task_id: str, found: Intent, hold: Hold) -> Intent | Purse:
        """What was reserved before is held for already, unless that was given back."""
        if found.stage is not Stage.RESERVED or found.held != NOTHING:
            return found
        now, delete_after = self._clock.now(), self._delete_after()
        then = replace(found, held=hold.cost)
        intent, _ = writes.pays(task_id, found, then, now=now, delete_after=delete_after)
        try:
            self._together(intent, self._holds(task_id, hold))
        except Refused as refused:
            if refused.place == 0:
                return self._held_for(task_id, items.intent(refused.old), hold)
            return items.purse(refused.old)
        return then

    def _paid(
        self, task_id: str, known: Intent, then: Callable[[Intent], Intent | None]
    ) -> Intent | None:
        """Lead an effect on from how it is known, or else from how it stands, if it does."""
        while (after := then(known)) is not None:
            now, delete_after = self._clock.now(), self._delete_after()
            try:
                self._together(
                    *writes.pays(task_id, known, after, now=now, delete_after=delete_after)
                )
            except Refused as refused:
                if not refused.old:
                    return None
                known = items.intent(refused.old)
            else:
                return after
        return known

    def _holds(self, task_id: str, hold: Hold) -> Write:
        now, delete_after = self._clock.now(), self._delete_after()
        return writes.purse_holds(task_id, hold, now=now, delete_after=delete_after)

    def _advanced(self, task_id: str, key: str, to: Stage, told: Mapping[str, str]) -> Intent:
        now, delete_after = self._clock.now(), self._delete_after()
        write = writes.advance(task_id, key, to, told, now=now, delete_after=delete_after)
        try:
            return items.intent(self._update(write))
        except Refused as refused:
            if not refused.old:
                raise never_reserved(task_id, key) from None
            return items.intent(refused.old)
