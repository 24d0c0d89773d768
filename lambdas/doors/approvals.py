"""APPROVALS: the page of an approval, for whoever has its link. Only POST decides.

Event    an HTTP request of API Gateway (payload 2.0) to /approvals/{id} or /approvals/{id}/report
Answer   the page, with 410 where another report has followed; 404 and 410 with one and the same
         page for every link that leads nowhere, or is over, and for every form that is not that of
         the link's own page; 429 for visitors who ask too often.
"""

from __future__ import annotations

import hmac
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from http import HTTPMethod, HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from lambdas.agent import approval
from lambdas.agent.answer_form import FORM_LIMIT, Form
from lambdas.agent.approval_page import Page, Summary
from lambdas.agent.approval_words import BUSY, GIVEN, GONE, NOT_NOW, TITLE, TOO_MANY, said
from lambdas.agent.approving import Question, Standing, nonce_of, question
from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Decision
from lambdas.agent.errors import IllegalMove, Retryable
from lambdas.agent.http_headers import SECURE
from lambdas.agent.ports import Ports
from lambdas.agent.visitor import visitor_at
from lambdas.entry import door_handler

Answer = Response[str]

HEADERS = {**SECURE, "X-Robots-Tag": "noindex, nofollow"}
HTML = "text/html; charset=utf-8"
REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""Its origin is nobody's: nothing in a report can reach the form beside it."""
RETRY_AFTER = {HTTPStatus.TOO_MANY_REQUESTS: "60", HTTPStatus.SERVICE_UNAVAILABLE: "2"}

app = APIGatewayHttpResolver()


class Nowhere(Exception):
    """A link that leads to nothing that can be decided, or looked at."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


def limited(resolver: APIGatewayHttpResolver, go_on: Callable[..., Answer]) -> Answer:
    """Before anything is looked up: whoever tries ids is stopped as soon as whoever has one."""
    # The address that API Gateway has seen: what a header says of it is anybody's word.
    address = resolver.current_event.request_context.http.source_ip
    if not _ports().quota.take(visitor_at(address)):
        return _shown(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
    return go_on(resolver)


app.use(middlewares=[limited])


@app.route("/approvals/<id_>", method=["GET", "HEAD"])
def look(id_: str) -> Answer:
    return _standing(id_, _found(id_))


@app.get("/approvals/<id_>/report")
def read(id_: str) -> Answer:
    body = _file(_found(id_), "report.html").decode()
    return Response(200, HTML, body, {**HEADERS, "Content-Security-Policy": REPORT_POLICY})


@app.post("/approvals/<id_>")
def answer(id_: str) -> Answer:
    found, form = _found(id_), Form.of(_body())
    if not hmac.compare_digest(form.nonce.encode(), nonce_of(id_, found).encode()):
        raise Nowhere(HTTPStatus.NOT_FOUND)
    if found.standing is not Standing.OPEN:
        # What was recorded is said once more: a signal that was lost is healed by it.
        approval.signalled(found.outcome, found.task.task_id, _ports())
        return _standing(id_, found)
    if form.decision == Decision.MORE_TIME and found.has_given(form.extensions):
        return _shown(HTTPStatus.OK, _page(id_, found, form=form, said=GIVEN))
    if faults := list(form.faults(found.choices)):
        return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, id_, found, form, faults)
    return _decided(id_, found, form)


def _decided(id_: str, found: Question, form: Form) -> Answer:
    """Recorded first, signalled second. Who comes second is shown what was decided before."""
    told, task_id = app.context, found.task.task_id
    try:
        ran = approval.decide(
            form.verdict(),
            found.asked,
            task_id,
            _ports(),
            owner=told["owner"],
            seconds=told["seconds"],
        )
        approval.signalled(ran.outcome, task_id, _ports())
    except IllegalMove as refused:
        return _refused(HTTPStatus.CONFLICT, id_, found, form, [str(refused)])
    except Retryable:
        return _refused(HTTPStatus.SERVICE_UNAVAILABLE, id_, found, form, [NOT_NOW])
    return _shown(HTTPStatus.OK, _page(id_, _found(id_), is_new=not ran.is_replay, form=form))


@app.exception_handler(Nowhere)  # type: ignore[untyped-decorator]  # Powertools' own
def nowhere(error: Nowhere) -> Answer:
    """One page, whatever the reason is: a status is all that whoever tries ids finds out."""
    return _shown(error.status, GONE)


@app.exception_handler(Retryable)  # type: ignore[untyped-decorator]  # Powertools' own
def busy(_: Retryable) -> Answer:
    return _shown(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)


@app.not_found
def not_found(_: Exception) -> Answer:
    return _shown(HTTPStatus.NOT_FOUND, GONE)


def _found(id_: str) -> Question:
    found = question(id_, _ports())
    if found is None:
        raise Nowhere(HTTPStatus.NOT_FOUND)
    if found.standing is Standing.OVER:
        raise Nowhere(HTTPStatus.GONE)
    return found


def _standing(id_: str, found: Question) -> Answer:
    is_followed = found.standing is Standing.FOLLOWED
    return _shown(HTTPStatus.GONE if is_followed else HTTPStatus.OK, _page(id_, found))


def _refused(
    status: HTTPStatus, id_: str, found: Question, form: Form, faults: Iterable[str]
) -> Answer:
    return _shown(status, _page(id_, found, form=form, faults=tuple(faults)))


def _page(id_: str, found: Question, *, is_new: bool = False, **also: Any) -> Page:
    is_open = found.standing is Standing.OPEN
    shown = {"said": said(found, is_new=is_new), **also}
    return Page(
        title=TITLE[found.standing],
        note=found.note,
        summary=Summary.of(_file(found, "report.json")),
        report_link=f"{id_}/report",
        until=found.facts["until"] if is_open else "",
        choices=frozenset(found.choices if is_open else ()),
        nonce=nonce_of(id_, found),
        extensions=found.extensions,
        **shown,
    )


def _file(found: Question, name: str) -> bytes:
    artifacts = _ports().artifacts
    return artifacts.get(fields_of(artifacts.get(found.facts["report"]))[name])


def _shown(status: HTTPStatus, page: Page) -> Answer:
    rendered = _ports().approval_pages.render(page)
    later = {"Retry-After": RETRY_AFTER[status]} if status in RETRY_AFTER else {}
    headers = {**HEADERS, **later, "Content-Security-Policy": rendered.policy}
    return Response(status.value, HTML, rendered.body, headers)


def _body() -> str:
    """Whatever is longer than any form of ours is none. Its bytes are anybody's, and any bytes."""
    event = app.current_event
    body = event.body or ""
    if event.is_base64_encoded:
        body = b64decode(body).decode(errors="replace")
    return body if len(body) <= FORM_LIMIT else ""


def _ports() -> Ports:
    ports: Ports = app.context["ports"]
    return ports


def approvals(
    event: Mapping[str, Any], ports: Ports, *, owner: str, seconds: float
) -> dict[str, Any]:
    app.append_context(ports=ports, owner=owner, seconds=seconds)  # type: ignore[no-untyped-call]
    # No route asks for Lambda's own context: what is of use of it stands in ours.
    told: dict[str, Any] = app.resolve(dict(event), None)  # type: ignore[arg-type]
    is_head = event["requestContext"]["http"]["method"] == HTTPMethod.HEAD
    return {**told, "body": ""} if is_head else told


handler = door_handler(approvals)
