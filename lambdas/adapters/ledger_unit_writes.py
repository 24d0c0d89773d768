"""The conditional writes of units. Every condition has a name."""

from __future__ import annotations

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_conditions import ABSENT
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_write import Write
from lambdas.agent.contract import (
    CLOCK_SKEW,
    LAMBDA_MAXIMUM,
    LEASE_MARGIN,
    SCHEMA_VERSION,
    Progress,
)
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord

# A lease whose end was lost, by hand only, is over when no function can be alive any more.
OVER = (
    "(leased_until < :over OR (attribute_not_exists(leased_until) AND updated_at < :longest_ago))"
)
# Free to take: never seen; or begun with the same input, not finished, and its lease is over.
FREE = (
    f"{ABSENT} OR (fingerprint = :fingerprint AND #progress <> :done"
    f" AND {OVER} AND delete_after > :now)"
)
# Ours to write: nobody took it over, and we have not committed, since we claimed it.
OURS = "#owner = :owner AND #version = :version"

_BETWEEN_LAPS = {Progress.CONTINUE, Progress.PENDING, Progress.WAITING}


def claim(unit: Unit, *, owner: str, until: float, now: float, delete_after: int) -> Write:
    return Write(
        key=items.unit_key(unit),
        condition=FREE,
        values={
            ":fingerprint": text(unit.fingerprint),
            ":done": text(Progress.DONE),
            ":over": number(now - CLOCK_SKEW),
            ":longest_ago": number(now - LAMBDA_MAXIMUM - LEASE_MARGIN - CLOCK_SKEW),
            ":now": number(now),
        },
        sets={
            "owner": text(owner),
            "leased_until": number(until),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
        keeps={
            "step": text(unit.step),
            "item": text(unit.item),
            "fingerprint": text(unit.fingerprint),
            "progress": text(items.NEW),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(now),
        },
        adds={"version": 1, "attempt": 1},
    )


def commit(
    unit: Unit, held: UnitRecord, outcome: Outcome, *, now: float, delete_after: int
) -> Write:
    attributes = items.outcome_attributes(outcome)
    # A lap that went well is no attempt: what is counted are starts after a failure.
    lap = {"attempt": -1} if outcome.progress in _BETWEEN_LAPS else {}
    return Write(
        key=items.unit_key(unit),
        condition=OURS,
        values=_held(held),
        sets={
            **{name: value for name, value in attributes.items() if value is not None},
            "leased_until": number(0),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
        removes=[
            "owner",
            "error_code",
            "last_error",
            "dependency",
            *(name for name, value in attributes.items() if value is None),
        ],
        adds={"version": 1, **lap},
    )


def release(unit: Unit, held: UnitRecord, fault: Fault, *, now: float) -> Write:
    return Write(
        key=items.unit_key(unit),
        condition=OURS,
        values=_held(held),
        sets={
            "leased_until": number(0),
            "updated_at": number(now),
            "error_code": text(fault.error_code),
            "last_error": text(_cut(fault.message, 1000)),
            "dependency": text(_cut(fault.dependency, 200)),
        },
        removes=["owner"],
        adds={"version": 1},
    )


def _cut(told: str, most: int) -> str:
    """So many bytes at the most, all of them UTF-8: telling of a fault must not fail."""
    return told.encode(errors="replace")[:most].decode(errors="ignore")


def _held(held: UnitRecord) -> Item:
    return {":owner": text(str(held.owner)), ":version": number(held.version)}
