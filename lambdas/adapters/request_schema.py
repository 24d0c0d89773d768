"""The request's schema, at the untrusted edge. Refused whole, with every fault by its field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from lambdas.adapters.source_schema import OPTIONS_OF_LISTS, SourceModel, Strict
from lambdas.agent.errors import InvalidRequest
from lambdas.agent.identity import canonical, default_workflow_id
from lambdas.agent.request import Allowance, Request
from lambdas.agent.sources import MOST_SOURCES

NAME_BYTES = 250
"""Of a name as JSON, where a letter outside of ASCII takes six or twelve."""
MOST_MINUTES = 43_200
"""Thirty days, after which a run is ended whatever it does."""
LIMITS = "must be an object with `tokens`, `usd` or `minutes`, as many as you like"
FAULT_LIMIT = 200
"""Characters of one fault, and of the name of its field."""


def _short(name: str) -> str:
    """Names travel through every state and every log line."""
    if len(canonical(name)) > NAME_BYTES:
        raise PydanticCustomError("name", "is too long: {most} bytes", {"most": NAME_BYTES})
    return name


Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=120),
    AfterValidator(_short),
]
Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]


class BudgetModel(Strict):
    """What a run may take, of each or of any."""

    tokens: Annotated[int, Field(gt=0, le=1_000_000_000_000)] | None = None
    usd: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None
    minutes: Annotated[float, Field(gt=0, le=MOST_MINUTES, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.tokens is self.usd is self.minutes is None:
            raise PydanticCustomError("budget", LIMITS)
        return self


class RequestModel(Strict):
    """A request, as people type it."""

    agent_id: Name
    workflow_id: Name | None = None
    questions: Annotated[list[Question], Field(min_length=1, max_length=20)]
    sources: Annotated[list[SourceModel], Field(min_length=1, max_length=MOST_SOURCES)]
    approval: Literal["required", "on_change", "auto"] = "required"
    coverage: Annotated[float, Field(ge=0, le=1)] = 0.5
    analyst: Literal["extractive", "bedrock", "openai"] | None = None
    baseline: Literal["previous"] | None = None
    budget: BudgetModel | None = None


class PydanticRequests:
    """`listed` is how many faults are spelt out; the rest is counted."""

    def __init__(self, *, listed: int = 1000) -> None:
        self._listed = listed

    def parse(self, raw: Mapping[str, Any]) -> Request:
        try:
            typed = RequestModel.model_validate(dict(raw))
        except ValidationError as error:
            faults = tuple(_faults(error))
            raise InvalidRequest(_sentence(faults, self._listed), faults=faults) from None
        content = typed.model_dump(exclude={"workflow_id"}, exclude_none=True)
        return Request(
            agent_id=typed.agent_id,
            workflow_id=typed.workflow_id or default_workflow_id(content),
            questions=tuple(typed.questions),
            sources=tuple(dict.fromkeys(source.asked() for source in typed.sources)),
            approval=typed.approval,
            coverage=typed.coverage,
            analyst=typed.analyst or "",
            baseline=typed.baseline or "",
            budget=Allowance(**typed.budget.model_dump()) if typed.budget else None,
        )


def _sentence(faults: Sequence[tuple[str, str]], listed: int) -> str:
    more = len(faults) - listed
    shown = [f"{field}: {said}"[:FAULT_LIMIT] for field, said in faults[:listed]]
    shown += [f"and {more} more"] if more > 0 else []
    count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    return "\n- ".join([f"The request has {count}, and nothing was started:", *shown])


def _faults(error: ValidationError) -> Iterator[tuple[str, str]]:
    for detail in error.errors(include_url=False, include_input=False):
        yield _field(detail)[:FAULT_LIMIT], _said(detail)[:FAULT_LIMIT]


def _field(detail: ErrorDetails) -> str:
    place = list(detail["loc"])
    if len(place) > 2 and place[0] == "sources":
        del place[2]  # the kind, which nobody typed as a part of the path
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place)
    return path.lstrip(".") or "request"


def _said(detail: ErrorDetails) -> str:
    kind, name = detail["type"], detail["loc"][-1] if detail["loc"] else ""
    if kind == "extra_forbidden" and name in OPTIONS_OF_LISTS and detail["loc"][0] == "sources":
        return "is for a feed or a sitemap: say so in its `kind`, or remove it"
    if kind == "list_type" and name in OPTIONS_OF_LISTS:
        return "must be a string or a list of strings"
    if detail["loc"][:1] == ("budget",) and (limit := _SAID_OF_BUDGETS.get(kind)):
        return limit
    if said := _SAID.get(kind):
        return said.format(**detail.get("ctx", {}))
    return detail["msg"]


_SAID = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of a request: remove it or mend its name",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "int_type": "must be a whole number",
    "model_type": "must be an object with a url",
    "float_type": "must be a number from 0 to 1",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "may have {max_length} characters at the most",
    "too_short": "must have at least {min_length} entries",
    "too_long": "may have {max_length} entries at the most",
}
_SAID_OF_BUDGETS = {
    "model_type": LIMITS,
    "float_type": "must be a number",
    "finite_number": "must be a number",
}
