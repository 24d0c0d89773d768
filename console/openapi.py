"""`docs/openapi.json`, made from the routes themselves: `python -m console.openapi` writes it."""

from __future__ import annotations

import json
from http import HTTPMethod, HTTPStatus
from typing import Any

from console.account import ROOT
from console.openapi_shapes import STRING, TASK_ID, named, shapes
from lambdas.agent.api_routes import LISTED, MOST_LISTED, PROBLEM, ROUTES, Route
from lambdas.agent.problems import MEDIA_TYPE

PAGE = ROOT / "docs" / "openapi.json"
JSON, HTML, FORM = "application/json", "text/html", "application/x-www-form-urlencoded"
SIGNED = "sigv4"

Told = dict[str, Any]

_PARAMETERS: dict[str, Told] = {
    "task_id": {"in": "path", "required": True, "schema": TASK_ID},
    "id": {"in": "path", "required": True, "schema": {"type": "string", "pattern": "^[^/?#]+$"}},
    "limit": {
        "in": "query",
        "description": "Tasks on the page.",
        "schema": {"type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": LISTED},
    },
    "before": {
        "in": "query",
        "description": "Where the page begins: follow the `next` link of the page before.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}\\.[a-z0-9-]{1,60}$"},
    },
    "If-None-Match": {
        "in": "header",
        "description": "The ETag of an answer before: 304 where nothing has changed.",
        "schema": STRING,
    },
}
_PAGES = {
    HTTPMethod.GET: ("lookAtApproval", [200, 404, 410, 429, 503]),
    HTTPMethod.HEAD: ("peekAtApproval", [200, 404, 410, 429, 503]),
    HTTPMethod.POST: ("answerApproval", [200, 403, 404, 409, 410, 422, 429, 503]),
}


def document() -> Told:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ratchet",
            "version": "1",
            "description": "Starts, shows, calls off and resumes research tasks; see docs/api.md.",
        },
        "servers": [
            {
                "url": "{http_url}",
                "description": "The stack's output HttpUrl.",
                "variables": {"http_url": {"default": "https://ratchet.example"}},
            }
        ],
        "paths": {**_tasks(), **_approvals()},
        "components": {
            "schemas": shapes(),
            "securitySchemes": {
                SIGNED: {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "AWS Signature Version 4 for the service execute-api.",
                }
            },
        },
    }


def page() -> str:
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


def _tasks() -> Told:
    paths: Told = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return paths


def _operation(route: Route) -> Told:
    body = {"content": {JSON: {"schema": named(route.takes)}}, "required": route.needs_body}
    in_path = ("task_id",) if "{task_id}" in route.path else ()
    return {
        "operationId": route.name,
        "summary": route.summary,
        "tags": ["tasks"],
        "security": [{SIGNED: []}],
        "parameters": [_parameter(name) for name in (*in_path, *route.query, *route.headers)],
        **({"requestBody": body} if route.takes else {}),
        "responses": {
            **{str(status.value): _answer(status, name) for status, name in route.answers.items()},
            "403": _gateway("Not signed, or not allowed by IAM"),
            "429": _gateway("Too many calls at once"),
        },
    }


def _answer(status: HTTPStatus, name: str) -> Told:
    if not name:
        return {"description": status.phrase}
    media_type = MEDIA_TYPE if name == PROBLEM else JSON
    return {"description": status.phrase, "content": {media_type: {"schema": named(name)}}}


def _gateway(said: str) -> Told:
    return {"description": said, "content": {JSON: {"schema": named("GatewayMessage")}}}


def _approvals() -> Told:
    """The pages for people: whoever has the link is let in by it."""
    pages = {
        method.lower(): _page(name, statuses, has_body=method is not HTTPMethod.HEAD)
        for method, (name, statuses) in _PAGES.items()
    }
    fields = dict.fromkeys(("decision", "by", "note", "nonce"), STRING)
    form = {"schema": {"type": "object", "properties": fields}}
    pages["post"]["requestBody"] = {"content": {FORM: form}}
    return {
        "/approvals/{id}": pages,
        "/approvals/{id}/report": {"get": _page("readReport", [200, 404, 410, 429, 503])},
    }


def _page(name: str, statuses: list[int], *, has_body: bool = True) -> Told:
    content = {"content": {HTML: {"schema": STRING}}} if has_body else {}
    return {
        "operationId": name,
        "summary": "A page for whoever has the link of an approval",
        "tags": ["approvals"],
        "security": [],
        "parameters": [_parameter("id")],
        "responses": {
            str(status): {"description": HTTPStatus(status).phrase, **content}
            for status in statuses
        },
    }


def _parameter(name: str) -> Told:
    return {"name": name, **_PARAMETERS[name]}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
