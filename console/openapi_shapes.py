"""The shapes of what the API takes and answers, as JSON Schema."""

from __future__ import annotations

from typing import Any

from lambdas.adapters.request_schema import RequestModel
from lambdas.agent.contract import Status, Step
from lambdas.agent.report_files import CONTENT_TYPES
from lambdas.agent.standing import ABANDONED

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
INSTANT: Schema = {"type": "string", "format": "date-time"}
REFERENCE: Schema = {"type": "string", "format": "uri-reference"}
TASK_ID: Schema = {"type": "string", "pattern": "^[a-z0-9-]{1,60}$"}
RUN: Schema = {"type": "integer", "minimum": 1}


def shapes() -> dict[str, Schema]:
    """By their names in `components`."""
    return {**_request(), **_ours()}


def named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _request() -> dict[str, Schema]:
    """The very schema that requests are held to."""
    schema = RequestModel.model_json_schema(ref_template="#/components/schemas/{model}")
    parts: dict[str, Schema] = schema.pop("$defs")
    return {**parts, "Request": {**schema, "title": "Request"}}


def _ours() -> dict[str, Schema]:
    brief = {
        "task_id": TASK_ID,
        "status": named("Status"),
        "agent_id": _or_null(STRING),
        "workflow_id": _or_null(STRING),
        "run": _or_null(RUN),
        "revision": COUNT,
        "created_at": _or_null(INSTANT),
        "updated_at": _or_null(INSTANT),
        "error": _or_null(_object({"code": STRING, "message": STRING})),
    }
    whole = {
        **brief,
        "step": _or_null({"type": "string", "enum": [step.value for step in Step]}),
        "progress": _object({"sources": COUNT, "read": COUNT, "set_aside": COUNT}),
        "cost": _object({"spent": named("Cost"), "held": named("Cost")}),
        "budget": _or_null(STRING),
        "links": named("Links"),
    }
    begun = {
        "task_id": TASK_ID,
        "status": named("Status"),
        "run": RUN,
        "already": {"type": "boolean"},
        "links": named("Links"),
    }
    report = {
        "task_id": TASK_ID,
        "revision": COUNT,
        "is_published": {"type": "boolean"},
        "expires_at": INSTANT,
        "files": _object({name: {"type": "string", "format": "uri"} for name in CONTENT_TYPES}),
    }
    listed = _object({**brief, "links": _object({"self": REFERENCE})})
    following = _object({"next": _or_null(REFERENCE)})
    return {
        "Status": {"type": "string", "enum": [*(each.value for each in Status), ABANDONED]},
        "Cost": _object({"tokens": COUNT, "usd": {"type": "number", "minimum": 0}}),
        "Links": _object(
            {"self": REFERENCE},
            perhaps=dict.fromkeys(("report", "cancel", "resume"), REFERENCE),
        ),
        "Task": _object(whole),
        "TaskList": _object({"tasks": {"type": "array", "items": listed}, "links": following}),
        "Begun": _object(begun),
        "Report": _object(report),
        "Resumption": _object({}, perhaps={"retry_set_aside": {"type": "boolean"}}),
        "Problem": _problem(),
        "GatewayMessage": {
            "type": "object",
            "description": "What API Gateway itself answers.",
            "minProperties": 1,
        },
    }


def _problem() -> Schema:
    told = {
        "type": {"type": "string", "format": "uri"},
        "title": STRING,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": STRING,
    }
    faults = {"type": "array", "items": _object({"field": STRING, "fault": STRING}), "minItems": 1}
    return _object(told, perhaps={"faults": faults})


def _object(fields: dict[str, Schema], *, perhaps: dict[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**fields, **(perhaps or {})},
        "required": list(fields),
        "additionalProperties": False,
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
