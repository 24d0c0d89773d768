"""The ledger's conditional writes, as DynamoDB's expressions. Every condition has a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_conditions import ABSENT
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.agent.contract import (
    CLOCK_SKEW,
    CONTINUABLE,
    LAMBDA_MAXIMUM,
    LEASE_MARGIN,
    SCHEMA_VERSION,
    Progress,
    Status,
    Step,
    may_become,
)
from lambdas.agent.costs import NOTHING, Cost, Hold
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.tasks import Move

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
# An effect's stage moves forward only, and what has ended stays as it ended.
FROM = {
    Stage.SUBMITTED: (Stage.RESERVED,),
    Stage.DONE: (Stage.RESERVED, Stage.SUBMITTED),
    Stage.FAILED: (Stage.RESERVED, Stage.SUBMITTED),
}
# A task belongs to the highest run that took it on: no earlier one moves it, or takes it back.
THIS_RUN = "#run = :run"
EARLIER_RUN = "#run < :run"

_BETWEEN_LAPS = {Progress.CONTINUE, Progress.PENDING, Progress.WAITING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One update, conditional unless its counterpart in a transaction is. Attribute names are
    ours, so none needs more than a '#'.
    """

    key: Item
    condition: str = ""
    values: Item = field(default_factory=dict)
    sets: Item = field(default_factory=dict)
    keeps: Item = field(default_factory=dict)
    """Attributes to set only where there are none."""
    removes: Sequence[str] = ()
    adds: Mapping[str, int] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        changed = [*self.sets, *self.keeps, *self.removes, *self.adds]
        asked = [name for name in _ASKED if f"#{name}" in self.condition]
        given = {**self.sets, **self.keeps, **{n: number(by) for n, by in self.adds.items()}}
        condition = {"ConditionExpression": self.condition} if self.condition else {}
        return {
            "Key": self.key,
            "UpdateExpression": " ".join(self._clauses()),
            **condition,
            "ExpressionAttributeNames": {f"#{name}": name for name in (*changed, *asked)},
            "ExpressionAttributeValues": self.values | {f":to_{n}": v for n, v in given.items()},
        }

    def _clauses(self) -> Iterator[str]:
        sets = [f"#{name} = :to_{name}" for name in self.sets]
        sets += [f"#{name} = if_not_exists(#{name}, :to_{name})" for name in self.keeps]
        if sets:
            yield f"SET {', '.join(sets)}"
        if self.removes:
            yield f"REMOVE {', '.join(f'#{name}' for name in self.removes)}"
        if self.adds:
            yield f"ADD {', '.join(f'#{name} :to_{name}' for name in self.adds)}"


_ASKED = ("owner", "version", "progress", "status", "stage", "run")


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


def move(task_id: str, to: Move, *, now: float, delete_after: int, run: int | None = None) -> Write:
    legal = {f":from_{status}": text(status) for status in may_become(to.status)}
    return Write(
        key=items.task_key(task_id),
        condition=f"#status IN ({', '.join(legal)})" + (f" AND {THIS_RUN}" if run else ""),
        values=legal | ({":run": number(run)} if run else {}),
        sets={
            **{name: _value(value) for name, value in to.fields.items()},
            "status": text(to.status),
            "current_step": text(to.to),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
        adds={"state_version": 1},
    )


def continue_run(task_id: str, *, run: int, execution: str, now: float, delete_after: int) -> Write:
    legal = {f":from_{status}": text(status) for status in sorted(CONTINUABLE)}
    return Write(
        key=items.task_key(task_id),
        condition=f"{EARLIER_RUN} AND delete_after > :now AND #status IN ({', '.join(legal)})",
        values={**legal, ":run": number(run), ":now": number(now)},
        sets={
            "run": number(run),
            "execution": text(execution),
            "status": text(Status.RUNNING),
            "current_step": text(Step.PLAN),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
        removes=["error_code", "last_error"],
        adds={"state_version": 1},
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


def advance(
    task_id: str, key: str, to: Stage, told: Mapping[str, str], *, now: float, delete_after: int
) -> Write:
    """`told` are the attributes that come with the stage: an id, a receipt, an error code."""
    before = {f":from_{stage}": text(stage) for stage in FROM[to]}
    return Write(
        key=items.intent_key(task_id, key),
        condition=f"#stage IN ({', '.join(before)})",
        values=before,
        sets={
            **{name: text(value) for name, value in told.items()},
            "stage": text(to),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
    )


def purse_holds(task_id: str, hold: Hold, *, now: float, delete_after: int) -> Write:
    """More is held where the limits leave room. What is past its retention has to go first."""
    room = hold.limits.room_for(hold.cost)
    limited = {"tokens": room.tokens, "micro_usd": room.micro_usd}
    conditions, values = [f"({ABSENT} OR delete_after > :now)"], {":now": number(now)}
    for name, most in limited.items():
        if most is not None:
            absent = f"attribute_not_exists(taken_{name}) OR " if most >= 0 else ""
            conditions.append(f"({absent}taken_{name} <= :room_{name})")
            values[f":room_{name}"] = number(most)
    write = purse_takes(task_id, taken=hold.cost, spent=NOTHING, now=now, delete_after=delete_after)
    return replace(write, condition=" AND ".join(conditions), values=values)


def purse_takes(task_id: str, *, taken: Cost, spent: Cost, now: float, delete_after: int) -> Write:
    """As much more is taken, and as much more of that is spent; either may be less than zero."""
    return Write(
        key=items.purse_key(task_id),
        sets={"updated_at": number(now), "delete_after": number(delete_after)},
        keeps={"schema_version": number(SCHEMA_VERSION), "created_at": number(now)},
        adds={
            "taken_tokens": taken.tokens,
            "taken_micro_usd": taken.micro_usd,
            "spent_tokens": spent.tokens,
            "spent_micro_usd": spent.micro_usd,
        },
    )


def pays(
    task_id: str, known: Intent, then: Intent, *, now: float, delete_after: int
) -> tuple[Write, Write]:
    """From what is known of an effect with a price to what is so then, in its record and in the
    purse; refused where its stage or its amounts are others by now.
    """
    told = {"receipt": then.receipt, "error_code": then.error_code}
    before = items.paid_attributes(known.held, known.spent)
    amounts = " AND ".join(f"{name} = :was_{name}" for name in before)
    if (known.held, known.spent) == (NOTHING, NOTHING):
        amounts = f"(attribute_not_exists(held_tokens) OR ({amounts}))"
    intent = Write(
        key=items.intent_key(task_id, known.key),
        condition=f"#stage = :was_stage AND {amounts}",
        values={
            ":was_stage": text(known.stage),
            **{f":was_{name}": value for name, value in before.items()},
        },
        sets={
            **{name: text(value) for name, value in told.items() if value},
            **items.paid_attributes(then.held, then.spent),
            "stage": text(then.stage),
            "updated_at": number(now),
            "delete_after": number(delete_after),
        },
    )
    spent = then.spent - known.spent
    taken = then.held - known.held + spent
    purse = purse_takes(task_id, taken=taken, spent=spent, now=now, delete_after=delete_after)
    return intent, purse


def _cut(told: str, most: int) -> str:
    """So many bytes at the most, all of them UTF-8: telling of a fault must not fail."""
    return told.encode(errors="replace")[:most].decode(errors="ignore")


def _held(held: UnitRecord) -> Item:
    return {":owner": text(str(held.owner)), ":version": number(held.version)}


def _value(value: str | int) -> Item:
    return dict(text(value)) if isinstance(value, str) else dict(number(value))
