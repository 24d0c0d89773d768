"""A request is taken whole with its defaults, or refused whole with every fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.request_schema import FAULT_LIMIT, PydanticRequests
from lambdas.adapters.transition_log import FAULTS_LIMIT
from lambdas.agent.codec import fields_of, request_body
from lambdas.agent.contract import STATE_LIMIT
from lambdas.agent.errors import InvalidRequest
from lambdas.wiring import FAULTS_IN_A_STATE

ROOT = Path(__file__).resolve().parents[2]
SMALLEST = {
    "agent_id": "a",
    "questions": ["What is new?"],
    "sources": [{"url": "https://a.test/"}],
}


def refusal(raw: dict[str, Any]) -> str:
    with pytest.raises(InvalidRequest) as refused:
        PydanticRequests().parse(raw)
    return str(refused.value)


def test_three_fields_are_enough() -> None:
    request = PydanticRequests().parse(SMALLEST)

    assert (request.approval, request.coverage) == ("required", 0.5)
    assert request.workflow_id.startswith("request-")


@pytest.mark.promise("R28")
def test_the_same_request_is_the_same_workflow_whatever_the_order_of_its_keys() -> None:
    turned = dict(reversed(list(SMALLEST.items())))
    other = {**SMALLEST, "questions": ["What is old?"]}

    first, again, third = map(PydanticRequests().parse, (SMALLEST, turned, other))

    assert first == again
    assert first.workflow_id != third.workflow_id


def test_a_request_with_its_defaults_is_a_request() -> None:
    request = PydanticRequests().parse(SMALLEST)

    assert PydanticRequests().parse(fields_of(request_body(request))) == request


@pytest.mark.promise("R21")
def test_every_fault_is_listed_by_its_field() -> None:
    faulty = json.loads((ROOT / "examples/requests/faulty.json").read_text(encoding="utf-8"))

    said = refusal(faulty)

    for field in (
        "agent_id: must be a string",
        "workflow_id:",
        "questions: is missing",
        "sources[0].url: The source's URL does not begin with http:// or https://",
        "sources[1].url:",
        "sources[2].url: is missing",
        "sources[2].link: is not a field",
        "sources[3]: must be an object",
        "approval:",
        "coverage:",
        "priority: is not a field",
    ):
        assert field in said
    assert "42" not in said.replace("sources", "")


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {**SMALLEST, "sources": []},
        {**SMALLEST, "questions": []},
        {**SMALLEST, "questions": ["x"]},
        {**SMALLEST, "agent_id": "  "},
        {**SMALLEST, "coverage": True},
        {**SMALLEST, "coverage": "1"},
        {**SMALLEST, "sources": {"url": "https://a.test/"}},
        {**SMALLEST, "sources": [{"url": "https://a.test/", "kind": "feed"}]},
        {**SMALLEST, "baseline": "previous"},
    ],
)
def test_what_this_version_does_not_do_is_refused_and_not_ignored(raw: dict[str, Any]) -> None:
    assert "nothing was started" in refusal(raw)


def test_a_thousand_faults_still_fit_through_a_state() -> None:
    raw = {**SMALLEST, "sources": [{"url": f"ftp://a.test/{n}"} for n in range(1000)]}

    with pytest.raises(InvalidRequest) as refused:
        PydanticRequests(listed=FAULTS_IN_A_STATE).parse(raw)

    assert f"and {1000 - FAULTS_IN_A_STATE} more" in str(refused.value)
    assert FAULT_LIMIT * FAULTS_IN_A_STATE + 100 < FAULTS_LIMIT < STATE_LIMIT


def test_where_there_is_room_every_fault_of_a_thousand_is_spelt_out() -> None:
    raw = {**SMALLEST, "sources": [{"url": f"ftp://a.test/{n}"} for n in range(1000)]}

    assert "sources[999].url" in refusal(raw)


def test_a_fault_never_repeats_what_was_typed() -> None:
    assert "hunter2" not in refusal(
        {**SMALLEST, "sources": [{"url": "https://ann:hunter2@a.test/"}], "hunter": "hunter2"}
    )
