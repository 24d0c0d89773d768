"""What is no fault of a call's: told as such, with nothing of what is behind it, and logged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.s3_artifacts import S3Artifacts
from lambdas.agent.errors import ServiceUnavailable, StepError, Unexpected
from lambdas.agent.tasks import ExecutionStatus
from lambdas.doors.api import HEADERS, door
from tests.doors.calling import TASK, Caller, Invocation, problem
from tests.doors.http import Answer, a_request
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Mortal
from tests.fakes.world import World
from tests.steps.conftest import REQUEST

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

SECRET = "a secret of the inside"
LARGE = {**REQUEST, "workflow_id": "large", "questions": ["q" * 300] * 20}
CALLS: dict[str, tuple[str, str, Any]] = {
    "start": ("POST", "/tasks", LARGE),
    "list": ("GET", "/tasks", None),
    "look": ("GET", f"/tasks/{TASK}", None),
    "report": ("GET", f"/tasks/{TASK}/report", None),
    "cancel": ("POST", f"/tasks/{TASK}/cancel", None),
    "resume": ("POST", f"/tasks/{TASK}/resume", None),
}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": SECRET}}, "any")


ERRORS: dict[str, tuple[Exception, int]] = {
    "DynamoDB is not reached": (ServiceUnavailable(SECRET, dependency="DynamoDB"), 503),
    "S3 denies": (Unexpected(SECRET, code="ACCESS_DENIED", dependency="S3"), 500),
    "nobody expects it": (ZeroDivisionError(SECRET), 500),
}


@pytest.fixture
def caller(world: World) -> Caller:
    found = Caller(world=world)
    found.tells_until("APPROVE").approve()
    return found


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What the log was told, line by line."""
    told: list[dict[str, Any]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(vars(record))

    listener, logger = Listener(), logging.getLogger("ratchet")
    logger.addHandler(listener)
    yield told
    logger.removeHandler(listener)


class Down:
    """A client of AWS, of which every call fails, and every page."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, _: str) -> Any:
        return self._fail

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **_: Any) -> Iterator[Any]:
        self._fail()
        yield

    def _fail(self, **_: Any) -> None:
        raise self._error


def told_in(caller: Caller, call: str, ports: Any = None) -> Answer:
    method, path, body = CALLS[call]
    if call == "resume":
        caller.ends(ExecutionStatus.ABORTED)
    return caller.calls(method, path, body, ports=ports)


@pytest.mark.promise("R21", "R33")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_whatever_fails_behind_a_call_is_a_problem_that_tells_nothing_of_it(
    caller: Caller, lines: list[dict[str, Any]], call: str, error: str
) -> None:
    raised, status = ERRORS[error]
    watched = Mortal(caller.world)
    assert told_in(caller, call, watched).status < 300

    for number in range(len(watched.calls)):
        lines.clear()
        ports = Mortal(caller.world, Boundary(call=number, after=False), fails_with(raised))
        answer = told_in(caller, call, ports)
        if not ports.died_at:  # the first time has left less to do
            break

        told = problem(answer, status)
        assert SECRET not in answer.body
        assert answer.headers.items() >= {name.lower(): HEADERS[name] for name in HEADERS}.items()
        assert ("retry-after" in answer.headers) == (status == 503)
        assert (Invocation().aws_request_id in told["detail"]) == (status == 500)
        (line,) = [each for each in lines if each["message"] == "failed"]
        assert line["error"] == name_of(raised)
        assert (line["request_id"], line["http_request_id"]) == ("any-invocation", "any")
        assert line.get("task_id") == (TASK if TASK in CALLS[call][1] else None)
        assert isinstance(raised, StepError) or SECRET not in str(line)
    assert number


@pytest.mark.promise("R21")
@pytest.mark.parametrize("call", ["list", "look", "report", "cancel", "resume"])
@pytest.mark.parametrize(
    ("raised", "status"),
    [
        (refusal("ProvisionedThroughputExceededException"), 503),
        (refusal("AccessDeniedException"), 500),
        (refusal("ResourceNotFoundException"), 500),
        (EndpointConnectionError(endpoint_url=SECRET), 503),
    ],
)
def test_what_dynamodb_answers_in_its_own_words_is_told_in_ours(
    caller: Caller, clock: FakeClock, call: str, raised: Exception, status: int
) -> None:
    client = cast("DynamoDBClient", Down(raised))
    ledger = DynamoDbLedger(client, "ledger", clock, retention=1)

    answer = told_in(caller, call, replace(caller.world, ledger=ledger))

    problem(answer, status)
    assert not any(word in answer.body for word in (SECRET, "DynamoDB", "Denied", "Exception"))


@pytest.mark.promise("R21")
def test_a_bucket_that_may_not_be_read_is_a_fault_of_ours(caller: Caller) -> None:
    artifacts = S3Artifacts(cast("S3Client", Down(refusal("AccessDenied"))), "artifacts")

    answer = told_in(caller, "report", replace(caller.world, artifacts=artifacts))

    problem(answer, 500)
    assert SECRET not in answer.body


def test_what_cannot_even_begin_is_told_too(lines: list[dict[str, Any]]) -> None:
    def no_ports() -> Any:
        raise KeyError(SECRET)

    answer = Answer.of(door(ports=no_ports)(a_request("GET", "/tasks"), Invocation()))

    problem(answer, 500)
    assert SECRET not in answer.body
    assert [each["error"] for each in lines] == ["Unexpected"]


def test_what_never_was_an_id_is_not_logged(caller: Caller, lines: list[dict[str, Any]]) -> None:
    caller.calls("GET", f"/tasks/{TASK}/report/none")
    caller.calls("GET", "/tasks/NOBODY'S/report")

    assert [each.get("task_id") for each in lines if each["message"] == "told"] == [TASK, None]


def fails_with(error: Exception) -> Any:
    def fail(_: str) -> None:
        raise error

    return fail


def name_of(error: Exception) -> str:
    return type(error).__name__ if isinstance(error, StepError) else "Unexpected"
