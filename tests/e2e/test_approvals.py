"""Approvals over real HTTP: a browser that clicks, scanners that look, links that lead nowhere."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.dynamodb_quota import EACH_MINUTE
from lambdas.agent.contract import Status, Step
from lambdas.agent.model import UnitRecord
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.events import Events
from tests.e2e.visiting import answers, asks, link_of, nonce_in, room_in_this_minute
from tests.fakes.browser import WIDER_THAN_THE_WINDOW, Browser, a_browser, chromium

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
NO_BROWSER = "there is no chromium on this machine: install Debian's package of that name"
OUT = Path(__file__).resolve().parents[2] / "out/approvals"
NARROW, GUESSES = 320, 1000


@pytest.fixture(autouse=True)
def a_minute_of_its_own(account: Account) -> None:
    room_in_this_minute(account)


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
        browser.visit(link, width=NARROW)
        assert browser.value(WIDER_THAN_THE_WINDOW) == 0
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


@pytest.mark.skipif(chromium() is None, reason=NO_BROWSER)
def test_a_report_is_answered_by_the_keyboard_alone(account: Account, a_request: Make) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)
    link = link_of(account, task, 1)

    with a_browser() as browser:
        browser.visit(link, width=1280)
        _tab_to(browser, "by")
        browser.type("Ann")
        _tab_to(browser, "note")
        browser.type("Shorter, please")
        _tab_to(browser, "CHANGES_REQUESTED")
        browser.press("Enter")
        browser.await_load()
        assert "sent back for changes by Ann (by link)" in _text(browser)
        assert "Shorter, please" in _text(browser)

        browser.visit(link_of(account, task, 2), width=1280)
        _tab_to(browser, "A")
        browser.press("Enter")
        browser.await_load()
        assert "Price Lab" in _text(browser)
        browser.visit(link_of(account, task, 2), width=1280)
        _tab_to(browser, "by")
        browser.type("Ben")
        _tab_to(browser, "APPROVED")
        browser.press(" ")
        browser.await_load()
        assert "approved by Ben (by link)" in _text(browser)

    assert account.ended(arn).status == "SUCCEEDED"
    assert [(each["decision"], each["by"]) for each in _decisions(account, task)] == [
        ("CHANGES_REQUESTED", "Ann (by link)"),
        ("APPROVED", "Ben (by link)"),
    ]


def _tab_to(browser: Browser, name: str) -> None:
    """By Tab alone, over nothing that the keyboard does not reach and that it could not see."""
    for _ in range(20):
        browser.press("Tab")
        if browser.value(FOCUSED) == name:
            assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
            return
    raise AssertionError(f"twenty times Tab does not lead to {name}")


FOCUSED = "(at => at.id || at.value || at.tagName)(document.activeElement)"


def _text(browser: Browser) -> str:
    return str(browser.value("document.body.innerText"))


@pytest.mark.promise("R26")
def test_changes_twice_then_an_approval(account: Account, a_request: Make, events: Events) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    links = []
    for revision in (1, 2):
        links.append(link_of(account, task, revision))
        told = answers(links[-1], "CHANGES_REQUESTED", note=f"Shorter, please ({revision})")
        assert (told.status, "sent back for changes" in told.body) == (200, True)
    links.append(link_of(account, task, 3))

    for revision, old in enumerate(links[:2], 1):
        page = asks("GET", old)
        assert (page.status, f"Shorter, please ({revision})" in page.body) == (410, True)
        assert asks("POST", old, {"decision": "APPROVED", "by": "Ann"}).status == 404
    assert "Shorter, please (2)" in asks("GET", f"{links[-1]}/report").body
    assert account.keys(f"published/e2e/{task}") == []
    answers(links[-1], "APPROVED")

    assert account.ended(arn).status == "SUCCEEDED"
    assert len(set(links)) == 3
    asked = _asked(account, task)
    assert [unit.item for unit in asked] == ["r1", "r2", "r3"]
    assert len({each["report"] for each in _decisions(account, task)}) == 3
    assert len([key for key in account.keys("published/") if task in key]) == 3
    assert events.ends(task) == ["ReportCompleted"]


def _asked(account: Account, task: str) -> list[UnitRecord]:
    found = [unit for unit in account.units(task) if unit.step is Step.APPROVE]
    return sorted(found, key=lambda unit: unit.item)


def _decisions(account: Account, task: str) -> list[Mapping[str, Any]]:
    """What was said to each revision, in their order."""
    outcomes = [unit.outcome for unit in _asked(account, task)]
    return [outcome.facts for outcome in outcomes if outcome]


def test_a_rejection_publishes_nothing(account: Account, a_request: Make, events: Events) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    link = link_of(account, task, 1)

    assert answers(link, "REJECTED").status == 422
    told = answers(link, "REJECTED", note="Not our market")
    assert (told.status, "rejected by Ann (by link)" in told.body) == (200, True)

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.result_uri) == (Status.REJECTED, "")
    (said,) = _decisions(account, task)
    assert (said["decision"], said["note"]) == ("REJECTED", "Not our market")
    assert [key for key in account.keys("published/") if task in key] == []
    assert events.ends(task) == ["TaskRejected"]
    assert "Not our market" in asks("GET", link).body


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
def test_an_approval_that_is_over_a_guess_and_anothers_get_one_page(
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
    assert account.asked(other).status is Status.WAITING_FOR_APPROVAL


@pytest.mark.promise("R33")
def test_a_thousand_guesses_are_stopped_and_find_out_nothing(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    account.start(request)
    link = link_of(account, task, 1)
    at, methods = f"{account.outputs['HttpUrl']}/approvals", ("GET", "POST")

    began = int(time.time()) // 60
    guesses = [asks(methods[n % 2], f"{at}/{n:043}") for n in range(GUESSES)]
    known = asks("GET", link)
    minutes = int(time.time()) // 60 - began + 1

    told = Counter((each.status, each.body) for each in guesses)
    (nowhere, let_in), ((status, stopped), _) = sorted(told.items())
    assert (nowhere[0], status) == (404, 429), "one page for each"
    assert EACH_MINUTE // 2 <= let_in <= EACH_MINUTE * minutes
    assert {each.headers.get("Retry-After") for each in guesses if each.status == 429} == {"60"}
    # Who has used the minute up is told the same of an id that there is.
    assert minutes > 1 or (known.status, known.body) == (429, stopped)
    waited_for(lambda: asks("GET", link).status == 200, "the next minute")
    assert account.asked(task).status is Status.WAITING_FOR_APPROVAL
