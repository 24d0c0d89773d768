"""Effects outside: a record before it happens, a receipt after.

Found again without its receipt, an effect may or may not have happened. Everything that is
done here may be repeated: published files are created once under names that follow from
their content, pointers only move forward, and events carry the effect's key as their id.
"""

from __future__ import annotations

from collections.abc import Callable

from lambdas.agent.identity import effect_key
from lambdas.agent.model import Stage
from lambdas.agent.runtime import Work


def once(work: Work, kind: str, subject: str, act: Callable[[str], str]) -> str:
    """The effect's receipt: from the ledger if it has happened, else from `act(key)`."""
    key = effect_key(work.task_id, work.unit.step, kind, subject)
    intent = work.ports.ledger.reserve(work.task_id, key, kind)
    if intent.stage is Stage.DONE:
        return intent.receipt
    receipt = act(key)
    work.ports.ledger.settle(work.task_id, key, receipt)
    return receipt
