"""POST cancel and resume: recorded first, done second, and healed by doing it again."""

from __future__ import annotations

import pytest

from lambdas.agent.contract import Status
from lambdas.agent.tasks import ExecutionStatus
from tests.doors.calling import FIRST, SECOND, TASK, Caller, content, problem
from tests.doors.http import Answer
from tests.fakes.world import World

CANCEL, RESUME = f"/tasks/{TASK}/cancel", f"/tasks/{TASK}/resume"


@pytest.fixture
def caller(world: World) -> Caller:
    return Caller(world=world)


def cancels(caller: Caller) -> Answer:
    return caller.calls("POST", CANCEL, caller="arn:aws:iam::111122223333:user/ann")


def resumes(caller: Caller, body: object = None) -> Answer:
    return caller.calls("POST", RESUME, body)


class TestCancelling:
    @pytest.mark.promise("R15", "R24")
    def test_the_record_is_cancelled_and_the_execution_stopped(self, caller: Caller) -> None:
        caller.tells_until("READ")

        told = content(cancels(caller))

        assert told == {
            "task_id": TASK,
            "status": "CANCELLED",
            "run": 1,
            "already": False,
            "links": {"self": f"../{TASK}"},
        }
        assert caller.record.status is Status.CANCELLED
        assert caller.executions.standing[FIRST] is ExecutionStatus.ABORTED

    @pytest.mark.promise("R10")
    def test_once_more_changes_nothing(self, caller: Caller) -> None:
        caller.tells_until("READ")
        cancels(caller)
        before = caller.record

        assert content(cancels(caller))["already"]
        assert caller.record == before

    @pytest.mark.promise("R10", "R13")
    def test_where_the_stop_failed_the_next_call_makes_up_for_it(self, caller: Caller) -> None:
        caller.tells_until("READ")
        caller.executions.refuses = {"stop"}

        answer = cancels(caller)

        problem(answer, 503)
        assert answer.headers["retry-after"]
        assert caller.record.status is Status.CANCELLED
        assert caller.executions.standing[FIRST] is ExecutionStatus.RUNNING
        caller.executions.refuses = set()
        assert content(cancels(caller))["already"]
        assert caller.executions.standing[FIRST] is ExecutionStatus.ABORTED

    @pytest.mark.promise("R15")
    def test_what_has_ended_stays_as_it_ended(self, caller: Caller) -> None:
        caller.tells_until("COMPLETE").complete()

        told = problem(cancels(caller), 409)

        assert "SUCCEEDED" in told["detail"]
        assert caller.record.status is Status.SUCCEEDED

    def test_what_is_not_written_down_yet_can_be_called_off_in_a_moment(
        self, caller: Caller
    ) -> None:
        caller.starts()

        assert "in a moment" in problem(cancels(caller), 409)["detail"]
        assert caller.executions.standing[FIRST] is ExecutionStatus.RUNNING


class TestResuming:
    @pytest.mark.promise("R24")
    def test_a_task_that_failed_goes_on_in_the_next_run(self, caller: Caller) -> None:
        caller.tells_until("READ").record_failure("Unexpected")
        caller.ends(ExecutionStatus.FAILED)

        answer = resumes(caller)

        assert answer.status == 202
        told = content(answer)
        assert (told["status"], told["run"], told["already"]) == ("PENDING", 2, False)
        assert caller.executions.told[SECOND] == {
            "resume": {"task_id": TASK, "run": 2, "retry_set_aside": False}
        }

    @pytest.mark.promise("R24", "R28")
    def test_a_second_one_finds_the_run_that_the_first_has_started(self, caller: Caller) -> None:
        caller.tells_until("READ")
        caller.ends()
        resumes(caller)

        assert content(resumes(caller))["already"]
        assert list(caller.executions.told) == [SECOND]

    @pytest.mark.parametrize(
        ("body", "again"),
        [("", False), ({}, False), ({"retry_set_aside": True}, True)],
    )
    def test_what_was_set_aside_is_tried_again_where_that_is_asked(
        self, caller: Caller, body: object, again: bool
    ) -> None:
        caller.tells_until("READ")
        caller.ends()

        content(resumes(caller, body))

        assert caller.executions.told[SECOND]["resume"]["retry_set_aside"] is again

    @pytest.mark.parametrize(
        ("body", "fields"),
        [({"retry_set_aside": "yes"}, ["retry_set_aside"]), ({"run": 3, "a": 1}, ["a", "run"])],
    )
    def test_what_a_resumption_does_not_know_is_a_fault(
        self, caller: Caller, body: object, fields: list[str]
    ) -> None:
        caller.tells_until("READ")
        caller.ends()

        told = problem(resumes(caller, body), 422)

        assert [each["field"] for each in told["faults"]] == fields
        assert caller.executions.told == {}

    def test_a_run_that_is_under_way_is_left_alone(self, caller: Caller) -> None:
        caller.tells_until("READ")

        assert "under way in run 1" in problem(resumes(caller), 409)["detail"]
        assert caller.executions.told == {}

    @pytest.mark.promise("R15")
    def test_what_has_ended_for_good_does_not_go_on(self, caller: Caller) -> None:
        caller.tells_until("READ")
        cancels(caller)

        assert "CANCELLED" in problem(resumes(caller), 409)["detail"]

    def test_where_every_run_ends_before_it_begins_it_says_so(self, caller: Caller) -> None:
        caller.tells_until("READ")
        caller.ends()
        for run in range(2, 40):
            caller.ends(name=FIRST.replace("-r1", f"-r{run}"))

        assert "ended before it had begun" in problem(resumes(caller), 409)["detail"]

    @pytest.mark.promise("R10", "R21")
    def test_step_functions_down_is_told_as_passing_and_the_next_call_goes_on(
        self, caller: Caller
    ) -> None:
        caller.tells_until("READ")
        caller.ends()
        caller.executions.refuses = {"start"}
        problem(resumes(caller), 503)

        caller.executions.refuses = set()
        assert content(resumes(caller))["already"] is False
