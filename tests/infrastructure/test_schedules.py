"""Runs by the clock: what is synthesized of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.agent.contract import Door
from stacks.timetable import timetable
from tests.infrastructure.assemblies import synthesize
from tests.infrastructure.templates import Resource, Template, one, readable, references, resources

REQUEST = {
    "agent_id": "competitor-monitor",
    "questions": ["What changed?"],
    "sources": [{"url": "https://acme.example/pricing"}],
}
WEEKLY = {
    "name": "weekly",
    "request": REQUEST,
    "cron": "0 6 ? * MON *",
    "time_zone": "Europe/Berlin",
    "overlap": "queue",
}
DAILY = {"name": "daily", "request": "examples/requests/scheduled.json", "rate": "1 day"}


@pytest.fixture(scope="module")
def scheduled(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("scheduled")
    return synthesize(
        folder, {"schedules": [WEEKLY, {**DAILY, "enabled": False}, {**DAILY, "name": "Role"}]}
    ).template


def _missed(template: Template) -> tuple[str, Resource]:
    (found,) = (
        (name, queue)
        for name, queue in resources(template, "AWS::SQS::Queue").items()
        if name.startswith("SchedulesMissed")
    )
    return found


def _schedules(template: Template) -> dict[str, Any]:
    found = resources(template, "AWS::Scheduler::Schedule").values()
    return {each["Properties"]["Name"]: each["Properties"] for each in found}


def test_every_schedule_names_its_zone_and_is_punctual(scheduled: Template) -> None:
    """Case F08."""
    found = _schedules(scheduled)

    assert (
        found["weekly"]["ScheduleExpression"],
        found["weekly"]["ScheduleExpressionTimezone"],
        found["weekly"]["State"],
    ) == ("cron(0 6 ? * MON *)", "Europe/Berlin", "ENABLED")
    assert (
        found["daily"]["ScheduleExpression"],
        found["daily"]["ScheduleExpressionTimezone"],
        found["daily"]["State"],
    ) == ("rate(1 day)", "UTC", "DISABLED")
    assert {each["FlexibleTimeWindow"]["Mode"] for each in found.values()} == {"OFF"}


@pytest.mark.promise("R28")
def test_a_tick_tells_the_instant_that_was_due(scheduled: Template) -> None:
    target = _schedules(scheduled)["weekly"]["Target"]

    assert json.loads(target["Input"]) == {
        "schedule": "weekly",
        "scheduled_time": "<aws.scheduler.scheduled-time>",
        "overlap": "queue",
        "request": REQUEST,
    }


@pytest.mark.promise("R21")
def test_a_tick_that_nobody_takes_is_kept(scheduled: Template) -> None:
    queue, resource = _missed(scheduled)
    target = _schedules(scheduled)["weekly"]["Target"]

    assert list(references(target["DeadLetterConfig"]["Arn"])) == [queue]
    assert 0 < target["RetryPolicy"]["MaximumRetryAttempts"] <= 185
    assert resource["Properties"]["SqsManagedSseEnabled"] is True


@pytest.mark.promise("R21")
def test_a_tick_that_fails_in_the_door_is_kept_too(scheduled: Template) -> None:
    """The Scheduler calls a function without waiting for what it says."""
    queue, _ = _missed(scheduled)
    told = one(scheduled, "AWS::Lambda::EventInvokeConfig")["Properties"]

    assert list(references(told["DestinationConfig"]["OnFailure"]["Destination"])) == [queue]
    assert told["MaximumRetryAttempts"] == 2


@pytest.mark.promise("R34")
def test_the_scheduler_may_call_the_door_and_fill_the_queue_and_nothing_else(
    scheduled: Template,
) -> None:
    (policy,) = (
        each["Properties"]
        for name, each in resources(scheduled, "AWS::IAM::Policy").items()
        if name.startswith("SchedulesRole")
    )
    allowed = {
        (each["Action"], readable(each["Resource"]))
        for each in policy["PolicyDocument"]["Statement"]
    }

    assert {action for action, _ in allowed} == {"lambda:InvokeFunction", "sqs:SendMessage"}
    assert not [resource for _, resource in allowed if "*" in resource]
    (function,) = (resource for action, resource in allowed if action.startswith("lambda"))
    assert Door.TICK.value in function


def test_a_deployment_without_any_has_none(template: Template) -> None:
    assert _schedules(template) == {}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "a b"}, "name: write up to 40"),
        ({"cron": "0 6 * *"}, "cron: write six fields"),
        ({"cron": "0 6 * * MON *"}, "one of both days a ?"),
        ({"name": 123}, "name: write up to 40"),
        ({"rate": "1 day"}, "write either cron or rate"),
        ({"cron": None, "rate": "often"}, "rate: write a number"),
        ({"time_zone": "Mars/Olympus"}, "there is no zone 'Mars/Olympus'"),
        ({"overlap": "both"}, "overlap: write one of skip, queue"),
        ({"enabled": "yes"}, "enabled: write true or false"),
        ({"request": 1}, "request: write the request"),
        ({"request": {**REQUEST, "workflow_id": "w"}}, "workflow_id: leave it out"),
        ({"request": {**REQUEST, "questions": ["x" * 300_000]}}, "it is too large"),
        ({"every": "day"}, "every: there is no such field"),
    ],
)
def test_a_wrong_one_is_refused_and_told_why(fields: dict[str, Any], said: str) -> None:
    wrong = {name: value for name, value in {**WEEKLY, **fields}.items() if value is not None}

    with pytest.raises(ValueError, match="have faults") as refused:
        timetable([wrong])
    assert said in str(refused.value)


def test_all_faults_of_all_are_told_at_once() -> None:
    with pytest.raises(ValueError, match="have faults") as refused:
        timetable([{**WEEKLY, "cron": "x"}, {**WEEKLY, "overlap": "x"}, "nothing"])

    told = str(refused.value)
    assert all(part in told for part in ("[0].cron", "[1].overlap", "[2] is no object", "names 2"))


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({**REQUEST, "sources": []}, "The request of schedule weekly has faults"),
        ("no/such/file.json", "cannot be read"),
    ],
)
def test_a_request_with_faults_fails_the_synth(tmp_path: Path, request_: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        synthesize(tmp_path, {"schedules": [{**WEEKLY, "request": request_}]})
