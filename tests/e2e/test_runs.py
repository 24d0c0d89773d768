"""Whole runs of the deployed application, started as from the console."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lambdas.agent.contract import STATE_LIMIT, Status, Step
from tests.e2e.account import Account, task_of, waited_for

pytestmark = pytest.mark.e2e

MakeRequest = Callable[..., dict[str, Any]]
INSIDE = "http://127.0.0.1:8080/"
NOBODY = "http://nobody.invalid/"


@pytest.mark.promise("R25", "R26", "R27", "R29")
def test_a_request_becomes_a_published_report(account: Account, a_request: MakeRequest) -> None:
    request = a_request()

    ended = account.run(request)

    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    task = account.task(task_of(request))
    assert task is not None
    assert (task.status, task.current_step) == (Status.SUCCEEDED, Step.COMPLETE)
    assert (task.sources, task.read) == (2, 2)
    published = account.keys(task.result_uri.split("/", 3)[3])
    assert sorted(key.rpartition("/")[2] for key in published) == [
        "report.html",
        "report.json",
        "report.md",
    ]
    html = account.body(next(key for key in published if key.endswith(".html"))).decode()
    assert "49 euros a month" in html
    assert "Price Lab" in html


@pytest.mark.promise("R6")
def test_states_pass_identifiers_and_nothing_large(
    account: Account, a_request: MakeRequest
) -> None:
    request = a_request()
    account.start(request)
    account.asked(task_of(request))
    account.decide(task_of(request), "APPROVED")
    arn = account.start(request, name=f"again-{request['workflow_id']}")
    account.ended(arn)

    first = arn.rpartition(":")[0] + f":{task_of(request)}-r1"
    account.ended(first)
    executions = [first, *account.children(first)]
    assert len(executions) == 3
    sizes = [size for each in executions for size in payloads(account.history(each))]
    assert len(sizes) > 20
    assert max(sizes) <= STATE_LIMIT


def payloads(history: list[dict[str, Any]]) -> list[int]:
    details = [
        value
        for event in history
        for name, value in event.items()
        if name.endswith("EventDetails") and isinstance(value, dict)
    ]
    return [
        len(str(detail[name]).encode())
        for detail in details
        for name in ("input", "output", "parameters")
        if name in detail
    ]


@pytest.mark.promise("R10", "R28")
def test_a_second_execution_of_a_task_is_told_how_the_first_stands(
    account: Account, a_request: MakeRequest
) -> None:
    request = a_request()
    account.run(request)

    again = account.ended(account.start(request, name=f"again-{request['workflow_id']}"))

    assert again.status == "SUCCEEDED"
    entered = [
        event["stateEnteredEventDetails"]["name"]
        for event in account.history(again.arn)
        if "stateEnteredEventDetails" in event
    ]
    assert entered == ["REQUEST", "PLAN", "PLAN_DONE?", "BEGIN?", "ALREADY_KNOWN"]


@pytest.mark.promise("R21")
def test_a_faulty_request_is_refused_whole_with_every_fault(account: Account) -> None:
    request = {"agent_id": "e2e", "workflow_id": "faulty", "sources": [{"url": "ftp://a.test/"}]}

    ended = account.ended(account.start({**request, "coverage": 3}, name="faulty"))

    assert (ended.status, ended.error) == ("FAILED", "InvalidRequest")
    for field in ("questions: is missing", "does not begin with http://", "coverage:"):
        assert field in ended.cause
    assert account.task(task_of(request)) is None


@pytest.mark.promise("R21", "R23")
def test_a_source_that_fails_is_set_aside_with_its_reason(
    account: Account, a_request: MakeRequest
) -> None:
    request = a_request(f"{account.site}/nowhere.html", INSIDE, NOBODY, coverage=0.3)

    ended = account.run(request)

    assert ended.status == "SUCCEEDED"
    aside = {u.item: u for u in account.units(task_of(request)) if u.step is Step.SET_ASIDE}
    codes = sorted(
        json.loads(unit.outcome.result)["error_code"]
        for unit in aside.values()
        if unit.outcome and unit.outcome.result
    )
    assert codes == ["BLOCKED_ADDRESS", "DNS_FAILED", "HTTP_404"]


def test_a_run_whose_sources_are_all_dead_fails_and_says_so(
    account: Account, a_request: MakeRequest
) -> None:
    request = a_request()
    request["sources"] = [{"url": f"{account.site}/no-{n}.html"} for n in range(3)]

    ended = account.ended(account.start(request))

    assert (ended.status, ended.error) == ("FAILED", "CoverageTooLow")
    task = account.task(task_of(request))
    assert task is not None
    assert (task.status, task.error_code) == (Status.FAILED, "COVERAGE_TOO_LOW")
    assert "0 of 3 sources" in task.last_error
    assert account.keys(f"published/{task.agent_id}/{task.task_id}") == []


def test_changes_lead_to_a_new_revision_and_a_rejection_is_an_end_of_its_own(
    account: Account, a_request: MakeRequest
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)

    assert account.decide(task, "CHANGES_REQUESTED", "Shorter, please")["already"] is False
    waited_for(lambda: account.asked(task).revision == 2, "the second revision")
    assert account.decide(task, "REJECTED", "Not this week")["decision"] == "REJECTED"

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.result_uri) == (Status.REJECTED, "")


def test_the_first_of_two_answers_stands(account: Account, a_request: MakeRequest) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)

    first = account.decide(task, "APPROVED")
    second = account.decide(task, "REJECTED", "too late")

    assert (first["already"], second["already"]) == (False, True)
    assert second["decision"] == "APPROVED"
    assert account.ended(arn).status == "SUCCEEDED"
