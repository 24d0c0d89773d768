"""Histories: events become states, with what went wrong in them."""

from __future__ import annotations

import pytest

from console.visits import Trouble, Visit, message_of, visits
from console.words import word
from lambdas.agent.contract import Step
from lambdas.agent.tally import Tally
from tests.console.history import broke, entered, left, raised, timed

FAILED = {"failure": {"Error": "CoverageTooLow", "Cause": raised("1 of 9 read", "CoverageTooLow")}}
ANY_TALLY = Tally(passed={Step.ANALYZE: 7, Step.SET_ASIDE: 2})


def test_a_state_is_entered_and_left() -> None:
    (plan,) = visits(timed(entered("PLAN"), left("PLAN", output={"sources": 3})))

    assert (plan.state, plan.kind) == ("PLAN", "Task")
    assert plan.left
    assert (plan.left - plan.entered).total_seconds() == 1
    assert word(plan, ANY_TALLY) == "3 sources"


def test_a_state_that_nobody_left_was_broken_off() -> None:
    (approve,) = visits(timed(entered("APPROVE")))

    assert approve.left is None
    assert word(approve, ANY_TALLY) == "broken off"


@pytest.mark.parametrize("kind", ["TaskFailed", "LambdaFunctionFailed", "LambdaFunctionTimedOut"])
def test_a_retried_state_tells_how_often_it_was_tried(kind: str) -> None:
    (report,) = visits(
        timed(
            entered("REPORT"),
            {"type": "LambdaFunctionScheduled", "lambdaFunctionScheduledEventDetails": {}},
            broke(kind, "ServiceUnavailable", raised("S3 is slow", "ServiceUnavailable")),
            left("REPORT", output={"report": {"revision": 1, "statements": 5}}),
        )
    )

    assert report.troubles == (Trouble(error="ServiceUnavailable", message="S3 is slow"),)
    assert word(report, ANY_TALLY) == "revision 1, 5 statements, tried 2 times"


def test_a_caught_failure_belongs_to_the_state_it_was_caught_from() -> None:
    validate, recording = visits(
        timed(
            entered("VALIDATE"),
            broke("TaskFailed", "CoverageTooLow"),
            left("VALIDATE", output=FAILED),
            entered("RECORD_FAILURE", told=FAILED),
            left("RECORD_FAILURE", output=FAILED),
        )
    )

    assert validate.failure == Trouble(error="CoverageTooLow", message="1 of 9 read")
    assert word(validate, ANY_TALLY) == "failed with CoverageTooLow"
    assert recording.failure is None
    assert word(recording, ANY_TALLY) == "the failure is recorded"


def test_a_fail_state_tells_the_executions_error() -> None:
    (failed,) = visits(
        timed(
            entered("INVALID_REQUEST", "Fail"),
            broke("ExecutionFailed", "InvalidRequest", raised("2 faults", "InvalidRequest")),
        )
    )

    assert failed.troubles == (Trouble(error="InvalidRequest", message="2 faults"),)
    assert word(failed, ANY_TALLY) == "InvalidRequest"


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (raised("2 faults", "InvalidRequest"), "2 faults"),
        ("no such path", "no such path"),
        ('{"other": "shape"}', '{"other": "shape"}'),
        ("", ""),
    ],
)
def test_a_cause_is_told_by_its_sentence_or_as_it_is(cause: str, message: str) -> None:
    assert message_of(cause) == message


def test_an_approval_that_nobody_gave_has_expired() -> None:
    expired = {"failure": {"Error": "States.Timeout", "Cause": ""}}
    (approve,) = visits(timed(entered("APPROVE"), left("APPROVE", output=expired)))

    assert word(approve, ANY_TALLY) == "nobody answered in time"


@pytest.mark.parametrize(
    ("state", "output", "said"),
    [
        ("PLAN", {"begin": False, "stands": "SUCCEEDED"}, "known already: SUCCEEDED"),
        ("PLAN", {"progress": "PENDING", "wait_seconds": 10}, "goes on"),
        ("PLAN", {"sources": 9, "left": 9}, "9 sources"),
        ("PLAN", {"sources": 9, "left": 2}, "2 of 9 sources left to read"),
        (
            "PLAN",
            {"sources": 9, "left": 2, "baseline": "any", "run": 1},
            "9 sources, 7 as they were",
        ),
        (
            "PLAN",
            {"sources": 9, "left": 2, "baseline": "any", "run": 2},
            "2 of 9 sources left to read",
        ),
        (
            "REPORT",
            {"report": {"revision": 1, "statements": 4, "changed": False}},
            "revision 1, 4 statements, nothing has changed",
        ),
        ("EACH_SOURCE", {}, "7 read, 2 set aside"),
        ("VALIDATE", {"validated": {"progress": "CONTINUE"}}, "goes on"),
        ("REPORT", {"report": {"progress": "CONTINUE", "revision": 0}}, "goes on"),
        ("VALIDATE", {"validated": {"read": 7, "sources": 9}}, "7 of 9 sources stand"),
        ("APPROVE", {"answer": {"decision": "APPROVED"}}, "approved"),
        ("APPROVE", {"answer": {"decision": "CHANGES_REQUESTED"}}, "changes requested"),
        ("PUBLISH", {}, "published"),
        ("COMPLETE", {}, "the record is closed"),
        ("SOME_NEW_STATE", {"report": 1}, ""),
    ],
)
def test_each_state_has_its_word(state: str, output: dict[str, object], said: str) -> None:
    (visit,) = visits(timed(entered(state), left(state, output=output)))

    assert word(visit, ANY_TALLY) == said


def test_events_that_concern_no_state_are_passed_over() -> None:
    started = {"type": "ExecutionStarted", "executionStartedEventDetails": {"input": "{}"}}
    aborted: dict[str, object] = {"type": "ExecutionAborted"}

    assert visits(timed(started, aborted)) == []


def test_output_that_was_too_long_for_the_history_says_nothing() -> None:
    event = {"type": "TaskStateExited", "stateExitedEventDetails": {"name": "PLAN"}}

    (plan,) = visits(timed(entered("PLAN"), event))

    assert isinstance(plan, Visit)
    assert plan.output == {}
