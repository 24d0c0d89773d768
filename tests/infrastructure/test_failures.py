"""What happens when a state fails: tried again, caught, recorded; by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from lambdas.agent import errors
from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.errors import ASK_SOURCE_AGAIN, TRY_AGAIN, WAIT_FOR_LEASE, Retryable, StepError
from statemachines.definition import State

LAMBDA_REFUSED = {
    "Lambda.AWSLambdaException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.SdkClientException",
    "Lambda.ServiceException",
    "Lambda.TooManyRequestsException",
}
WORKER_KILLED = {
    "Lambda.Unknown",
    "Runtime.ExitError",
    "Runtime.OutOfMemory",
    "Runtime.Unknown",
    "Sandbox.Timedout",
}
TIMED_OUT = "States.Timeout"

every_step = pytest.mark.parametrize("step", Step)


@every_step
@pytest.mark.promise("R21", "R26")
def test_every_task_tries_again_what_may_pass(tasks: dict[str, State], step: Step) -> None:
    """Cases B04, B05 and B07."""
    again = {error.__name__ for error in _below(Retryable)}

    assert again | LAMBDA_REFUSED | WORKER_KILLED <= set(_retried(tasks[step]))


@every_step
@pytest.mark.promise("R20", "R26")
def test_a_timeout_is_tried_again_unless_it_is_a_persons(
    tasks: dict[str, State], step: Step
) -> None:
    """Case B05."""
    assert (TIMED_OUT in _retried(tasks[step])) is (step is not Step.APPROVE)


@every_step
@pytest.mark.promise("R21")
def test_nothing_else_is_tried_again(tasks: dict[str, State], step: Step) -> None:
    """Case B06. Least of all what is final; `States.TaskFailed` and `States.ALL` are everything."""
    again = {error.__name__ for error in _below(Retryable)}

    unknown = set(_retried(tasks[step])) - again - LAMBDA_REFUSED - WORKER_KILLED - {TIMED_OUT}
    assert not unknown


@every_step
@pytest.mark.promise("R22")
def test_every_name_is_tried_again_by_one_rule_and_a_bounded_number_of_times(
    tasks: dict[str, State], step: Step
) -> None:
    assert set(Counter(_retried(tasks[step])).values()) == {1}
    for rule in tasks[step]["Retry"]:
        assert 1 <= rule["MaxAttempts"] <= 25


@every_step
@pytest.mark.promise("R21")
def test_what_the_services_are_asked_again_is_spread_in_time(
    tasks: dict[str, State], step: Step
) -> None:
    for rule in tasks[step]["Retry"]:
        if rule["ErrorEquals"] != _names(WAIT_FOR_LEASE):
            assert rule["JitterStrategy"] == "FULL"
            assert rule["BackoffRate"] > 1
            assert rule["MaxDelaySeconds"] <= 60


@every_step
@pytest.mark.promise("R9", "R20")
def test_the_wait_for_a_lease_reaches_past_three_of_them(
    tasks: dict[str, State], step: Step
) -> None:
    """Case A16.

    A state counts its retries over all of its attempts: each worker that dies uses some up.
    """
    (rule,) = (each for each in tasks[step]["Retry"] if "StillClaimed" in each["ErrorEquals"])
    assert "JitterStrategy" not in rule

    waits = [
        rule["IntervalSeconds"] * rule["BackoffRate"] ** lap for lap in range(rule["MaxAttempts"])
    ]
    assert sum(waits) > 3 * (budget(step).lease + CLOCK_SKEW)


@pytest.mark.promise("R21", "R26")
def test_every_task_and_the_map_catch_whatever_is_left(states: dict[str, State]) -> None:
    """Cases B05 and B08."""
    working = [state for state in states.values() if state["Type"] in {"Task", "Map"}]

    assert len(working) >= 12
    for state in working:
        assert state["Catch"][-1]["ErrorEquals"] == ["States.ALL"]


@pytest.mark.promise("R23")
def test_what_is_caught_stands_beside_the_input_and_never_replaces_it(
    states: dict[str, State],
) -> None:
    """Case B09."""
    paths = [catch["ResultPath"] for state in states.values() for catch in state.get("Catch", ())]

    assert len(paths) >= 12
    assert set(paths) == {"$.failure", "$.recording_failure"}


@pytest.mark.promise("R21", "R23")
def test_a_recording_that_fails_itself_leaves_the_first_error_standing(
    states: dict[str, State],
) -> None:
    """Case B05."""
    recorder = states[Step.RECORD_FAILURE]

    (catch,) = recorder["Catch"]
    assert catch["ResultPath"] == "$.recording_failure"
    assert recorder["ResultPath"] is None
    assert catch["Next"] == recorder["Next"] == "FAILED"
    assert states["FAILED"]["Type"] == "Fail"


@pytest.mark.promise("R23")
@pytest.mark.parametrize("end", ["FAILED", "INVALID_REQUEST"])
def test_an_execution_fails_with_the_error_that_was_caught_first(
    states: dict[str, State], end: str
) -> None:
    assert states[end] == {
        "Type": "Fail",
        "ErrorPath": "$.failure.Error",
        "CausePath": "$.failure.Cause",
    }


def test_only_a_caught_failure_leads_to_an_end_that_fails(states: dict[str, State]) -> None:
    """Elsewhere there would be no `$.failure` to fail with."""
    ends = {name for name, state in states.items() if state["Type"] == "Fail"}

    leading = {name for name, state in states.items() if state.get("Next") in ends}
    assert ends == {"FAILED", "INVALID_REQUEST", "NOT_TOLD", "PARKED"}
    assert leading == {Step.RECORD_FAILURE}


def test_a_request_with_faults_has_an_end_of_its_own(states: dict[str, State]) -> None:
    first, _ = states[Step.PLAN]["Catch"]

    assert first["ErrorEquals"] == ["InvalidRequest"]
    assert first["Next"] == "INVALID_REQUEST"


def test_a_person_who_never_answers_is_no_failure(states: dict[str, State]) -> None:
    first, _ = states[Step.APPROVE]["Catch"]

    assert first["ErrorEquals"] == [TIMED_OUT]
    assert (first["Next"], states[Step.EXPIRE]["Next"]) == (Step.EXPIRE, "DECIDED?")
    (way,) = (
        choice["Next"]
        for choice in states["DECIDED?"]["Choices"]
        if choice["And"][1]["StringEquals"] == "EXPIRED"
    )
    assert states[way]["Result"] == {"status": "EXPIRED"}
    assert states[way]["Next"] == Step.COMPLETE


def test_every_name_of_ours_in_a_retry_or_catch_is_a_class_we_raise(
    tasks: dict[str, State],
) -> None:
    caught = [catch["ErrorEquals"] for state in tasks.values() for catch in state["Catch"]]
    named = {name for names in caught for name in names} | {
        name for state in tasks.values() for name in _retried(state)
    }

    ours = {name for name in named if "." not in name}
    assert ours <= {error.__name__ for error in _below(StepError)}


@pytest.mark.promise("R21")
def test_every_error_that_may_pass_is_in_one_retry_group() -> None:
    """Case B04."""
    grouped = Counter([*WAIT_FOR_LEASE, *ASK_SOURCE_AGAIN, *TRY_AGAIN])

    assert grouped == dict.fromkeys(_below(Retryable), 1)


def test_every_error_is_drawn_in_the_tree_below_what_it_derives_from() -> None:
    drawn = re.findall(r"^ *[*x-] (\w+)", str(errors.__doc__), re.MULTILINE)

    told = [error.__name__ for error in _tree(StepError)]
    assert drawn == told


def _retried(state: State) -> list[str]:
    return [name for rule in state["Retry"] for name in rule["ErrorEquals"]]


def _names(group: Iterable[type[Exception]]) -> list[str]:
    return [error.__name__ for error in group]


def _below(error: type[StepError]) -> set[type[StepError]]:
    """Its subclasses in errors.py; other tests may have made some of their own."""
    return {each for each in _tree(error)[1:] if each.__module__ == errors.__name__}


def _tree(error: type[StepError]) -> list[type[StepError]]:
    below = [each for sub in error.__subclasses__() for each in _tree(sub)]
    return [error, *(each for each in below if each.__module__ == errors.__name__)]
