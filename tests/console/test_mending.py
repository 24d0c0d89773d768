"""`resume`, `cancel` and `doctor`, as they are typed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from console.begin import begin
from console.errors import ConsoleError
from console.requests import prepare
from console.resuming import resume
from lambdas.agent.contract import Status
from tests.console.bench import (
    GONE,
    PAGES,
    PRICING,
    Bench,
    a_request,
    manifest,
    published,
    read_what_there_is,
    until_asked,
)
from tests.fakes.story import Story


def abandoned(bench: Bench) -> Story:
    """A run that waits for an answer, and whose execution was stopped."""
    story = until_asked(bench.story())
    bench.ends(story)
    return story


def names(bench: Bench) -> list[str]:
    machine = bench.account.resources.state_machine
    found = bench.account.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    return sorted(each["name"] for each in found)


def task_id(story: Story) -> str:
    return str(story.state["task_id"])


class TestResume:
    @pytest.mark.promise("R24")
    def test_it_starts_the_next_run_and_tells_how_to_follow(self, bench: Bench) -> None:
        story = abandoned(bench)

        result = bench.run("resume", task_id(story))

        assert result.exit_code == 0
        assert result.stderr == f"Resumed as {task_id(story)}-r2.\n"
        assert result.stdout == f"Follow it with `./ratchet watch {task_id(story)}`.\n"
        assert names(bench) == [f"{task_id(story)}-r1", f"{task_id(story)}-r2"]

    def test_it_follows_the_run_to_its_end(self, bench: Bench) -> None:
        story = abandoned(bench)
        told = {"resume": {"task_id": task_id(story), "run": 2}}
        second = Story(ports=bench.world, request=told, execution=f"{task_id(story)}-r2")
        bench.pause = lambda _: published(bench, second)

        result = bench.run("resume", task_id(story), "--yes")

        assert result.exit_code == 0
        assert "SUCCEEDED in " in result.stdout
        assert "approval asked" not in result.stdout, "what the run before had asked is over"

    @pytest.mark.promise("R28")
    def test_a_second_one_says_that_it_was_resumed_before(self, bench: Bench) -> None:
        story = abandoned(bench)
        bench.run("resume", task_id(story))

        result = bench.run("resume", task_id(story))

        assert result.exit_code == 0
        assert result.stderr == f"It was resumed before: {task_id(story)}-r2.\n"
        assert len(names(bench)) == 2

    @pytest.mark.promise("R28")
    def test_many_at_once_start_one_execution(self, bench: Bench) -> None:
        story = abandoned(bench)

        with ThreadPoolExecutor(8) as pool:
            begun = list(pool.map(lambda _: resume(bench.account, task_id(story)), range(8)))

        assert {each.name for each in begun} == {f"{task_id(story)}-r2"}
        assert len(names(bench)) == 2

    @pytest.mark.promise("R28")
    def test_many_starts_at_once_start_one_execution(self, bench: Bench) -> None:
        prepared = prepare(a_request(), site="")

        with ThreadPoolExecutor(8) as pool:
            begun = list(pool.map(lambda _: begin(bench.account, prepared), range(8)))

        assert {each.name for each in begun} == set(names(bench)) == {f"{prepared.task_id}-r1"}

    def test_what_was_set_aside_is_tried_again_where_that_is_asked_for(self, bench: Bench) -> None:
        story = abandoned(bench)

        bench.run("resume", task_id(story), "--retry-set-aside")

        machine = bench.account.resources.state_machine.replace(":stateMachine:", ":execution:")
        found = bench.account.stepfunctions.describe_execution(
            executionArn=f"{machine}:{task_id(story)}-r2"
        )
        assert json.loads(found["input"]) == {
            "resume": {"task_id": task_id(story), "run": 2, "retry_set_aside": True}
        }

    @pytest.mark.promise("R28")
    def test_a_run_that_is_under_way_is_not_resumed(self, bench: Bench) -> None:
        story = until_asked(bench.story())

        result = bench.run("resume", task_id(story))

        assert result.exit_code == 1
        assert "is under way in run 1" in result.stderr
        assert len(names(bench)) == 1

    @pytest.mark.promise("R15")
    def test_what_has_ended_well_is_not_resumed(self, bench: Bench) -> None:
        story = published(bench, bench.story())

        result = bench.run("resume", task_id(story))

        assert result.exit_code == 1
        assert "has ended as SUCCEEDED, and stays so" in result.stderr
        assert len(names(bench)) == 1

    def test_status_and_watch_say_that_an_abandoned_run_can_be_resumed(self, bench: Bench) -> None:
        story = abandoned(bench)

        status = bench.run("status", task_id(story))
        assert f"  ./ratchet resume {task_id(story)}\n" in status.stdout
        watched = bench.run("watch", task_id(story))
        assert f"Go on: `./ratchet resume {task_id(story)}`." in watched.stdout
        assert watched.exit_code == 1

    def test_too_few_sources_are_to_be_tried_again(self, bench: Bench) -> None:
        story = bench.story(coverage=1.0)
        story.plan()
        read_what_there_is(story)
        with pytest.raises(Exception, match="retry-set-aside"):
            story.validate()
        story.record_failure("CoverageTooLow")
        bench.ends(story)

        said = bench.run("status", task_id(story)).stdout

        assert f"  ./ratchet resume {task_id(story)} --retry-set-aside\n" in said

    def test_a_source_that_is_read_at_the_second_try_is_shown_as_read(self, bench: Bench) -> None:
        story = abandoned(bench)
        told = {"resume": {"task_id": task_id(story), "run": 2, "retry_set_aside": True}}
        second = Story(ports=bench.world, request=told, execution="any-r2")
        second.plan()
        bench.world.fetcher.pages[GONE] = PAGES[PRICING]  # type: ignore[attr-defined]  # the fake's
        (source,) = manifest(second)
        second.read(source["item"], source["url"])

        found = json.loads(bench.run("status", task_id(story), "--json").stdout)

        assert [each["state"] for each in found["sources"]] == ["read", "read"]


class TestCancel:
    @pytest.mark.promise("R15", "R24")
    def test_it_ends_the_record_and_stops_the_execution(self, bench: Bench) -> None:
        story = until_asked(bench.story())

        result = bench.run("cancel", task_id(story), "--by", "ann")

        assert result.exit_code == 0
        assert result.stdout == f"Cancelled {task_id(story)} and stopped its execution.\n"
        task = bench.world.ledger.task(task_id(story))
        assert task
        assert task.status is Status.CANCELLED
        machine = bench.account.resources.state_machine.replace(":stateMachine:", ":execution:")
        found = bench.account.stepfunctions.describe_execution(
            executionArn=f"{machine}:{story.execution}"
        )
        assert found["status"] == "ABORTED"

    def test_what_was_called_off_before_there_was_a_report_names_none(self, bench: Bench) -> None:
        story = bench.story()
        story.plan()
        bench.run("cancel", task_id(story))

        result = bench.run("watch", task_id(story))

        assert result.exit_code == 0
        assert "CANCELLED" in result.stdout
        assert "report" not in result.stdout

    def test_a_second_one_has_nothing_to_stop(self, bench: Bench) -> None:
        story = until_asked(bench.story())
        bench.run("cancel", task_id(story))

        result = bench.run("cancel", task_id(story))

        assert result.exit_code == 0
        assert "before; its execution was over" in result.stdout

    def test_a_program_is_told_what_was_done(self, bench: Bench) -> None:
        task = task_id(until_asked(bench.story()))

        told = [json.loads(bench.run("cancel", task, "--json").stdout) for _ in range(2)]

        done = {"task_id": task, "status": "CANCELLED"}
        assert told == [
            {**done, "already": False, "stopped": True},
            {**done, "already": True, "stopped": False},
        ]

    def test_what_has_ended_says_how(self, bench: Bench) -> None:
        story = published(bench, bench.story())

        result = bench.run("cancel", task_id(story))

        assert result.exit_code == 1
        assert "has ended as SUCCEEDED: there is nothing to stop" in result.stderr

    @pytest.mark.promise("R15")
    def test_what_was_called_off_is_not_resumed_or_decided_on(self, bench: Bench) -> None:
        story = until_asked(bench.story())
        bench.run("cancel", task_id(story))

        assert "has ended as CANCELLED" in bench.run("resume", task_id(story)).stderr
        assert "stands as CANCELLED" in bench.run("approve", task_id(story)).stderr


class TestDoctor:
    def test_a_run_as_it_should_be_is_sound(self, bench: Bench) -> None:
        story = until_asked(bench.story())

        result = bench.run("doctor", task_id(story))

        assert result.exit_code == 0
        assert "WAITING_FOR_APPROVAL in run 1" in result.stdout
        assert ", 0 without a record" in result.stdout
        assert "findings   none" in result.stdout

    @pytest.mark.promise("R24", "R32")
    def test_an_abandoned_run_is_found_with_what_to_do(self, bench: Bench) -> None:
        story = abandoned(bench)
        other = bench.story(workflow_id="other")
        until_asked(other)

        result = bench.run("doctor", "--json")

        assert result.exit_code == 1
        found = {each["task_id"]: each for each in json.loads(result.stdout)}
        assert found[task_id(other)]["is_sound"]
        assert not found[task_id(story)]["is_sound"]
        (finding,) = found[task_id(story)]["findings"]
        assert finding["sign"] == "ABANDONED"
        assert finding["advice"] == f"Go on with `./ratchet resume {task_id(story)}`"

    def test_lost_and_unrecorded_artifacts_are_found(self, bench: Bench) -> None:
        story = until_asked(bench.story())
        bench.account.s3.delete_object(Bucket="artifacts", Key=story.state["report"]["ref"])
        bench.world.artifacts.put(task_id(story), "page", b"nobody's")

        result = bench.run("doctor", task_id(story))

        assert result.exit_code == 1
        assert f"MISSING_ARTIFACT: {story.state['report']['ref']}" in result.stdout
        # The lost list named three files, which nobody names now.
        assert ", 4 without a record" in result.stdout

    def test_where_nothing_is_under_way_it_says_so(self, bench: Bench) -> None:
        published(bench, bench.story())

        result = bench.run("doctor")

        assert result.exit_code == 0
        assert "No task is under way" in result.stderr

    def test_a_task_that_is_not_there_is_refused(self, bench: Bench) -> None:
        assert bench.run("doctor", "nobody").exit_code == 2


def test_resuming_what_is_not_there_is_refused(bench: Bench) -> None:
    with pytest.raises(ConsoleError, match="There is no task nobody"):
        resume(bench.account, "nobody")
