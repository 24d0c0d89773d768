"""Two of everything at the same moment, as real processes in the sandbox: one winner each."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any, TypeVar

import pytest

from lambdas.adapters.stepfunctions_executions import execution_arn
from lambdas.agent.contract import Status, Step
from lambdas.agent.identity import execution_name
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.events import Events

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
Said = TypeVar("Said")


@pytest.mark.promise("R28")
def test_of_two_starts_at_once_one_runs_and_the_other_is_told(
    account: Account, a_request: Make, events: Events
) -> None:
    request = a_request()
    task = task_of(request)

    one, other = at_once(
        lambda: account.start(request, name=f"one-{task}"[:80]),
        lambda: account.start(request, name=f"other-{task}"[:80]),
    )
    account.asked(task)
    account.decide(task, "APPROVED")
    both = [account.ended(one), account.ended(other)]

    assert [each.status for each in both] == ["SUCCEEDED", "SUCCEEDED"]
    entered = [_entered(account, each.arn) for each in both]
    assert sorted("ALREADY_KNOWN" in states for states in entered) == [False, True]
    assert sorted("PUBLISH" in states for states in entered) == [False, True]
    assert events.ends(task) == ["ReportCompleted"]


@pytest.mark.promise("R24", "R28")
def test_of_two_resumes_at_once_one_goes_on(
    account: Account, a_request: Make, events: Events
) -> None:
    request = a_request()
    task = task_of(request)
    first = account.start(request)
    account.asked(task)
    account.client("stepfunctions").stop_execution(executionArn=first)

    arns = at_once(lambda: _resumed(account, task), lambda: _resumed(account, task))

    account.asked_in_second_run(task)
    account.decide(task, "APPROVED")
    assert len(set(arns)) == 1
    assert account.ended(arns[0]).status == "SUCCEEDED"
    assert events.ends(task) == ["ReportCompleted"]


@pytest.mark.promise("R10")
def test_of_two_answers_at_once_the_first_stands_and_both_are_told_it(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)
    account.asked(task)

    answers = at_once(
        lambda: _decided(account, task, "APPROVED"), lambda: _decided(account, task, "REJECTED")
    )

    assert len({answer["decision"] for answer in answers}) == 1
    assert sorted(answer["already"] for answer in answers) == [False, True]
    account.ended(arn)
    record = account.task(task)
    assert record is not None
    stands = {"APPROVED": Status.SUCCEEDED, "REJECTED": Status.REJECTED}
    assert record.status is stands[answers[0]["decision"]]


@pytest.mark.promise("R8", "R10")
def test_of_two_workers_on_one_unit_one_works_and_both_answer_the_same(
    account: Account, a_request: Make
) -> None:
    request = a_request()
    account.run(request)
    task = task_of(request)
    fresh = {
        "step": "FETCH",
        "task_id": task,
        "item": "a-second-look",
        "args": {"url": request["sources"][0]["url"]},
        "context": {"agent_id": request["agent_id"]},
    }

    answers = at_once(*[lambda: _until_it_answers(account, fresh)] * 2)

    assert answers[0] == answers[1]
    again = [unit for unit in account.units(task) if unit.item == "a-second-look"]
    assert [(unit.attempt, unit.is_done) for unit in again] == [(1, True)]


def at_once(*acts: Callable[[], Said]) -> list[Said]:
    """What each answers, begun together."""
    barrier = Barrier(len(acts))

    def begin(act: Callable[[], Said]) -> Said:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(begin, acts))


def _resumed(account: Account, task: str) -> str:
    """The second run's execution. Its name is taken where somebody else was faster."""
    with suppress(account.client("stepfunctions").exceptions.ExecutionAlreadyExists):
        account.resume(task)
    return execution_arn(account.outputs["StateMachine"], execution_name(task, 2))


def _decided(account: Account, task: str, decision: str) -> dict[str, Any]:
    """A person whose answer met another's in the act gives it again."""

    def look() -> dict[str, Any] | None:
        told = account.decide(task, decision)
        return None if told.get("errorType") == "StillClaimed" else told

    return waited_for(look, "an answer to the decision")


def _until_it_answers(account: Account, event: dict[str, Any]) -> dict[str, Any]:
    """As the state machine does: StillClaimed is tried again."""

    def look() -> dict[str, Any] | None:
        answer = account.client("lambda").invoke(
            FunctionName=account.functions()[Step.FETCH.handler]["FunctionName"],
            Payload=json.dumps(event),
        )
        told: dict[str, Any] = json.loads(answer["Payload"].read())
        if told.get("errorType") == "StillClaimed":
            return None
        assert "errorType" not in told, told
        return told

    return waited_for(look, "FETCH to answer")


def _entered(account: Account, arn: str) -> list[str]:
    return [
        event["stateEnteredEventDetails"]["name"]
        for event in account.history(arn)
        if "stateEnteredEventDetails" in event
    ]
