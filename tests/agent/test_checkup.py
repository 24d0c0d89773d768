"""What the record, the execution and the units of a task say when they are laid side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lambdas.agent.checkup import NOT_SEEN_YET, Finding, Sign, examined, is_expired, missing
from lambdas.agent.contract import CLOCK_SKEW, Status, Step
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.tally import last_tries
from lambdas.agent.tasks import ExecutionStatus, TaskRecord

NOW = 1_780_000_000.0
TASK = TaskRecord(
    task_id="t",
    agent_id="agent",
    workflow_id="flow",
    input_id="i",
    status=Status.RUNNING,
    current_step=Step.FETCH,
    state_version=2,
    schema_version=1,
    execution="t-r1",
    run=1,
    created_at=NOW - 900,
    updated_at=NOW - 900,
)
LEASED = UnitRecord(
    step=Step.FETCH, item="s1", fingerprint="f", version=1, owner="w", leased_until=NOW
)
OVER = [status for status in ExecutionStatus if status.is_over]
UNDER_WAY = [status for status in Status if not status.is_final]


def signs(task: TaskRecord, execution: ExecutionStatus, *units: UnitRecord) -> list[Sign]:
    return [found.sign for found in examined(task, execution, units, now=NOW)]


@pytest.mark.promise("R9", "R32")
@pytest.mark.parametrize("status", UNDER_WAY)
@pytest.mark.parametrize("execution", OVER)
def test_a_record_under_way_whose_execution_is_over_is_abandoned(
    status: Status, execution: ExecutionStatus
) -> None:
    (found,) = examined(replace(TASK, status=status), execution, now=NOW)

    assert found.sign is Sign.ABANDONED
    assert str(found) == (
        f"ABANDONED: {status} in run 1, but its execution is {execution}. "
        "Go on with `./ratchet resume t`"
    )


@pytest.mark.parametrize("status", UNDER_WAY)
def test_a_record_under_way_whose_execution_runs_is_as_it_should_be(status: Status) -> None:
    assert signs(replace(TASK, status=status), ExecutionStatus.RUNNING) == []


@pytest.mark.parametrize("status", set(Status) - set(UNDER_WAY))
@pytest.mark.parametrize("execution", OVER)
def test_what_has_ended_in_both_is_as_it_should_be(
    status: Status, execution: ExecutionStatus
) -> None:
    assert signs(replace(TASK, status=status), execution) == []


def test_a_cancelled_task_whose_execution_runs_on_is_told() -> None:
    assert signs(replace(TASK, status=Status.CANCELLED), ExecutionStatus.RUNNING) == [Sign.RUNS_ON]


@pytest.mark.parametrize(("age", "found"), [(0, []), (NOT_SEEN_YET, [Sign.ABANDONED])])
def test_an_execution_may_be_too_young_to_be_known(age: float, found: list[Sign]) -> None:
    task = replace(TASK, updated_at=NOW - age)

    assert signs(task, ExecutionStatus.ABSENT) == found


@pytest.mark.promise("R9", "R32")
@pytest.mark.parametrize(
    ("later", "is_over"), [(-1, False), (0, False), (CLOCK_SKEW, False), (CLOCK_SKEW + 1, True)]
)
def test_a_lease_is_expired_when_another_worker_may_take_it(later: float, is_over: bool) -> None:
    """Case A03: seconds against seconds, at the edge."""
    assert is_expired(LEASED, now=NOW + later) is is_over


def test_a_lease_that_was_given_back_or_fulfilled_is_no_finding() -> None:
    released = replace(LEASED, owner=None, leased_until=0.0, error_code="HTTP_503")
    done = replace(LEASED, outcome=Outcome.done())
    expired = replace(LEASED, leased_until=NOW - 60)

    assert signs(TASK, ExecutionStatus.RUNNING, released, done, expired) == [Sign.EXPIRED_LEASE]


def test_an_artifact_that_a_record_names_and_nobody_has_is_missing() -> None:
    named = {"tasks/t/page/b": "FETCH of s1", "tasks/t/text/a": "EXTRACT of s1"}

    (found,) = missing("t", named, stored=["tasks/t/page/b", "tasks/t/page/c"])

    assert found == Finding(
        task_id="t",
        sign=Sign.MISSING_ARTIFACT,
        subject="tasks/t/text/a, which EXTRACT of s1 names",
        advice="Start its request anew: what is lost cannot be made again",
    )


def test_of_a_source_that_was_tried_again_the_last_try_counts() -> None:
    assert last_tries(["a", "b", "b.2", "b.10", "c.3"]) == {"a", "b.10", "c.3"}
