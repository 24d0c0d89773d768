"""The conditional writes of effects and purses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_conditions import ABSENT
from lambdas.adapters.ledger_items import number, text
from lambdas.adapters.ledger_write import Write
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.costs import NOTHING, Cost, Hold
from lambdas.agent.intents import Intent, Stage

# An effect's stage moves forward only, and what has ended stays as it ended.
FROM = {
    Stage.SUBMITTED: (Stage.RESERVED,),
    Stage.DONE: (Stage.RESERVED, Stage.SUBMITTED),
    Stage.FAILED: (Stage.RESERVED, Stage.SUBMITTED),
}


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
