"""The sweeper: called by the clock, told its policy, and no part of any circle."""

from __future__ import annotations

import json

import pytest

from lambdas.agent.contract import Door
from tests.infrastructure.templates import (
    Template,
    functions,
    one,
    readable,
    references,
    resources,
)


@pytest.mark.promise("R9", "R28")
def test_the_sweeper_is_called_every_five_minutes_and_not_again_when_it_fails(
    either: Template,
) -> None:
    rule = one(either, "AWS::Events::Rule")["Properties"]
    (target,) = rule["Targets"]

    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(5 minutes)", "ENABLED")
    assert target["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert json.loads(target["Input"]) == {"abandoned": "resume"}
    (name,) = references(target["Arn"])
    assert either["Resources"][name]["Properties"]["Handler"] == Door.SWEEP.handler


def test_the_rule_alone_may_call_the_sweeper(either: Template) -> None:
    (rule,) = resources(either, "AWS::Events::Rule")
    (sweeper,) = (name for name in resources(either, "AWS::Lambda::Function") if "SWEEP" in name)
    (permission,) = (
        each["Properties"]
        for each in resources(either, "AWS::Lambda::Permission").values()
        if sweeper in references(each["Properties"]["FunctionName"])
    )

    assert permission["Principal"] == "events.amazonaws.com"
    assert list(references(permission["SourceArn"])) == [rule]


def test_those_alone_who_start_runs_are_told_of_the_machine(either: Template) -> None:
    told = {
        handler: readable(each["Environment"]["Variables"]["RATCHET_STATE_MACHINE"])
        for handler, each in functions(either).items()
    }

    for door in (Door.SWEEP, Door.TICK, Door.API):
        assert told.pop(door.handler) == "${MachineResearch}"
    assert set(told.values()) == {""}
