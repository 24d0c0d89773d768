"""The conditional writes of tasks. Every condition has a name."""

from __future__ import annotations

from lambdas.adapters import ledger_items as items
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_write import Write
from lambdas.agent.contract import CONTINUABLE, Status, Step, may_become
from lambdas.agent.tasks import Move

# A task belongs to the highest run that took it on: no earlier one moves it, or takes it back.
THIS_RUN = "#run = :run"
EARLIER_RUN = "#run < :run"


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


def _value(value: str | int) -> Item:
    return dict(text(value)) if isinstance(value, str) else dict(number(value))
