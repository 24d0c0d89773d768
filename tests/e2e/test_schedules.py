"""Runs by the clock, in an account of their own: the Scheduler strikes, and the door is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from console import account as accounts
from console import schedules
from lambdas.agent.contract import Status
from sandbox.life import sandbox, up
from sandbox.mounts import mount
from sandbox.places import Places
from tests.e2e.account import Account, waited_for
from tests.e2e.conftest import NEWS, PRICING, ROOT

pytestmark = pytest.mark.e2e

FIRST, SECOND = "2026-07-08T10:00:00Z", "2026-07-15T10:00:00Z"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scheduled")


@pytest.fixture(scope="module")
def request_() -> dict[str, Any]:
    """Its address is filled in when there is a site."""
    return {
        "agent_id": "scheduled",
        "questions": ["How much does the Team plan cost?", "Which features were launched?"],
        "sources": [],
    }


@pytest.fixture(scope="module")
def account(
    home: Path, request_: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Account]:
    """Deployed once more when the address of its site is known: with two schedules on it."""
    with sandbox(ROOT, home=home, say=print) as first:
        folder = tmp_path_factory.mktemp("pages")
        for name, page in (("pricing.html", PRICING), ("news.html", NEWS)):
            (folder / name).write_text(page, encoding="utf-8")
        mount(Places.of(ROOT, home), folder, name="pages")
        request_["sources"] = [
            {"url": f"{first.site}/pages/{name}.html"} for name in ("pricing", "news")
        ]
        told = [
            {"name": "minutely", "rate": "1 minute", "request": request_},
            {"name": "weekly", "cron": "0 6 ? * MON *", "request": request_, "overlap": "queue"},
        ]
        yield Account(up(ROOT, home=home, context={"schedules": told}, say=print))


def strikes(account: Account, at: str, request: dict[str, Any]) -> dict[str, Any]:
    told = {"schedule": "weekly", "scheduled_time": at, "overlap": "queue", "request": request}
    answer = account.client("lambda").invoke(
        FunctionName=account.outputs["TickFunction"], Payload=json.dumps(told)
    )
    said: dict[str, Any] = json.loads(answer["Payload"].read())
    return said


def swept(account: Account) -> None:
    name = next(
        each["FunctionName"]
        for handler, each in account.functions().items()
        if handler == "lambdas.doors.sweep.handler"
    )
    account.client("lambda").invoke(FunctionName=name, Payload=json.dumps({"abandoned": "resume"}))


def executions(account: Account, name: str) -> list[str]:
    found = account.client("stepfunctions").list_executions(
        stateMachineArn=account.outputs["StateMachine"]
    )
    return [each["name"] for each in found["executions"] if name in each["name"]]


@pytest.mark.promise("R28")
def test_a_tick_delivered_twice_at_once_runs_once_and_the_next_waits_for_its_end(
    account: Account, request_: dict[str, Any]
) -> None:
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: strikes(account, FIRST, request_), range(2)))
    first = both[0]["task_id"]
    assert {each["task_id"] for each in both} == {first}
    account.asked(first)
    queued = strikes(account, SECOND, request_)
    swept(account)
    assert (queued["said"], len(executions(account, "weekly"))) == ("QUEUED", 1)

    account.decide(first, "APPROVED")
    waited_for(lambda: _has_ended(account, first), f"the end of {first}")
    swept(account)

    assert account.asked(queued["task_id"]).status is Status.WAITING_FOR_APPROVAL
    assert len(executions(account, "weekly")) == 2
    assert strikes(account, FIRST, request_)["said"] == "LATE"


@pytest.mark.usefixtures("account")
def test_a_schedule_is_paused_and_set_going_as_it_was(home: Path) -> None:
    """That the Scheduler strikes is not seen here: ministack's hands on the placeholder of the
    scheduled time as it is written, and the door refuses what is no instant.
    """
    found = accounts.find(home=home, stack="Ratchet")

    assert schedules.switch(found, "minutely", schedules.OFF)
    told = {each.name: each for each in schedules.listed(found)}
    assert (told["minutely"].state, told["weekly"].state) == ("DISABLED", "ENABLED")
    assert schedules.switch(found, "minutely", schedules.ON)
    again = {each.name: each for each in schedules.listed(found)}
    assert again["minutely"] == replace(told["minutely"], state="ENABLED")
    assert schedules.run_now(found, "minutely")["said"] == "STARTED"


def _has_ended(account: Account, task: str) -> bool:
    found = account.task(task)
    return found is not None and found.status.is_final
