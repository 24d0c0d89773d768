"""What is written about the API is the routes' own word, and answers are as it says."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_rs import validator_for

from console.openapi import PAGE, document, page
from lambdas.agent.api_routes import ROUTES
from tests.doors.calling import TASK, Caller, content, problem
from tests.fakes.world import World


@pytest.fixture
def caller(world: World) -> Caller:
    return Caller(world=world)


def test_the_document_is_up_to_date() -> None:
    """`python -m console.openapi` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_call_says_what_it_answers_when_it_goes_wrong() -> None:
    for operation in operations():
        statuses = operation["responses"].keys()
        assert any(status.startswith("2") for status in statuses), operation
        ours = {"500"} if operation["tags"] == ["tasks"] else set()
        assert {"429", "503"} | ours <= statuses, operation
        assert operation["summary"]


def test_whoever_calls_a_task_signs_and_whoever_has_a_link_does_not() -> None:
    assert {(op["tags"][0], bool(op["security"])) for op in operations()} == {
        ("tasks", True),
        ("approvals", False),
    }


def test_what_each_call_answers_has_the_shape_that_is_written_down(caller: Caller) -> None:
    caller.tells_until("APPROVE").approve()
    seen = set()
    for name, answer in {
        "Begun": caller.starts(),
        "Task": caller.looks(),
        "TaskList": caller.calls("GET", "/tasks"),
        "Report": caller.calls("GET", f"/tasks/{TASK}/report"),
    }.items():
        assert_shape(name, content(answer))
        seen.add(name)
    assert_shape("Begun", content(caller.calls("POST", f"/tasks/{TASK}/cancel")))
    assert_shape("Problem", problem(caller.starts(agent_id=""), 422))
    assert_shape("Problem", problem(caller.calls("GET", "/tasks/nobody"), 404))

    told = {shape for route in ROUTES for shape in route.answers.values() if shape}
    assert seen | {"Problem"} == told


def operations() -> list[dict[str, Any]]:
    return [each for path in document()["paths"].values() for each in path.values()]


def assert_shape(name: str, told: Any) -> None:
    shape = {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}
    validator = validator_for(shape)
    validator.validate(told)
    assert not validator.is_valid({**told, "more": 1})
