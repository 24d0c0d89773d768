"""A start again is the same execution on the sandbox's account as on AWS."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.same_execution import as_on_aws

MACHINE = "arn:aws:states:eu-west-1:000000000000:stateMachine:research"
EXECUTION = "arn:aws:states:eu-west-1:000000000000:execution:research:one"
ASKED = {"stateMachineArn": MACHINE, "name": "one", "input": '{"a": 1}'}
RUNS = {"executionArn": EXECUTION, "startDate": "any", "status": "RUNNING", "input": '{"a": 1}'}
ITS_OWN = (400, {"x-amzn-errortype": "ExecutionAlreadyExists"}, b"{}")


def started(told: dict[str, Any], *, known: dict[str, Any]) -> tuple[int, Any, bytes]:
    return as_on_aws(lambda _: ITS_OWN, {EXECUTION: known}.get)(told)


def test_the_same_name_and_input_while_it_runs_is_the_same_execution() -> None:
    status, headers, body = started(ASKED, known=RUNS)

    assert (status, json.loads(body)) == (200, {"executionArn": EXECUTION, "startDate": "any"})
    assert "x-amzn-errortype" not in headers


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ({**ASKED, "input": '{"a": 2}'}, RUNS),
        (ASKED, {**RUNS, "status": "SUCCEEDED"}),
        ({**ASKED, "name": "two"}, RUNS),
        ({"stateMachineArn": MACHINE}, RUNS),
    ],
)
def test_whatever_else_is_asked_is_for_the_account_to_answer(
    asked: dict[str, Any], known: dict[str, Any]
) -> None:
    assert started(asked, known=known) == ITS_OWN


def test_without_an_input_it_is_an_empty_one() -> None:
    without = {"stateMachineArn": MACHINE, "name": "one"}

    assert started(without, known={**RUNS, "input": "{}"})[0] == 200
