"""The API over real HTTP, signed, with IAM enforced: what a program does with it, end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from lambdas.adapters.stepfunctions_executions import execution_arn
from lambdas.agent.contract import Status
from lambdas.agent.identity import execution_name
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.signed import Signer, Told, sent, signer_of

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def api(account: Account) -> Signer:
    return signer_of(account)


@pytest.fixture
def stranger(account: Account, api: Signer) -> Iterator[Signer]:
    """Somebody whom the account knows, and who may do nothing."""
    iam, name = account.client("iam"), f"stranger-{uuid4().hex[:8]}"
    iam.create_user(UserName=name)
    made = iam.create_access_key(UserName=name)["AccessKey"]
    key = made["AccessKeyId"]
    yield Signer(url=api.url, region=api.region, key=key, secret=made["SecretAccessKey"])
    iam.delete_access_key(UserName=name, AccessKeyId=key)
    iam.delete_user(UserName=name)


def started_executions(account: Account, task: str) -> list[str]:
    pages = (
        account.client("stepfunctions")
        .get_paginator("list_executions")
        .paginate(stateMachineArn=account.outputs["StateMachine"])
    )
    names = [each["name"] for page in pages for each in page["executions"]]
    return [name for name in names if name.startswith(task)]


@pytest.mark.promise("R27", "R28")
def test_a_program_starts_a_task_watches_it_and_reads_its_report(
    account: Account, api: Signer, a_request: Make
) -> None:
    request = a_request()
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: api.asks("POST", "/tasks", request), range(2))
    task = task_of(request)
    for told in (first, second):
        assert (told.status, told.json.get("task_id")) == (202, task), told
    assert api.asks("POST", "/tasks", request).json["already"]
    assert api.asks("GET", first.link("self")).json["task_id"] == task
    assert api.asks("POST", "/tasks", {**request, "coverage": 0.9}).status in {409, 503}

    account.asked(task)
    assert started_executions(account, task) == [execution_name(task, 1)]
    other = api.asks("POST", "/tasks", {**request, "coverage": 0.9})
    assert (other.status, other.headers["content-type"]) == (409, "application/problem+json")

    seen = api.asks("GET", first.link("self"))
    assert (seen.json["status"], seen.json["step"]) == ("WAITING_FOR_APPROVAL", "APPROVE")
    assert seen.json["progress"] == {"sources": 2, "read": 2, "set_aside": 0}
    same = api.asks("GET", first.link("self"), **{"If-None-Match": seen.headers["etag"]})
    assert (same.status, same.body) == (304, b"")
    assert_report_opens(api, seen, is_published=False)

    account.decide(task, "APPROVED")
    done = waited_for(lambda: _once(api, first, "SUCCEEDED"), "the end of the run")
    assert done.headers["etag"] != seen.headers["etag"]
    assert_report_opens(api, done, is_published=True)
    again = api.asks("POST", "/tasks", request).json
    assert (again["status"], again["already"]) == ("SUCCEEDED", True)
    listed = api.asks("GET", "/tasks?limit=1").json
    assert len(listed["tasks"]) == 1
    assert task in all_listed(api)


@pytest.mark.promise("R21")
def test_a_faulty_request_is_answered_with_every_fault_and_starts_nothing(
    account: Account, api: Signer, a_request: Make
) -> None:
    request = a_request(coverage=2, approval="never")
    told = api.asks("POST", "/tasks", {**request, "sources": [{"url": "file:///etc/passwd"}]})

    assert told.status == 422
    assert {each["field"] for each in told.json["faults"]} == {
        "coverage",
        "approval",
        "sources[0].url",
    }
    assert started_executions(account, task_of(request)) == []


@pytest.mark.promise("R34")
def test_nobody_is_let_in_unsigned_or_without_the_right_to(
    account: Account, api: Signer, stranger: Signer, a_request: Make
) -> None:
    request = a_request()
    unsigned = Signer(url=api.url, region=api.region, key=None, secret=None)

    for nobody in (unsigned, stranger):
        for method, path, body in (
            ("POST", "/tasks", request),
            ("GET", "/tasks", None),
            ("GET", "/tasks/any", None),
            ("GET", "/tasks/any/report", None),
            ("POST", "/tasks/any/cancel", None),
            ("POST", "/tasks/any/resume", None),
            ("DELETE", "/tasks/any/other", None),
        ):
            assert nobody.asks(method, path, body).status == 403, (method, path)
    assert started_executions(account, task_of(request)) == []


@pytest.mark.promise("R15", "R24")
def test_a_task_is_called_off_and_its_execution_ends(
    account: Account, api: Signer, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    told = api.asks("POST", "/tasks", request)
    account.asked(task)
    cancel = api.asks("GET", told.link("self")).link("cancel")

    first, second = api.asks("POST", cancel), api.asks("POST", cancel)

    assert [(each.status, each.json["already"]) for each in (first, second)] == [
        (200, False),
        (200, True),
    ]
    arn = execution_arn(account.outputs["StateMachine"], execution_name(task, 1))
    ended = account.ended(arn)
    assert (ended.status, ended.error) == ("ABORTED", "CANCELLED")
    record = account.task(task)
    assert record is not None
    assert record.status is Status.CANCELLED
    assert api.asks("POST", f"/tasks/{task}/resume").status == 409


@pytest.mark.promise("R24")
def test_a_task_whose_execution_was_stopped_is_seen_abandoned_and_resumed(
    account: Account, api: Signer, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    told = api.asks("POST", "/tasks", request)
    account.asked(task)
    assert api.asks("POST", f"/tasks/{task}/resume").status == 409
    arn = execution_arn(account.outputs["StateMachine"], execution_name(task, 1))
    account.client("stepfunctions").stop_execution(executionArn=arn)
    account.ended(arn)
    seen = api.asks("GET", told.link("self"))
    assert seen.json["status"] == "ABANDONED"

    resumed = api.asks("POST", seen.link("resume"), {"retry_set_aside": True})

    assert (resumed.status, resumed.json["run"]) == (202, 2), resumed
    account.asked_in_second_run(task)
    account.decide(task, "APPROVED")
    done = waited_for(lambda: _once(api, told, "SUCCEEDED"), "the end of the second run")
    assert done.json["run"] == 2


def assert_report_opens(api: Signer, seen: Told, *, is_published: bool) -> None:
    """By whoever has the link: it is not signed any more."""
    told = api.asks("GET", seen.link("report"))
    assert (told.status, told.json["is_published"]) == (200, is_published)
    for name, kind in (("report.html", "text/html"), ("report.json", "application/json")):
        file = sent("GET", told.json["files"][name], {})
        assert (file.status, file.headers["content-type"].partition(";")[0]) == (200, kind)
        assert b"Price Lab" in file.body


def all_listed(api: Signer) -> list[str]:
    found, page = list[str](), "/tasks?limit=2"
    while page:
        told = api.asks("GET", page)
        found += [each["task_id"] for each in told.json["tasks"]]
        page = told.link("next") if told.json["links"]["next"] else ""
    assert len(found) == len(set(found))
    return found


def _once(api: Signer, told: Told, status: str) -> Told | None:
    seen = api.asks("GET", told.link("self"))
    return seen if seen.json["status"] == status else None
