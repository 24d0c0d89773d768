"""Approvals over real HTTP: a browser that clicks, scanners that look, links that lead nowhere."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_quota import EACH_MINUTE
from lambdas.adapters.kms_seals import KmsSeals
from lambdas.agent.approval import unit_of
from lambdas.agent.contract import Status, Step
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.invariants import lines
from tests.fakes.browser import a_browser, chromium

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
NO_BROWSER = "there is no chromium on this machine: install Debian's package of that name"
OUT = Path(__file__).resolve().parents[2] / "out/approvals"


@pytest.fixture(scope="module", autouse=True)
def a_minute_of_its_own(account: Account) -> None:
    """To ministack all visitors are one: whoever called before may have used the minute up."""
    nowhere = f"{account.outputs['HttpUrl']}/approvals/nobody"
    waited_for(lambda: asks("GET", nowhere).status == 404, "the next minute")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str


def asks(method: str, url: str, form: dict[str, str] | None = None) -> Answer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    try:
        connection.request(method, path, urlencode(form) if form else None, headers)
        told = connection.getresponse()
        return Answer(
            status=told.status, headers=dict(told.getheaders()), body=told.read().decode()
        )
    finally:
        connection.close()


def link_of(account: Account, task: str, revision: int) -> str:
    """What is sent to those who decide. An operator may open the seal; nobody else can."""

    def look() -> str | None:
        found = account.client("dynamodb").get_item(
            TableName=account.outputs["LedgerTable"],
            Key=items.unit_key(unit_of(task, f"r{revision}", "")),
            ConsistentRead=True,
        )
        return str(found["Item"]["callback"]["S"]) if "callback" in found.get("Item", {}) else None

    sealed = waited_for(look, f"the invitation of {task}, revision {revision}")
    return f"{account.outputs['HttpUrl']}/approvals/{opened(account, sealed, task)['id']}"


def opened(account: Account, sealed: str, task: str) -> dict[str, str]:
    told = account.functions()[Step.APPROVE.handler]["Environment"]["Variables"]
    seals = KmsSeals(account.client("kms"), told["RATCHET_SEAL_KEY"])
    held: dict[str, str] = json.loads(seals.unseal(sealed, about=task))
    return held


def nonce_in(page: str) -> str:
    found = re.search(r'name="nonce" value="(\w+)"', page)
    assert found, page
    return found[1]


def answers(link: str, decision: str, **fields: str) -> Answer:
    nonce = nonce_in(asks("GET", link).body)
    return asks("POST", link, {"decision": decision, "by": "Ann", "nonce": nonce, **fields})


@pytest.mark.skipif(chromium() is None, reason=NO_BROWSER)
@pytest.mark.promise("R26")
def test_scanners_look_a_person_clicks_and_the_report_is_published_once(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)
    link = link_of(account, task, 1)

    for method in ("HEAD", "GET", "GET", "HEAD"):
        assert asks(method, f"{link}?decision=APPROVED").status == 200
    assert account.asked(task).status is Status.WAITING_FOR_APPROVAL

    OUT.mkdir(parents=True, exist_ok=True)
    with a_browser() as browser:
        browser.visit(link, width=390)
        browser.screenshot(OUT / "open-phone.png")
        browser.value("document.querySelector('a').click()")
        browser.await_load()
        assert "Price Lab" in browser.value("document.body.innerText")
        browser.visit(link, width=1280)
        browser.screenshot(OUT / "open-desk.png")
        browser.value("document.querySelector('#by').value = 'Ann from Sales'")
        browser.value("document.querySelector('#by').focus()")
        browser.press("Enter")
        assert "waits for your answer" in browser.value("document.body.innerText")
        browser.value("document.querySelector('button[value=APPROVED]').click()")
        browser.await_load()
        assert "approved by Ann from Sales" in browser.value("document.body.innerText")
        browser.screenshot(OUT / "decided-desk.png")
        assert browser.complaints() == []

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert record.status is Status.SUCCEEDED
    assert len([key for key in account.keys("published/") if task in key]) == 3
    again = asks("GET", link)
    assert (again.status, "Already decided: approved by Ann from Sales" in again.body) == (
        200,
        True,
    )


@pytest.mark.promise("R26")
def test_changes_twice_then_an_approval(account: Account, a_request: Make) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    links = []
    for revision in (1, 2):
        links.append(link_of(account, task, revision))
        told = answers(links[-1], "CHANGES_REQUESTED", note=f"Shorter, please ({revision})")
        assert (told.status, "sent back for changes" in told.body) == (200, True)
    links.append(link_of(account, task, 3))
    assert "Shorter, please (2)" in asks("GET", f"{links[-1]}/report").body
    answers(links[-1], "APPROVED")

    assert account.ended(arn).status == "SUCCEEDED"
    assert len(set(links)) == 3
    made = [unit.item for unit in account.units(task) if unit.step is Step.APPROVE]
    assert sorted(made) == ["r1", "r2", "r3"]


def test_a_rejection_publishes_nothing(account: Account, a_request: Make) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    link = link_of(account, task, 1)

    assert answers(link, "REJECTED").status == 422
    assert answers(link, "REJECTED", note="Not our market").status == 200

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.result_uri) == (Status.REJECTED, "")


def test_more_time_asks_again_under_the_same_link(account: Account, a_request: Make) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    link = link_of(account, task, 1)

    answers(link, "MORE_TIME")

    def asked_again() -> bool:
        entered = [each.get("stateEnteredEventDetails", {}) for each in account.history(arn)]
        return [each.get("name") for each in entered].count(Step.APPROVE) == 2

    waited_for(asked_again, f"{task} to ask once more")
    assert link_of(account, task, 1) == link
    assert answers(link, "APPROVED").status == 200
    assert account.ended(arn).status == "SUCCEEDED"


@pytest.mark.promise("R33")
def test_an_approval_that_is_over_a_guess_and_anothers_get_one_page_and_guessers_are_stopped(
    account: Account, a_request: Make
) -> None:
    requests = [a_request(), a_request()]
    one, other = (task_of(request) for request in requests)
    arns = [account.start(request) for request in requests]
    links = [link_of(account, task, 1) for task in (one, other)]
    nonce = nonce_in(asks("GET", links[0]).body)
    account.client("stepfunctions").stop_execution(executionArn=arns[0])
    told = account.client("lambda").invoke(
        FunctionName=account.outputs["CancelFunction"], Payload=json.dumps({"task_id": one})
    )
    assert "CANCELLED" in told["Payload"].read().decode()

    guess = asks("GET", f"{account.outputs['HttpUrl']}/approvals/{'A' * 43}")
    over = asks("GET", links[0])
    late = asks("POST", links[0], {"decision": "APPROVED", "by": "Ann", "nonce": nonce})
    cross = asks("POST", links[1], {"decision": "APPROVED", "by": "Ann", "nonce": nonce})

    assert (guess.status, over.status, late.status, cross.status) == (404, 410, 410, 404)
    assert guess.body == over.body == late.body == cross.body
    stopped = [
        asks("GET", f"{account.outputs['HttpUrl']}/approvals/g{n}").status
        for n in range(2 * EACH_MINUTE + 20)
    ]
    assert set(stopped) == {404, 429}
    # To ministack all visitors are one: the next test must not come within this minute.
    waited_for(lambda: asks("GET", links[1]).status == 200, "the next minute")
    assert account.asked(other).status is Status.WAITING_FOR_APPROVAL


@pytest.mark.promise("R33")
def test_the_raw_token_stands_in_no_record_log_or_artifact(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)
    link_of(account, task, 1)
    token, id_ = _secrets(account, task)

    account.decide(task, "APPROVED")
    account.ended(arn)

    records = _records(account, task)
    logs = "\n".join(json.dumps(line) for line in lines(account, task))
    artifacts = b"".join(
        account.body(key)
        for prefix in (f"tasks/{task}/", "published/")
        for key in account.keys(prefix)
        if task in key
    ).decode(errors="replace")
    for where in (records, logs, artifacts):
        assert where
        assert token not in where
        assert id_ not in where


def _records(account: Account, task: str) -> str:
    pages = (
        account.client("dynamodb")
        .get_paginator("scan")
        .paginate(TableName=account.outputs["LedgerTable"])
    )
    return "\n".join(
        str(item) for page in pages for item in page["Items"] if task in item["pk"]["S"]
    )


def _secrets(account: Account, task: str) -> tuple[str, str]:
    found = account.client("dynamodb").get_item(
        TableName=account.outputs["LedgerTable"],
        Key=items.unit_key(unit_of(task, "r1", "")),
        ConsistentRead=True,
    )
    held = opened(account, found["Item"]["callback"]["S"], task)
    return held["token"], held["id"]
