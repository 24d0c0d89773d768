"""The forms a model's answer may have: one for each thing that it is asked.

An answer is data and nothing else. No form names a source or an address, and the tool that takes
it does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`tool` and `purpose` are what a provider with tools calls it; `schema` is JSON Schema."""

    name: str
    tool: str
    purpose: str
    schema: Mapping[str, Any]


def _objects(name: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object with one list of objects, whose fields are all there and no others."""
    item = {
        "type": "object",
        "additionalProperties": False,
        "required": list(fields),
        "properties": fields,
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name],
        "properties": {name: {"type": "array", "items": item}},
    }


FINDINGS = Form(
    name="findings",
    tool="report_findings",
    purpose="Report the findings in the page. Does nothing else.",
    schema=_objects(
        "findings",
        {
            "question": {"type": "integer", "description": "The number of the question."},
            "claim": {"type": "string", "description": "One line that answers it."},
            "quote": {"type": "string", "description": "The page's words, verbatim."},
        },
    ),
)
"""A statement is about the page that was asked about, whatever the model says."""

ANSWER = Form(
    name="answer",
    tool="write_answer",
    purpose="Write the sentences of the answer. Does nothing else.",
    schema=_objects(
        "sentences",
        {
            "text": {"type": "string", "description": "One sentence of the answer."},
            "cites": {
                "type": "array",
                "description": "The ids of the findings it rests on.",
                "items": {"type": "string"},
            },
        },
    ),
)

_FORMS = {form.name: form for form in (FINDINGS, ANSWER)}


def form_of(payload: Mapping[str, Any]) -> Form:
    """The form in which this is to be answered."""
    return _FORMS[payload["form"]]
