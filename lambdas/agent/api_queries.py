"""What a list is asked for: how many tasks, and behind which place."""

from __future__ import annotations

from lambdas.agent.api_routes import LISTED, MOST_LISTED
from lambdas.agent.problems import Kind, Problem
from lambdas.agent.tasks import Place, TaskRecord


def limit_of(told: str | None) -> int:
    if told is None:
        return LISTED
    is_number = told.isascii() and told.isdigit() and len(told) < 4
    if not is_number or not 1 <= int(told) <= MOST_LISTED:
        raise _malformed("limit", f"must be a whole number from 1 to {MOST_LISTED}")
    return int(told)


def before(told: str | None) -> Place | None:
    if told is None:
        return None
    instant, dot, task_id = told.partition(".")
    is_instant = instant.isascii() and instant.isdigit() and len(instant) <= 15
    if not dot or not is_instant or not is_task_id(task_id):
        raise _malformed("before", "is no place on the list: follow the `next` link of a page")
    return Place(created_at=int(instant) / 1000, task_id=task_id)


def cursor(last: TaskRecord) -> str:
    """What `before` is on the next page."""
    return f"{round(last.created_at * 1000)}.{last.task_id}"


def is_task_id(told: str) -> bool:
    """What never was an id is not looked up."""
    is_plain = told.isascii() and told.replace("-", "").isalnum() and told == told.lower()
    return is_plain and len(told) <= 60


def _malformed(name: str, fault: str) -> Problem:
    return Problem(Kind.MALFORMED, f"{name}: {fault}", faults=((name, fault),))
