"""Tasks as the API tells them. Links are relative to the address that was asked, so that they hold
behind any domain and any prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lambdas.agent.costs import Cost
from lambdas.agent.identity import canonical, digest
from lambdas.agent.instants import iso
from lambdas.agent.standing import ABANDONED, STUCK, Standing

View = dict[str, Any]

OVER = "Its execution is over and nothing moves it any more"


def whole(stands: Standing, *, at: str) -> View:
    """Everything that `GET /tasks/{task_id}` tells; `at` leads from there to the task."""
    task = stands.task
    return {
        **brief(stands, at=at),
        "step": task.current_step if task else None,
        "progress": {
            "sources": task.sources if task else 0,
            "read": stands.read,
            "set_aside": stands.aside,
        },
        "cost": {"spent": _cost(stands.purse.spent), "held": _cost(stands.purse.held)},
        "budget": (task.budget or None) if task else None,
        "links": _links(stands, at),
    }


def brief(stands: Standing, *, at: str) -> View:
    """A task of the list."""
    task = stands.task
    return {
        "task_id": stands.task_id,
        "status": stands.status,
        "agent_id": task.agent_id if task else None,
        "workflow_id": task.workflow_id if task else None,
        "run": task.run if task else None,
        "revision": task.revision if task else 0,
        "created_at": iso(task.created_at) if task else None,
        "updated_at": iso(task.updated_at) if task else None,
        "error": _error(stands),
        "links": {"self": at},
    }


def begun(stands: Standing, *, run: int, already: bool, at: str) -> View:
    """What a call that starts, resumes or calls off answers; `run` is the one that it is about."""
    return {
        "task_id": stands.task_id,
        "status": stands.status,
        "run": run,
        "already": already,
        "links": _links(stands, at),
    }


def etag(view: View) -> str:
    """Strong: of everything that is told. The record's version alone would stay the same while
    sources are read and models are paid.
    """
    return f'"{digest(canonical(view).decode())[:32]}"'


def is_known(tag: str, told: str) -> bool:
    """Whether the tags of an If-None-Match name this one; weak ones count, as RFC 9110 has it."""
    named = (each.strip().removeprefix("W/") for each in told.split(","))
    return told.strip() == "*" or tag in named


def page(listed: Sequence[Standing], *, following: str | None) -> View:
    """`following` is the query of the next page; None on the last."""
    return {
        "tasks": [brief(each, at=f"tasks/{each.task_id}") for each in listed],
        "links": {"next": f"tasks?{following}" if following else None},
    }


def _links(stands: Standing, at: str) -> View:
    """What may be done with it as it stands."""
    links = {"self": at}
    if stands.task and (stands.task.revision or stands.task.result_uri):
        links["report"] = f"{at}/report"
    if stands.may_be_called_off:
        links["cancel"] = f"{at}/cancel"
    if stands.may_go_on:
        links["resume"] = f"{at}/resume"
    return links


def _error(stands: Standing) -> View | None:
    """Why it stands still; what a later run has left behind it is told no more."""
    if stands.status not in STUCK:
        return None
    if stands.task and stands.task.error_code:
        return {"code": stands.task.error_code, "message": stands.task.last_error}
    return {"code": ABANDONED, "message": OVER}


def _cost(cost: Cost) -> View:
    return {"tokens": cost.tokens, "usd": cost.micro_usd / 1_000_000}
