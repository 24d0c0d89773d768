"""`schedule ...`: what there is, and setting one going, out or going again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.console.bench import Bench, a_request


def a_schedule(bench: Bench, name: str = "weekly", **fields: Any) -> None:
    request = a_request()
    del request["workflow_id"]
    told = {
        "schedule": name,
        "scheduled_time": "<aws.scheduler.scheduled-time>",
        "overlap": "skip",
        "request": request,
    }
    bench.account.scheduler.create_schedule(
        **{
            "GroupName": "schedules",
            "Name": name,
            "Description": "Ratchet: competitor-monitor",
            "ScheduleExpression": "cron(0 6 ? * MON *)",
            "ScheduleExpressionTimezone": "Europe/Berlin",
            "State": "ENABLED",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": {
                "Arn": "arn:aws:lambda:eu-west-1:123456789012:function:tick",
                "RoleArn": "arn:aws:iam::123456789012:role/any",
                "Input": json.dumps(told),
                "RetryPolicy": {"MaximumRetryAttempts": 10, "MaximumEventAgeInSeconds": 3600},
                "DeadLetterConfig": {"Arn": "arn:aws:sqs:eu-west-1:123456789012:missed"},
            },
            **fields,
        }
    )


def test_where_there_are_none_it_says_how_there_would_be_some(bench: Bench) -> None:
    assert "name some as `schedules` in cdk.json" in bench.run("schedule", "list").stdout


def test_the_list_says_when_each_strikes_and_how_it_stands(bench: Bench) -> None:
    a_schedule(bench)
    bench.run("schedule", "run-now", "weekly")
    shown = bench.run("schedule", "list").stdout

    assert "cron(0 6 ? * MON *) Europe/Berlin" in shown
    assert "going" in shown
    (told,) = json.loads(bench.run("schedule", "list", "--json").stdout)
    assert told["task_id"] in shown
    assert told["last"] in shown


def test_run_now_goes_by_the_door_and_names_the_task(bench: Bench) -> None:
    a_schedule(bench)
    result = bench.run("schedule", "run-now", "weekly")

    ((told,),) = (bench.functions.told,)
    assert result.exit_code == 0
    assert result.stdout.strip().endswith(" started")
    assert (told["schedule"], told["overlap"]) == ("weekly", "skip")
    assert told["scheduled_time"].endswith("Z")


def test_run_now_does_not_overtake_a_run(bench: Bench) -> None:
    a_schedule(bench)
    told = {"schedule": "weekly", "scheduled_time": "2026-01-01T00:00:00Z", "overlap": "skip"}
    request = a_request()
    del request["workflow_id"]
    bench.functions.invoke(
        FunctionName="tick-function", Payload=json.dumps({**told, "request": request}).encode()
    )

    assert "the run before it is under way" in bench.run("schedule", "run-now", "weekly").stdout


def test_a_paused_one_keeps_all_that_it_was(bench: Bench) -> None:
    a_schedule(bench)
    before = dict(bench.account.scheduler.get_schedule(GroupName="schedules", Name="weekly"))

    assert "weekly is paused" in bench.run("schedule", "pause", "weekly").stdout
    assert "weekly is already paused" in bench.run("schedule", "pause", "weekly").stdout
    assert "paused" in bench.run("schedule", "list").stdout
    assert "weekly is going" in bench.run("schedule", "resume", "weekly").stdout

    after = dict(bench.account.scheduler.get_schedule(GroupName="schedules", Name="weekly"))
    for changes in ("ResponseMetadata", "LastModificationDate", "CreationDate"):
        before.pop(changes, None)
        after.pop(changes, None)
    assert after == before


@pytest.mark.parametrize("command", ["run-now", "pause", "resume"])
def test_one_that_is_not_there_is_bad_input_and_those_that_are_are_named(
    bench: Bench, command: str
) -> None:
    a_schedule(bench, "daily")
    result = bench.run("schedule", command, "weekly")

    assert result.exit_code == 2
    assert "There is no schedule weekly" in result.stderr
    assert "daily" in result.stderr
