"""Effects outside: a record before it happens, a receipt after.

Found again without its receipt, an effect may or may not have happened. What is done about that
is the provider's ability, which its adapter declares; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from lambdas.agent.errors import OutcomeUnknown, OutOfTime
from lambdas.agent.identity import effect_key
from lambdas.agent.instants import iso
from lambdas.agent.model import Ability, Intent, Stage
from lambdas.agent.runtime import Work

RECEIPT_LIMIT = 1000
"""Characters of a receipt: it is kept in the record, which stays small."""

Act = Callable[[str], str]
Find = Callable[[str], str | None]


def _nothing(_: str) -> None:
    return None


def once(
    work: Work, kind: str, subject: str, act: Act, *, ability: Ability, find: Find = _nothing
) -> str:
    """The effect's receipt: from the ledger if it has happened, else from `act(key)`."""
    key = effect_key(work.task_id, work.unit.step, kind, subject)
    intent = work.ports.ledger.reserve(work.task_id, key, kind)
    if intent.stage is Stage.DONE:
        return intent.receipt
    receipt = _storable(made(work, intent, act, ability=ability, find=find))
    return work.ports.ledger.settle(work.task_id, key, receipt).receipt


def made(work: Work, intent: Intent, act: Act, *, ability: Ability, find: Find) -> str:
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
