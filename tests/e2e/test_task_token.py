"""The raw task token: an operator may answer it, and nothing of ours tells it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import pytest

from lambdas.agent.contract import Status, Step
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.events import Events
from tests.e2e.everywhere import kept, messages
from tests.e2e.visiting import answers, asks, held, link_of, room_in_this_minute

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
PLACES = ("latest.json", "FunctionsAPPROVElog", "HttpLog", "MachineLog", "SchedulesMissed")
"""Some that must be among those that are searched. ministack writes nothing to the logs of the API
and of the machine: what they are told is looked at in tests/infrastructure.
"""
OUTSIDE = ("task token", "Answered outside Ratchet")


@pytest.fixture(autouse=True)
def a_minute_of_its_own(account: Account) -> None:
    room_in_this_minute(account)


@pytest.mark.promise("R24", "R26")
def test_an_operator_approves_with_the_raw_token(
    account: Account, a_request: Make, events: Events
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    link = link_of(account, task, 1)

    _send(account, held(account, task, 1)["token"], "APPROVED")

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert record.status is Status.SUCCEEDED
    assert len([key for key in account.keys("published/") if task in key]) == 3
    assert events.ends(task) == ["ReportCompleted"]
    said = _decision(account, task, "r1")
    assert (said["decision"], said["by"], said["note"]) == ("APPROVED", *OUTSIDE)
    page = asks("GET", link)
    assert (page.status, "Already decided: approved by task token" in page.body) == (200, True)


@pytest.mark.promise("R24", "R26")
def test_an_operator_rejects_with_the_raw_token(account: Account, a_request: Make) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)

    _send(account, held(account, task, 1)["token"], "REJECTED")

    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.result_uri) == (Status.REJECTED, "")
    said = _decision(account, task, "r1")
    assert (said["decision"], said["by"], said["note"]) == ("REJECTED", *OUTSIDE)


def test_who_has_the_link_of_a_report_that_an_operator_sent_back_answers_nothing(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    link = link_of(account, task, 1)

    _send(account, held(account, task, 1)["token"], "CHANGES_REQUESTED")
    new = link_of(account, task, 2)

    assert asks("GET", link).status == 410
    assert answers(new, "APPROVED").status == 200
    assert account.ended(arn).status == "SUCCEEDED"


@pytest.mark.promise("R33")
@pytest.mark.usefixtures("events")
def test_neither_tokens_nor_ids_stand_in_what_is_kept_logged_sent_or_shown(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    secrets = [held(account, task, 1)]
    link = link_of(account, task, 1)
    pages = [asks("GET", link), answers(link, "CHANGES_REQUESTED", note="Shorter, please")]
    secrets.append(held(account, task, 2))
    pages.append(asks("GET", f"{link_of(account, task, 2)}/report"))
    _send(account, secrets[1]["token"], "APPROVED")  # so it is what Step Functions waits for
    ended = account.ended(arn)

    waited_for(lambda: task in "".join(messages(account)), "what others hear of it")
    told = json.dumps([asdict(ended), account.history(arn)], default=str)
    texts = kept(account) | {"Step Functions": told}
    assert [place for place in PLACES if place not in str(texts)] == []
    assert [where for where, text in texts.items() if task not in text] == []
    forms = {form for each in secrets for secret in each.values() for form in _forms(secret)}
    assert {where for where, text in texts.items() for form in forms if form in text} == set()
    shown = str(pages)
    assert shown.count(f"{secrets[0]['id']}/report") == shown.count(secrets[0]["id"]) > 0
    assert not any(each["token"] in shown for each in secrets)


def _forms(secret: str) -> set[str]:
    """As it is, in an address, and packed."""
    packed = b64encode(secret.encode()).decode().rstrip("=")
    return {secret, quote(secret, safe=""), packed[:-1]}


def _send(account: Account, token: str, decision: str) -> None:
    """As `aws stepfunctions send-task-success` does. On AWS the token stands in the execution's
    history, with what APPROVE was told; ministack's leaves that out, so it comes from the seal.
    """
    account.client("stepfunctions").send_task_success(
        taskToken=token, output=json.dumps({"decision": decision})
    )


def _decision(account: Account, task: str, item: str) -> Mapping[str, Any]:
    units = account.units(task)
    (asked,) = (unit for unit in units if (unit.step, unit.item) == (Step.APPROVE, item))
    assert asked.outcome is not None
    return asked.outcome.facts
