"""An effect outside, and what the ledger keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from lambdas.agent.costs import NOTHING, Cost


class Stage(StrEnum):
    """How an effect outside stands. It moves down this list only."""

    RESERVED = "RESERVED"  # about to happen: found by somebody else, it may have
    SUBMITTED = "SUBMITTED"  # begun, under the provider's own id
    DONE = "DONE"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        return self in {Stage.DONE, Stage.FAILED}


class Ability(StrEnum):
    """What may be done about an effect that was reserved by a worker who has not come back.

    It is the provider's, so the adapter declares it.
    """

    TOKEN = "TOKEN"  # noqa: S105  # the same token again has no second effect
    LOOKUP = "LOOKUP"  # ask for the thing of that name, and act where there is none
    AT_LEAST_ONCE = "AT_LEAST_ONCE"  # receivers know a repeat by its key
    PARK = "PARK"  # nobody but a person can tell


def _not_found(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that changes the world outside, each time under the same key.

    `kind` and `subject` name it within its unit. `act` does it and returns its receipt, `find`
    looks for it where the ability is LOOKUP; both are given the key.
    """

    kind: str
    subject: str
    act: Callable[[str], str]
    ability: Ability
    find: Callable[[str], str | None] = _not_found


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An effect's item in the ledger, written before the effect happens.

    `is_new` is true only for the worker whose write made it: everybody else finds an effect
    that has ended (DONE, FAILED), is under way (SUBMITTED) or whose outcome is unknown (RESERVED).
    `held` and `spent` are its part of what the task's purse holds and has spent.
    """

    key: str
    kind: str
    stage: Stage
    external_id: str = ""
    receipt: str = ""
    error_code: str = ""
    reserved_at: float = 0.0
    is_new: bool = False
    held: Cost = NOTHING
    spent: Cost = NOTHING
