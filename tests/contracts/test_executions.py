"""One contract for the executions in memory and those of Step Functions.

The adapter tells running, over, absent and taken names apart as moto does, which follows AWS in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.stepfunctions_executions import StepFunctionsExecutions
from lambdas.agent.continuing import LOST_RUNS, begin_again
from lambdas.agent.contract import Status, Step
from lambdas.agent.errors import Unexpected
from lambdas.agent.ports import Executions
from lambdas.agent.tasks import ExecutionStatus, TaskRecord
from tests.contracts.table import REGION
from tests.fakes.outside import FakeExecutions

WAITS = {"StartAt": "WAIT", "States": {"WAIT": {"Type": "Pass", "End": True}}}
TOLD = {"resume": {"task_id": "t", "run": 2}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    executions: Executions
    stop: Callable[[str], None]


@pytest.fixture(params=["memory", "stepfunctions"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "memory":
        fake = FakeExecutions()

        def abort(name: str) -> None:
            fake.standing[name] = ExecutionStatus.ABORTED

        yield Place(executions=fake, stop=abort)
        return
    with mock_aws():
        yield on_aws()


def on_aws() -> Place:
    client = boto3.client("stepfunctions", region_name=REGION)
    machine = client.create_state_machine(
        name="research",
        definition=json.dumps(WAITS),
        roleArn="arn:aws:iam::123456789012:role/any",
    )["stateMachineArn"]
    execution = machine.replace(":stateMachine:", ":execution:")
    return Place(
        executions=StepFunctionsExecutions(client, machine),
        stop=lambda name: client.stop_execution(executionArn=f"{execution}:{name}") and None,
    )


def a_task(run: int = 1) -> TaskRecord:
    return TaskRecord(
        task_id="agent-flow-0123456789ab",
        agent_id="agent",
        workflow_id="flow",
        input_id="i",
        status=Status.FAILED,
        current_step=Step.VALIDATE,
        state_version=3,
        schema_version=1,
        execution="agent-flow-0123456789ab-r1",
        run=run,
        created_at=0,
        updated_at=0,
    )


@pytest.mark.promise("R28")
def test_what_a_start_does_follows_from_how_the_execution_of_that_name_stands(place: Place) -> None:
    known = place.executions

    assert known.status("one") is ExecutionStatus.ABSENT
    assert known.start("one", TOLD)
    assert known.status("one") is ExecutionStatus.RUNNING
    assert known.start("one", TOLD), "the same name and input while it runs is the same execution"
    assert not known.start("one", {"resume": {"task_id": "other", "run": 2}})
    place.stop("one")
    assert known.status("one") is ExecutionStatus.ABORTED
    assert not known.start("one", TOLD)


@pytest.mark.promise("R15", "R28")
def test_an_execution_is_stopped_once_and_one_that_never_was_is_no_fault(place: Place) -> None:
    place.executions.start("one", TOLD)

    place.executions.stop("one", cause="Called off")
    place.executions.stop("never-was", cause="Called off")

    assert place.executions.status("one") is ExecutionStatus.ABORTED
    assert place.executions.status("never-was") is ExecutionStatus.ABSENT


@pytest.mark.promise("R24", "R28")
def test_a_second_resume_finds_the_execution_of_the_first(place: Place) -> None:
    first = begin_again(a_task(), place.executions)
    second = begin_again(a_task(), place.executions)

    assert first
    assert second
    assert (first.name, first.run, first.is_new) == ("agent-flow-0123456789ab-r2", 2, True)
    assert (second.name, second.is_new) == (first.name, False)


def test_a_name_that_was_used_up_before_plan_is_passed_over(place: Place) -> None:
    begin_again(a_task(), place.executions)
    place.stop("agent-flow-0123456789ab-r2")

    again = begin_again(a_task(), place.executions)

    assert again
    assert (again.run, again.is_new) == (3, True)


def test_when_every_execution_ends_at_once_it_gives_up(place: Place) -> None:
    for run in range(2, 2 + LOST_RUNS):
        place.executions.start(f"agent-flow-0123456789ab-r{run}", TOLD)
        place.stop(f"agent-flow-0123456789ab-r{run}")

    assert begin_again(a_task(), place.executions) is None


@pytest.mark.promise("R28")
def test_resumes_at_once_start_one_execution() -> None:
    with mock_aws():
        place = on_aws()
        with ThreadPoolExecutor(8) as pool:
            begun = list(pool.map(lambda _: begin_again(a_task(), place.executions), range(8)))

        assert {each.name for each in begun if each} == {"agent-flow-0123456789ab-r2"}
        started = boto3.client("stepfunctions", region_name=REGION).list_executions(
            stateMachineArn="arn:aws:states:eu-west-1:123456789012:stateMachine:research"
        )["executions"]
        assert len(started) == 1


def test_what_aws_refuses_for_good_is_told_as_such() -> None:
    with mock_aws():
        client = boto3.client("stepfunctions", region_name=REGION)
        nowhere = StepFunctionsExecutions(
            client, "arn:aws:states:eu-west-1:123456789012:stateMachine:none"
        )

        with pytest.raises(Unexpected, match="Step Functions refused"):
            nowhere.start("one", TOLD)
