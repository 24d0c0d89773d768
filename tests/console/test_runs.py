"""`start` and `watch`, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from console.account import Account
from console.app import app
from console.desk import Desk
from console.errors import Refused
from tests.console.bench import Bench, a_request, published, read_what_there_is, until_asked
from tests.fakes.story import Story


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "request.json", a_request())


@pytest.mark.promise("R27")
def test_start_answers_at_once_and_tells_how_to_follow(bench: Bench, file: Path) -> None:
    result = bench.run("start", str(file))

    assert result.exit_code == 0
    assert "Started competitor-monitor-acme-1-" in result.stderr
    assert "in AWS account 123456789012 in eu-west-1." in result.stderr
    assert result.stdout.startswith("Follow it with `./ratchet watch competitor-monitor-acme-1-")


def test_start_tells_a_program_the_task_and_nothing_else(bench: Bench, file: Path) -> None:
    result = bench.run("start", str(file), "--json")

    assert json.loads(result.stdout)["status"] == "PENDING"
    assert json.loads(result.stdout)["task_id"].startswith("competitor-monitor-acme-1-")


def test_start_takes_a_request_from_standard_input(bench: Bench, file: Path) -> None:
    piped = bench.run("start", "-", "--json", typed=file.read_text())

    assert piped.exit_code == 0
    assert (
        json.loads(piped.stdout)["task_id"]
        == json.loads(bench.run("start", str(file), "--json").stdout)["task_id"]
    )


def test_what_is_piped_in_and_is_no_json_is_refused(bench: Bench) -> None:
    result = bench.run("start", "-", typed="{")

    assert result.exit_code == 2
    assert "Standard input is not JSON in UTF-8" in result.stderr


def test_start_lists_the_faults_and_starts_nothing(bench: Bench, tmp_path: Path) -> None:
    result = bench.run("start", str(written(tmp_path / "bad.json", {"agent_id": 7})))

    assert result.exit_code == 2
    assert "- agent_id: must be a string" in result.stderr
    assert "- sources: is missing" in result.stderr
    assert result.stdout == ""
    assert executions(bench) == []


def test_faults_are_told_where_there_is_no_account_at_all(tmp_path: Path) -> None:
    def nowhere() -> Account:
        raise Refused("no sandbox, no credentials")

    file = written(tmp_path / "bad.json", {"agent_id": 7})
    result = CliRunner().invoke(app, ["start", str(file)], obj=Desk(find=nowhere))

    assert result.exit_code == 2
    assert "- agent_id: must be a string" in result.stderr


def test_start_refuses_the_sample_site_outside_of_the_sandbox(bench: Bench, tmp_path: Path) -> None:
    file = written(tmp_path / "site.json", a_request(sources=[{"url": "{site}/acme/"}]))

    result = bench.run("start", str(file))

    assert result.exit_code == 2
    assert "no sandbox is running" in result.stderr


def test_start_puts_the_sandboxs_site_into_the_request(
    sandbox_bench: Bench, tmp_path: Path
) -> None:
    file = written(tmp_path / "site.json", a_request(sources=[{"url": "{site}/acme/"}]))

    result = sandbox_bench.run("start", str(file))

    assert result.exit_code == 0
    assert "in the sandbox." in result.stderr
    assert inputs(sandbox_bench)[0]["sources"] == [{"url": "http://127.0.0.1:8477/acme/"}]


def test_start_shows_the_report_of_a_task_that_is_done(bench: Bench, file: Path) -> None:
    story = published(bench, bench.story())

    result = bench.run("start", str(file), "--follow")

    assert result.exit_code == 0
    assert "was started before" in result.stderr
    assert result.stdout.startswith("SUCCEEDED in ")
    assert f"  {bench.out / story.state['task_id'] / 'report.html'}\n" in result.stdout
    assert (bench.out / story.state["task_id"] / "report.html").exists()


def test_start_anew_starts_a_task_of_its_own(bench: Bench, file: Path) -> None:
    published(bench, bench.story())

    bench.run("start", str(file), "--fresh")

    assert len(executions(bench)) == 2
    assert inputs(bench)[0]["workflow_id"].startswith("acme-1-2")


def test_start_says_why_a_task_failed_and_what_to_do(bench: Bench, file: Path) -> None:
    story = bench.story()
    story.plan()
    story.record_failure("CoverageTooLow", json.dumps({"errorMessage": "0 of 2 sources read"}))
    bench.ends(story)

    result = bench.run("start", str(file))

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1] == "COVERAGE_TOO_LOW: 0 of 2 sources read"
    assert "Go on: `./ratchet resume " in result.stdout


def test_start_does_not_claim_that_a_broken_off_run_goes_on(bench: Bench, file: Path) -> None:
    bench.ends(until_asked(bench.story()))

    result = bench.run("start", str(file), "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["status"] == "ABANDONED"
    assert json.loads(result.stdout)["why"] == "its execution has ended: ABORTED"


def test_start_refuses_another_request_of_the_same_name(bench: Bench, tmp_path: Path) -> None:
    until_asked(bench.story())

    result = bench.run("start", str(written(tmp_path / "other.json", a_request(coverage=0.1))))

    assert result.exit_code == 1
    assert "add --fresh" in result.stderr


def test_yes_shows_the_question_and_answers_it(bench: Bench, file: Path) -> None:
    story = until_asked(bench.story())
    bench.pause = one_after_the_other(bench, story)

    result = bench.run("start", str(file), "--yes", "--by", "ann")

    assert result.exit_code == 0
    assert "approval asked: revision 1" in result.stdout
    assert "approved by ann at " in result.stdout
    assert "SUCCEEDED in " in result.stdout


def test_where_nobody_sits_the_way_to_answer_is_told(bench: Bench, file: Path) -> None:
    story = until_asked(bench.story())

    def approved_elsewhere(_: float) -> None:
        bench.run("approve", story.state["task_id"])
        one_after_the_other(bench, story)(0)

    bench.pause = approved_elsewhere

    result = bench.run("start", str(file), "--follow")

    assert result.exit_code == 0
    assert f"./ratchet approve {story.state['task_id']}" in result.stderr
    assert "SUCCEEDED in " in result.stdout


def test_following_with_json_keeps_the_story_off_stdout(bench: Bench, file: Path) -> None:
    story = until_asked(bench.story())
    bench.pause = one_after_the_other(bench, story)

    result = bench.run("start", str(file), "--yes", "--json")

    told = json.loads(result.stdout)
    assert told["status"] == "SUCCEEDED"
    assert [Path(name).name for name in told["files"]] == [
        "report.html",
        "report.md",
        "report.json",
    ]
    assert "approval asked" in result.stderr


@pytest.mark.parametrize("command", ["start", "watch"])
def test_leaving_a_run_says_that_it_goes_on(bench: Bench, file: Path, command: str) -> None:
    story = until_asked(bench.story())
    bench.pause = ctrl_c
    what = [str(file), "--follow"] if command == "start" else [story.state["task_id"]]

    result = bench.run(command, *what)

    assert result.exit_code == 130
    assert f"Come back with `./ratchet watch {story.state['task_id']}`" in result.stderr


def test_watch_tells_how_a_run_ended(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    read_what_there_is(story)
    story.record_failure("CoverageTooLow", json.dumps({"errorMessage": "1 of 2 sources read"}))
    bench.ends(story)

    result = bench.run("watch", story.state["task_id"])

    assert result.exit_code == 1
    assert "COVERAGE_TOO_LOW: 1 of 2 sources read" in result.stdout
    assert "\x1b" not in result.stdout


def test_watch_gives_a_program_one_object_a_line(bench: Bench) -> None:
    story = published(bench, bench.story())

    result = bench.run("watch", story.state["task_id"], "--json")

    *states, end = [json.loads(line) for line in result.stdout.splitlines()]
    assert [state["state"] for state in states] == ["A State"]  # moto's history, whatever was run
    assert end["status"] == "SUCCEEDED"


def test_watch_follows_a_run_that_has_no_record_yet(bench: Bench) -> None:
    story = bench.story()
    task = story.execution.removesuffix("-r1")
    bench.pause = lambda _: bench.ends(story)

    result = bench.run("watch", task)

    assert result.exit_code == 1
    assert "ABORTED" in result.stdout


def test_watch_does_not_know_every_task(bench: Bench) -> None:
    result = bench.run("watch", "nobody")

    assert result.exit_code == 2
    assert "There is no task nobody" in result.stderr


def one_after_the_other(bench: Bench, story: Story) -> Callable[[float], None]:
    def world(_: float) -> None:
        story.publish()
        story.complete()
        bench.ends(story)

    return world


def ctrl_c(_: float) -> None:
    raise KeyboardInterrupt


def written(file: Path, content: dict[str, Any]) -> Path:
    file.write_text(json.dumps(content))
    return file


def executions(bench: Bench) -> list[str]:
    machine = bench.account.resources.state_machine
    found = bench.account.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    return [execution["executionArn"] for execution in found]


def inputs(bench: Bench) -> list[dict[str, Any]]:
    """The newest first."""
    states = bench.account.stepfunctions
    return [
        json.loads(states.describe_execution(executionArn=arn)["input"])
        for arn in executions(bench)
    ]
