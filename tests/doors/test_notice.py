"""NOTICE: which executions are begun of what the ledger's stream brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from lambdas.adapters.ledger_items import TASK_SORT_KEY, number, text
from lambdas.agent.channels import Directory
from lambdas.agent.contract import Status, Step
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import ServiceUnavailable
from lambdas.doors.notice import notice, told
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeExecutions
from tests.fakes.world import World, a_world

TASK = "acme-monday-0123456789ab"
CRM = Endpoint(
    name="crm",
    url="https://crm.example/",
    secret="any",
    events=("TaskAccepted", "ReportCompleted"),
)


@pytest.fixture
def world() -> World:
    made = a_world(FakeClock())
    made.directory = Directory(endpoints=(CRM,))
    return made


def tellings(world: World) -> FakeExecutions:
    return cast("FakeExecutions", world.tellings)


def a_change(status: Status = Status.RUNNING, *, name: str = "MODIFY", **fields: Any) -> Any:
    image: dict[str, Any] = {
        "pk": text(TASK),
        "sk": text(TASK_SORT_KEY),
        "task_id": text(TASK),
        "agent_id": text("acme"),
        "workflow_id": text("monday"),
        "input_id": text("any"),
        "status": text(status.value),
        "current_step": text(Step.PUBLISH.value),
        "state_version": number(7),
        "schema_version": number(1),
        "execution": text("any"),
        "run": number(1),
        "revision": number(2),
        "created_at": number(1_000),
        "updated_at": number(1_060),
        **fields,
    }
    return {"eventName": name, "dynamodb": {"NewImage": image}}


def brought(world: World, *changes: Mapping[str, Any]) -> dict[str, Any]:
    return notice({"Records": list(changes)}, world)


def begun(world: World) -> set[tuple[str, str, str]]:
    return {
        (told["kind"], told["occasion"], told["channel"]) for told in tellings(world).told.values()
    }


@pytest.mark.promise("R27", "R31")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            a_change(Status.RUNNING, name="INSERT"),
            {("TaskAccepted", "once", "events"), ("TaskAccepted", "once", "webhook.crm")},
        ),
        (
            a_change(Status.WAITING_FOR_APPROVAL, waits_until=text("2026-12-09T08:00:00Z")),
            {
                ("ApprovalRequested", "r2", "events"),
                ("ApprovalRequested", "r2", "subscribers"),
                ("ApprovalReminder", "r2.1796803200", "subscribers"),
            },
        ),
        (
            a_change(Status.SUCCEEDED),
            {
                ("ReportCompleted", "once", "events"),
                ("ReportCompleted", "once", "subscribers"),
                ("ReportCompleted", "once", "webhook.crm"),
            },
        ),
        (
            a_change(Status.FAILED),
            {("TaskFailed", "run1", "events"), ("TaskFailed", "run1", "subscribers")},
        ),
        (
            a_change(Status.EXPIRED),
            {("TaskExpired", "once", "events"), ("TaskExpired", "once", "subscribers")},
        ),
        (a_change(Status.REJECTED), {("TaskRejected", "once", "events")}),
        (a_change(Status.CANCELLED), {("TaskCancelled", "once", "events")}),
        (a_change(Status.RUNNING), set()),
    ],
)
def test_each_change_is_told_by_the_channels_it_is_for(
    world: World, change: Any, expected: set[tuple[str, str, str]]
) -> None:
    assert brought(world, change) == {"begun": len(expected), "before": 0}
    assert begun(world) == expected


@pytest.mark.promise("R6")
def test_an_execution_is_told_names_and_nothing_else(world: World) -> None:
    brought(world, a_change(Status.SUCCEEDED, result_uri=text("s3://any/published/")))

    for name, said in tellings(world).told.items():
        assert said.keys() == {"task_id", "kind", "occasion", "channel"}
        assert name.startswith(TASK)
        assert len(name) <= 80


@pytest.mark.promise("R10", "R13", "R28")
def test_a_change_that_is_brought_twice_is_told_once(world: World) -> None:
    first = brought(world, a_change(Status.SUCCEEDED))
    for name in tellings(world).standing:
        assert name in tellings(world).told

    again = brought(world, a_change(Status.SUCCEEDED, state_version=number(8)))

    assert first["begun"] == 3
    assert len(tellings(world).told) == 3
    assert again["begun"] + again["before"] == 3


@pytest.mark.promise("R13", "R20")
def test_a_batch_that_fails_in_the_middle_comes_again_and_each_is_begun_once(
    world: World,
) -> None:
    class Breaks(FakeExecutions):
        is_down = True

        def start(self, name: str, told: Mapping[str, Any]) -> bool:
            if self.is_down and len(self.told) == 2:
                raise ServiceUnavailable("Step Functions is down")
            return super().start(name, told)

    breaking = Breaks()
    world.tellings = breaking
    batch = [a_change(name="INSERT"), a_change(Status.SUCCEEDED)]

    with pytest.raises(ServiceUnavailable):
        brought(world, *batch)
    half = set(breaking.told)
    breaking.is_down = False
    brought(world, *batch)

    assert len(half) == 2
    assert len(breaking.told) == 5


@pytest.mark.parametrize(
    "change",
    [
        {"eventName": "REMOVE", "dynamodb": {"Keys": {}}},
        {"eventName": "INSERT", "dynamodb": {"NewImage": {"sk": text("UNIT#PLAN#-")}}},
    ],
)
def test_what_is_no_task_or_is_gone_is_passed_over(world: World, change: Any) -> None:
    assert brought(world, change) == {"begun": 0, "before": 0}


def test_what_was_begun_is_logged(world: World) -> None:
    answer = brought(world, a_change(Status.REJECTED))

    assert list(told(answer)) == [("noticed", {"begun": 1, "before": 0})]
