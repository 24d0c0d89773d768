"""The calls of the API below /tasks: one table, for the door that answers them and for what is
written about them in docs/openapi.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPMethod, HTTPStatus

MOST_LISTED, LISTED = 50, 20
"""Tasks on a page of the list, at the most and where nobody says how many."""
BODY_LIMIT = 4 * 1024 * 1024
"""Bytes of a request. AWS hands a function 6 MB with everything around it."""
PROBLEM = "Problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`answers` are the schemas of what is answered by status; empty where there is no body."""

    name: str
    method: HTTPMethod
    path: str
    summary: str
    answers: Mapping[HTTPStatus, str]
    query: tuple[str, ...] = ()
    takes: str = ""
    """The schema of the body; empty where there is none."""
    needs_body: bool = False
    headers: tuple[str, ...] = field(default=())
    """Of the request."""


def _with_problems(answers: Mapping[HTTPStatus, str], *problems: int) -> dict[HTTPStatus, str]:
    """Any call may come at a bad moment, or find a fault of ours."""
    at_any_time = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE)
    return {**answers, **{HTTPStatus(each): PROBLEM for each in (*problems, *at_any_time)}}


ROUTES = (
    Route(
        name="startTask",
        method=HTTPMethod.POST,
        path="/tasks",
        summary="Start a task by its request; the same request again is the same task",
        takes="Request",
        needs_body=True,
        answers=_with_problems({HTTPStatus.ACCEPTED: "Begun"}, 400, 409, 413, 422),
    ),
    Route(
        name="listTasks",
        method=HTTPMethod.GET,
        path="/tasks",
        summary="The newest tasks first, page by page",
        query=("limit", "before"),
        answers=_with_problems({HTTPStatus.OK: "TaskList"}, 400),
    ),
    Route(
        name="getTask",
        method=HTTPMethod.GET,
        path="/tasks/{task_id}",
        summary="Where a task stands",
        headers=("If-None-Match",),
        answers=_with_problems({HTTPStatus.OK: "Task", HTTPStatus.NOT_MODIFIED: ""}, 404),
    ),
    Route(
        name="getReport",
        method=HTTPMethod.GET,
        path="/tasks/{task_id}/report",
        summary="Signed links to the files of a task's report, good for five minutes",
        answers=_with_problems({HTTPStatus.OK: "Report"}, 404),
    ),
    Route(
        name="cancelTask",
        method=HTTPMethod.POST,
        path="/tasks/{task_id}/cancel",
        summary="Call a task off and stop its execution",
        answers=_with_problems({HTTPStatus.OK: "Begun"}, 404, 409),
    ),
    Route(
        name="resumeTask",
        method=HTTPMethod.POST,
        path="/tasks/{task_id}/resume",
        summary="Go on with a task that failed, or that nobody works on any more",
        takes="Resumption",
        answers=_with_problems({HTTPStatus.ACCEPTED: "Begun"}, 400, 404, 409, 413, 422),
    ),
)
