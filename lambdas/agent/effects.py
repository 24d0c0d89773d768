"""Effects outside: a record before it happens, a receipt after.

Found again without its receipt, an effect may or may not have happened. What is done about that
is the provider's ability, which its adapter declares; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lambdas.agent.errors import OutcomeUnknown, OutOfTime
from lambdas.agent.identity import effect_key
from lambdas.agent.instants import iso
from lambdas.agent.intents import Ability, Effect, Intent, Stage
from lambdas.agent.work import Work

Told = TypeVar("Told")

RECEIPT_LIMIT = 1000
"""Characters of a receipt: it is kept in the record, which stays small."""


def happen(work: Work, effect: Effect) -> str:
    """The effect's receipt: from the ledger if it has happened, else from `act(key)`."""
    key = effect_key(work.task_id, work.unit.step, effect.kind, effect.subject)
    intent = work.ports.ledger.reserve(work.task_id, key, effect.kind)
    if intent.stage is Stage.DONE:
        return intent.receipt
    receipt = _storable(made(work, intent, effect.ability, effect.act, effect.find))
    return work.ports.ledger.settle(work.task_id, key, receipt).receipt


def made(
    work: Work,
    intent: Intent,
    ability: Ability,
    act: Callable[[str], Told],
    find: Callable[[str], Told | None],
) -> Told:
    """What a reserved effect is called outside: found where it may have happened, else done now."""
    if work.call_seconds() <= 0:
        # Near its end the lease may be over before the answer is here, and an heir at the same.
        raise OutOfTime(f"{work.unit} has no time left for {intent.kind}: it is tried again")
    if not intent.is_new:
        if ability is Ability.PARK:
            raise _unknown(work, intent)
        found = find(intent.key) if ability is Ability.LOOKUP else None
        if found is not None:
            return found
    return act(intent.key)


def _storable(receipt: object) -> str:
    """In a form that cannot fail: the effect has happened, its record must not be what fails."""
    return str(receipt)[:RECEIPT_LIMIT].encode(errors="replace").decode()


def _unknown(work: Work, intent: Intent) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"{intent.kind} of {work.unit} was begun at {iso(intent.reserved_at)} and nobody knows "
        f"whether it happened; its receiver cannot tell a repeat. Look there for key {intent.key}: "
        "if it is there, all is done; if not, start the request anew with a workflow_id of its own"
    )
