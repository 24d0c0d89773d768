"""What it means that the ledger refused a write."""

from __future__ import annotations

from typing import NoReturn

from lambdas.adapters.dynamodb_conditions import Refused
from lambdas.adapters.ledger_items import Item
from lambdas.agent.errors import IllegalMove, InputChanged, LeaseLost, StillClaimed, Unexpected
from lambdas.agent.model import Outcome, Unit, UnitRecord
from lambdas.agent.tasks import Move, NewTask, TaskRecord


def same_task(asked: NewTask, found: TaskRecord) -> TaskRecord:
    if found.input_id != asked.input_id:
        raise InputChanged(
            f"Task {asked.task_id} was started with another request: give this one a "
            "workflow_id of its own"
        )
    return found


def as_it_stands(unit: Unit, record: UnitRecord) -> UnitRecord:
    """What a refused claim means: another input, or done, or somebody is at it."""
    if record.fingerprint != unit.fingerprint:
        raise InputChanged(
            f"{unit} was begun with another input, and its result stays as it is: "
            "start the new request under a workflow_id of its own"
        )
    if not record.is_done:
        raise StillClaimed(f"{unit} is leased to {record.owner}: it is tried again when that ends")
    return record


def never_reserved(task_id: str, key: str) -> Unexpected:
    return Unexpected(
        f"Task {task_id} has no record of the effect {key[:12]}: it was deleted by hand, or its "
        "retention is over. Start a new run"
    )


def refuse_commit(unit: Unit, outcome: Outcome, refused: Refused) -> NoReturn:
    if refused.place == 0 or outcome.move is None:
        raise LeaseLost(f"{unit} was taken over before it could be committed: it is tried again")
    raise illegal(unit.task_id, outcome.move, refused.old)


def illegal(task_id: str, move: Move, old: Item) -> IllegalMove:
    stands = old.get("status", {}).get("S", "unknown")
    run = old.get("run", {}).get("N", "?")
    return IllegalMove(
        f"Task {task_id} stands as {stands} in run {run} and cannot become {move.status} from "
        f"here: see `./ratchet status {task_id}`"
    )
