"""A run that is stopped, resumed, swept up or called off, on the deployed application."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.stepfunctions_executions import execution_arn
from lambdas.agent.contract import Door, Status, Step
from lambdas.agent.identity import execution_name
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import NEWS, Publish
from tests.e2e.events import Events

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]


@pytest.mark.promise("R14", "R20", "R24")
def test_a_run_that_was_stopped_while_it_waited_is_resumed_and_reads_nothing_twice(
    account: Account, a_request: Make, events: Events
) -> None:
    request = a_request()
    task = task_of(request)
    stopped(account, account.start(request), task)

    second = account.resume(task)
    account.asked_in_second_run(task)
    account.decide(task, "APPROVED")

    assert account.ended(second).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.run, record.read) == (Status.SUCCEEDED, 2, 2)
    of_sources = [u for u in account.units(task) if u.step in {Step.FETCH, Step.ANALYZE}]
    assert [unit.attempt for unit in of_sources] == [1] * 4
    assert account.children(second) == [], "there was nothing left to read"
    assert events.ends(task) == ["ReportCompleted"]


@pytest.mark.promise("R20", "R24")
def test_what_was_set_aside_is_read_by_a_run_that_tries_it_again(
    account: Account, a_request: Make, site: Publish, tmp_path: Path
) -> None:
    at = site({"news.html": NEWS})
    request = a_request(f"{at}/later.html", coverage=0.5)
    task = task_of(request)
    stopped(account, account.start(request), task)
    assert_read(account, task, 2)
    (tmp_path / at.rpartition("/")[2] / "later.html").write_text(NEWS, encoding="utf-8")

    second = account.resume(task, retry_set_aside=True)
    account.asked_in_second_run(task)

    assert_read(account, task, 3)
    assert len(account.children(second)) == 1


@pytest.mark.promise("R9", "R24", "R32")
def test_the_sweeper_finds_a_run_whose_execution_was_aborted_and_resumes_it(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    stopped(account, account.start(request), task)

    answer = account.client("lambda").invoke(
        FunctionName=account.functions()[Door.SWEEP.handler]["FunctionName"],
        Payload=json.dumps({"abandoned": "resume"}),
    )
    said = json.loads(answer["Payload"].read())

    assert "FunctionError" not in answer, said
    assert ("ABANDONED", "resumed") in {
        (each["sign"], each["done"]) for each in said["findings"] if each["task_id"] == task
    }
    account.asked_in_second_run(task)
    account.decide(task, "APPROVED")
    second = execution_arn(account.outputs["StateMachine"], execution_name(task, 2))
    assert account.ended(second).status == "SUCCEEDED"


@pytest.mark.promise("R15", "R24")
def test_a_task_that_is_called_off_ends_cancelled_and_its_execution_aborted(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)

    answer = account.client("lambda").invoke(
        FunctionName=account.outputs["CancelFunction"], Payload=json.dumps({"task_id": task})
    )
    said = json.loads(answer["Payload"].read())
    account.client("stepfunctions").stop_execution(executionArn=arn)

    assert (said["status"], said["already"]) == ("CANCELLED", False)
    assert account.ended(arn).status == "ABORTED"
    assert account.decide(task, "APPROVED")["errorType"] == "IllegalMove"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.result_uri) == (Status.CANCELLED, "")


def stopped(account: Account, arn: str, task: str) -> None:
    """Aborted in the middle, while it waits for an answer."""
    account.asked(task)
    account.client("stepfunctions").stop_execution(executionArn=arn)
    assert account.ended(arn).status == "ABORTED"


def assert_read(account: Account, task: str, number: int) -> None:
    record = account.task(task)
    assert record is not None
    assert record.read == number
