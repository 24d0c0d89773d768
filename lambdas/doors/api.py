"""API: what programs ask and tell over HTTP. Who may is IAM's to say, before anything comes here.

Event    an HTTP request of API Gateway (payload 2.0) to /tasks or below
Answer   JSON; for what goes wrong application/problem+json, as `lambdas.agent.problems` has it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from lambdas.agent import api_bodies, api_queries, task_views
from lambdas.agent.api_routes import ROUTES
from lambdas.agent.beginning import FIRST_RUN, begin
from lambdas.agent.calling_off import called_off, stopped
from lambdas.agent.contract import Status
from lambdas.agent.errors import IllegalMove, InputChanged, InvalidRequest, StepError
from lambdas.agent.http_headers import SECURE
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.ports import Ports
from lambdas.agent.problems import MEDIA_TYPE, Kind, Problem, excuse, refusal
from lambdas.agent.report_files import CONTENT_TYPES, report_files
from lambdas.agent.resuming import Hindrance, resume
from lambdas.agent.standing import Standing, briefly, standing
from lambdas.agent.tasks import TaskRecord
from lambdas.entry import door_handler

Answer = Response[str]

HEADERS = {**SECURE, "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
JSON = "application/json"
MAY_BE_KEPT = {"Cache-Control": "private, no-cache"}
"""By whoever asked, and asked about again before it is used."""
LINK_SECONDS = 300
NOT_YET = "It has just been started and is not written down yet: ask again in a moment"
HINDRANCES = {
    Hindrance.ENDED: "Task {id} has ended as {status}, and stays so: start a request of its own",
    Hindrance.UNDER_WAY: "Task {id} is under way in run {run}: see how it stands, or call it off",
    Hindrance.LOST: "Every execution of task {id} ended before it had begun: see their graphs in "
    "Step Functions, and mend what they say",
}

app = APIGatewayHttpResolver()


def start_task() -> Answer:
    begun = begin(api_bodies.json_object(_event()), _ports())
    stands = standing(begun.task_id, _ports())
    stands = stands or Standing(task_id=begun.task_id, status=Status.PENDING)
    at = f"tasks/{begun.task_id}"
    run = stands.task.run if stands.task else FIRST_RUN
    view = task_views.begun(stands, run=run, already=begun.already, at=at)
    return _told(HTTPStatus.ACCEPTED, view, Location=at)


def list_tasks() -> Answer:
    query = _event().get("queryStringParameters") or {}
    limit, before = (
        api_queries.limit_of(query.get("limit")),
        api_queries.before(query.get("before")),
    )
    tasks = _ports().ledger.newest(limit, before=before)
    is_full = len(tasks) == limit
    following = f"limit={limit}&before={api_queries.cursor(tasks[-1])}" if is_full else None
    listed = [briefly(task, _ports()) for task in tasks]
    return _told(HTTPStatus.OK, task_views.page(listed, following=following))


def get_task(task_id: str) -> Answer:
    view = task_views.whole(_standing(task_id), at=task_id)
    tag = task_views.etag(view)
    headers = {"ETag": tag, **MAY_BE_KEPT}
    if task_views.is_known(tag, _header("if-none-match")):
        return Response(HTTPStatus.NOT_MODIFIED.value, None, "", {**HEADERS, **headers})
    return _told(HTTPStatus.OK, view, **headers)


def get_report(task_id: str) -> Answer:
    task = _standing(task_id).task
    found = report_files(task, _ports()) if task else None
    if found is None:
        raise Problem(
            Kind.NOT_FOUND,
            f"Task {task_id} has no report, or none yet: see how it stands",
        )
    ports, until = _ports(), _ports().clock.now() + LINK_SECONDS
    files = {
        name: ports.links.signed(key, content_type=CONTENT_TYPES[name], seconds=LINK_SECONDS)
        for name, key in sorted(found.keys.items())
        if name in CONTENT_TYPES
    }
    view = {
        "task_id": task_id,
        "revision": found.revision,
        "is_published": found.is_published,
        "expires_at": iso(until),
        "files": files,
    }
    return _told(HTTPStatus.OK, view)


def cancel_task(task_id: str) -> Answer:
    task, already = called_off(_written_down(task_id), _ports().ledger)
    if task.status is not Status.CANCELLED:
        raise IllegalMove(f"Task {task_id} has ended as {task.status}: there is nothing to stop")
    stopped(task, _ports().executions, cause=f"Called off through the API by {_caller()}")
    stands = Standing(task_id=task_id, status=task.status, task=task)
    at = f"../{task_id}"
    return _told(HTTPStatus.OK, task_views.begun(stands, run=task.run, already=already, at=at))


def resume_task(task_id: str) -> Answer:
    again = api_bodies.retries_set_aside(_event())
    task, begun = resume(lambda: _written_down(task_id), _ports().executions, retry_set_aside=again)
    if isinstance(begun, Hindrance):
        raise IllegalMove(HINDRANCES[begun].format(id=task_id, status=task.status, run=task.run))
    stands = Standing(task_id=task_id, status=Status.PENDING)
    view = task_views.begun(stands, run=begun.run, already=not begun.is_new, at=f"../{task_id}")
    return _told(HTTPStatus.ACCEPTED, view)


_ANSWERING: Mapping[str, Callable[..., Answer]] = {
    "startTask": start_task,
    "listTasks": list_tasks,
    "getTask": get_task,
    "getReport": get_report,
    "cancelTask": cancel_task,
    "resumeTask": resume_task,
}
for _route in ROUTES:
    _rule = _route.path.replace("{task_id}", "<task_id>")
    app.route(_rule, method=_route.method)(_ANSWERING[_route.name])


@app.exception_handler(Problem)  # type: ignore[untyped-decorator]  # Powertools' own
def problem(told: Problem) -> Answer:
    return _problem(told)


@app.exception_handler([InvalidRequest, InputChanged, IllegalMove])  # type: ignore[untyped-decorator]  # Powertools' own
def refused(error: InvalidRequest | InputChanged | IllegalMove) -> Answer:
    """What is no fault of the call's goes on to the log, and is excused there."""
    return _problem(refusal(error))


@app.not_found
def not_found(_: Exception) -> Answer:
    allowed = sorted({route.method.value for route in ROUTES if _is_at(route.path)})
    if not allowed or app.current_event.http_method in allowed:  # an id that no route takes
        return _problem(Problem(Kind.NOT_FOUND, "Nothing is at this address"))
    told = f"This address is called with {' or '.join(allowed)}"
    return _problem(Problem(Kind.WRONG_METHOD, told, headers={"Allow": ", ".join(allowed)}))


def _is_at(path: str) -> bool:
    asked, named = app.current_event.path.split("/"), path.split("/")
    return len(asked) == len(named) and all(
        part == name or (name.startswith("{") and part)
        for part, name in zip(asked, named, strict=True)
    )


def _standing(task_id: str) -> Standing:
    found = standing(task_id, _ports()) if api_queries.is_task_id(task_id) else None
    if found is None:
        raise Problem(
            Kind.NOT_FOUND,
            "There is no task of this id, or it is past its retention: GET /tasks lists "
            "those there are",
        )
    return found


def _written_down(task_id: str) -> TaskRecord:
    """The task's record. One that has just been started is there, but nobody can move it yet."""
    known = _ports().ledger.task(task_id) if api_queries.is_task_id(task_id) else None
    if known:
        return known
    if task := _standing(task_id).task:
        return task
    raise IllegalMove(NOT_YET)


def _caller() -> str:
    iam = _event()["requestContext"].get("authorizer", {}).get("iam") or {}
    return str(iam.get("userArn") or "somebody")


def _told(status: HTTPStatus, view: Mapping[str, Any], **headers: str) -> Answer:
    return Response(status.value, JSON, _json(view), {**HEADERS, **headers})


def _problem(told: Problem) -> Answer:
    headers = {**HEADERS, **told.headers}
    return Response(told.kind.status.value, MEDIA_TYPE, _json(told.body()), headers)


def _json(view: Mapping[str, Any]) -> str:
    return canonical(view).decode()


def _header(name: str) -> str:
    return str(_event().get("headers", {}).get(name, ""))


def _event() -> Mapping[str, Any]:
    event: Mapping[str, Any] = app.current_event.raw_event
    return event


def _ports() -> Ports:
    ports: Ports = app.context["ports"]
    return ports


def api(event: Mapping[str, Any], ports: Ports, **_: Any) -> dict[str, Any]:
    app.append_context(ports=ports)  # type: ignore[no-untyped-call]
    # No route asks for Lambda's own context: what is of use of it stands in ours.
    answer: dict[str, Any] = app.resolve(dict(event), None)  # type: ignore[arg-type]
    return answer


def told(answer: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Which task, and how it went; never what was asked or answered."""
    body = json.loads(answer["body"] or "{}")
    known = {"task_id": body["task_id"]} if "task_id" in body else {}
    yield "told", {"http_status": answer["statusCode"], **known}


def ids(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """What joins a line to API Gateway's own log, and to the task that was asked about."""
    asked = (event.get("pathParameters") or {}).get("task_id", "")
    known = {"task_id": asked} if api_queries.is_task_id(asked) else {}
    return {"http_request_id": event["requestContext"]["requestId"], **known}


def excused(error: StepError, request_id: str) -> dict[str, Any]:
    told = _problem(excuse(error, request_id))
    return {"statusCode": told.status_code, "headers": told.headers, "body": told.body}


door = partial(door_handler, api, told=told, ids=ids, excuse=excused)
handler = door()
