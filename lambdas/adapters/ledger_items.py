"""The ledger's items, and the records they stand for.

A task has its own partition; the units of its sources are spread over SHARDS more, so that a
run of ten thousand sources heats no single one and its units can still be listed. Whatever is
not a string or a whole number is kept as JSON text: DynamoDB refuses floats.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from lambdas.adapters.ledger_upcasts import current
from lambdas.agent.contract import SCHEMA_VERSION, Progress, Status, Step
from lambdas.agent.costs import Cost, Purse
from lambdas.agent.identity import canonical, digest
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.model import BESIDE, WHOLE_TASK, Outcome, Unit, UnitRecord
from lambdas.agent.tally import Trace
from lambdas.agent.tasks import NewTask, TaskRecord

SHARDS = 8
TASK_SORT_KEY = "TASK"
PURSE_SORT_KEY = "PURSE"
EFFECTS = "EFFECT#"
LISTED = "TASK"
"""The partition of the index that lists the tasks by their time."""
BY_TIME = "by-time"
"""That index; `stacks.storage` makes it."""
NEW = "NEW"
"""Progress of a unit that was claimed and has committed nothing yet."""

SHORT: Mapping[str, Any] = {
    "ProjectionExpression": "#step, #item, #progress, delete_after",
    "ExpressionAttributeNames": {"#step": "step", "#item": "item", "#progress": "progress"},
}
"""What is asked of a unit to count it."""

Item = dict[str, Any]


def text(value: str) -> dict[str, str]:
    return {"S": value}


def number(value: float) -> dict[str, str]:
    return {"N": f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)}


def partition(task_id: str, item: str) -> str:
    if item == WHOLE_TASK:
        return task_id
    if item.startswith(BESIDE):
        return f"{task_id}#{BESIDE}"
    return f"{task_id}#{int(digest(item)[:8], 16) % SHARDS}"


def partitions(task_id: str) -> list[str]:
    """Where the units of its runs are."""
    return [task_id, *(f"{task_id}#{shard}" for shard in range(SHARDS))]


def task_key(task_id: str) -> Item:
    return {"pk": text(task_id), "sk": text(TASK_SORT_KEY)}


def unit_key(unit: Unit) -> Item:
    return {
        "pk": text(partition(unit.task_id, unit.item)),
        "sk": text(f"{units_of(unit.item)}{unit.step}"),
    }


def units_of(item: str) -> str:
    """What the sort keys of an item's units begin with. Items hold no '#'."""
    return f"UNIT#{item}#"


def intent_key(task_id: str, key: str) -> Item:
    return {"pk": text(task_id), "sk": text(f"{EFFECTS}{key}")}


def purse_key(task_id: str) -> Item:
    return {"pk": text(task_id), "sk": text(PURSE_SORT_KEY)}


def task_item(task: NewTask, *, now: float, delete_after: int) -> Item:
    return {
        **task_key(task.task_id),
        "agent_id": text(task.agent_id),
        "workflow_id": text(task.workflow_id),
        "input_id": text(task.input_id),
        "status": text(Status.RUNNING),
        "current_step": text(Step.PLAN),
        "state_version": number(1),
        "schema_version": number(SCHEMA_VERSION),
        "execution": text(task.execution),
        "run": number(1),
        "request": text(task.request),
        "listed": text(LISTED),
        "created_at": number(now),
        "updated_at": number(now),
        "delete_after": number(delete_after),
    }


def task_record(item: Mapping[str, Any]) -> TaskRecord:
    item = current(item)
    return TaskRecord(
        task_id=item["pk"]["S"],
        agent_id=item["agent_id"]["S"],
        workflow_id=item["workflow_id"]["S"],
        input_id=item["input_id"]["S"],
        status=Status(item["status"]["S"]),
        current_step=Step(item["current_step"]["S"]),
        state_version=int(item["state_version"]["N"]),
        schema_version=int(item["schema_version"]["N"]),
        execution=item["execution"]["S"],
        run=int(item["run"]["N"]),
        request=_s(item, "request"),
        sources=int(_n(item, "sources")),
        read=int(_n(item, "read")),
        revision=int(_n(item, "revision")),
        waits_until=_s(item, "waits_until"),
        result_uri=_s(item, "result_uri"),
        budget=_s(item, "budget"),
        error_code=_s(item, "error_code"),
        last_error=_s(item, "last_error"),
        created_at=_n(item, "created_at"),
        updated_at=_n(item, "updated_at"),
    )


def unit_record(item: Mapping[str, Any]) -> UnitRecord:
    item = current(item)
    return UnitRecord(
        step=Step(item["step"]["S"]),
        item=item["item"]["S"],
        fingerprint=item["fingerprint"]["S"],
        version=int(item["version"]["N"]),
        outcome=_outcome(item),
        owner=_s(item, "owner") or None,
        leased_until=_n(item, "leased_until"),
        attempt=int(item["attempt"]["N"]),
        error_code=_s(item, "error_code"),
        last_error=_s(item, "last_error"),
        dependency=_s(item, "dependency"),
        updated_at=_n(item, "updated_at"),
    )


def outcome_attributes(outcome: Outcome) -> dict[str, Any]:
    """Every attribute of an outcome; None where it is to be removed."""
    return {
        "progress": text(outcome.progress),
        "facts": text(canonical(outcome.facts).decode()),
        "cursor": text(canonical(outcome.cursor).decode()) if outcome.cursor else None,
        "ref": text(outcome.ref) if outcome.ref else None,
        "result": {"B": zlib.compress(outcome.result)} if outcome.result is not None else None,
        "result_ref": text(outcome.result_ref) if outcome.result_ref else None,
        "callback": text(outcome.callback) if outcome.callback else None,
    }


def trace_of(item: Mapping[str, Any]) -> Trace:
    """From what SHORT asks for."""
    return Trace(
        step=Step(item["step"]["S"]),
        item=item["item"]["S"],
        is_done=item["progress"]["S"] == Progress.DONE,
    )


def intent(item: Mapping[str, Any], *, is_new: bool = False) -> Intent:
    item = current(item)
    return Intent(
        key=item["sk"]["S"].removeprefix(EFFECTS),
        kind=item["kind"]["S"],
        stage=Stage(item["stage"]["S"]),
        external_id=_s(item, "external_id"),
        receipt=_s(item, "receipt"),
        error_code=_s(item, "error_code"),
        reserved_at=_n(item, "created_at"),
        is_new=is_new,
        held=_cost(item, "held"),
        spent=_cost(item, "spent"),
    )


def paid_attributes(held: Cost, spent: Cost) -> Item:
    """What an effect that costs something tells of that, beside its stage."""
    return {**_cost_attributes("held", held), **_cost_attributes("spent", spent)}


def purse(item: Mapping[str, Any]) -> Purse:
    """`taken` is what is held and what is spent: a condition cannot add."""
    item = current(item)
    spent = _cost(item, "spent")
    return Purse(held=_cost(item, "taken") - spent, spent=spent)


def _cost_attributes(name: str, cost: Cost) -> Item:
    return {
        f"{name}_tokens": number(cost.tokens),
        f"{name}_micro_usd": number(cost.micro_usd),
    }


def _cost(item: Mapping[str, Any], name: str) -> Cost:
    return Cost(
        tokens=int(_n(item, f"{name}_tokens")), micro_usd=int(_n(item, f"{name}_micro_usd"))
    )


def _outcome(item: Mapping[str, Any]) -> Outcome | None:
    if item["progress"]["S"] == NEW:
        return None
    packed = item.get("result")
    return Outcome(
        progress=Progress(item["progress"]["S"]),
        facts=json.loads(item["facts"]["S"]),
        cursor=json.loads(_s(item, "cursor") or "{}"),
        ref=_s(item, "ref") or None,
        result=zlib.decompress(packed["B"]) if packed else None,
        result_ref=_s(item, "result_ref") or None,
        callback=_s(item, "callback"),
    )


def _s(item: Mapping[str, Any], name: str) -> str:
    return str(item.get(name, {}).get("S", ""))


def _n(item: Mapping[str, Any], name: str) -> float:
    return float(item.get(name, {}).get("N", 0))
