"""`status`, `list`, `report` and the decisions, as they are typed."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import cast

import pytest

from lambdas.agent.costs import Cost, Hold
from lambdas.agent.intents import Intent
from lambdas.agent.invitation import link_of
from tests.console.bench import GONE, PRICING, TOKEN, Bench, published, until_asked
from tests.doors.calling import Caller, content
from tests.fakes.clock import FakeClock
from tests.fakes.story import Story

CALL, COST = Cost(tokens=5_000, micro_usd=20_000), Cost(tokens=1_200, micro_usd=3_100)


@pytest.mark.promise("R24")
def test_status_shows_the_record_the_sources_and_the_question(bench: Bench) -> None:
    story = until_asked(bench.story())

    shown = bench.run("status", task(story)).stdout

    assert shown.startswith(f"{task(story)}\n")
    assert "status     WAITING_FOR_APPROVAL" in shown
    assert "step       APPROVE" in shown
    assert "sources    2: 1 read, 1 set aside" in shown
    assert "approval   r1: waits since " in shown
    assert "report     revision 1, not published" in shown
    assert "states/home?region=eu-west-1#/v2/executions/details/arn:aws:states" in shown
    assert f"set aside  FETCH    {GONE}     HTTP_404: {GONE} is not there" in shown
    assert f"read       ANALYZE  {PRICING}  1 finding" in shown
    assert f"./ratchet approve {task(story)}" in shown


def test_status_tells_the_budget_and_what_models_have_cost(bench: Bench) -> None:
    story = bench.story(budget={"tokens": 9_000, "minutes": 5})
    story.plan()
    known = story.ports.ledger.reserve_paid(task(story), "any", "any", Hold(cost=CALL))
    story.ports.ledger.reserve_paid(task(story), "other", "any", Hold(cost=CALL))
    assert isinstance(known, Intent)
    story.ports.ledger.close(task(story), known, cost=COST, receipt="any")

    shown = bench.run("status", task(story)).stdout
    told = json.loads(bench.run("status", task(story), "--json").stdout)

    assert "budget     9,000 tokens, 5 minutes" in shown
    assert "spent      1,200 tokens, 0.0031 USD, 5,000 tokens, 0.0200 USD held" in shown
    assert (told["spent"], told["held"]) == (asdict(COST), asdict(CALL))
    assert told["record"]["budget"] == "9,000 tokens, 5 minutes"


def test_status_says_nothing_of_cost_where_there_was_none(bench: Bench) -> None:
    shown = bench.run("status", task(until_asked(bench.story()))).stdout

    assert "budget " not in shown
    assert "spent " not in shown


def test_status_of_a_finished_task_asks_nobody(bench: Bench) -> None:
    story = published(bench, bench.story())

    shown = bench.run("status", task(story)).stdout

    assert "status     SUCCEEDED" in shown
    assert "approval   r1: approved by ann at " in shown
    assert "report     s3://artifacts/published/" in shown
    assert "./ratchet approve" not in shown


def test_status_does_not_lie_about_a_run_that_broke_off(bench: Bench) -> None:
    story = until_asked(bench.story())
    bench.ends(story)

    told = json.loads(bench.run("status", task(story), "--json").stdout)

    assert (told["status"], told["record"]["status"]) == ("ABANDONED", "WAITING_FOR_APPROVAL")
    assert told["execution"]["status"] == "ABORTED"


def test_status_fits_a_narrow_terminal(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    story = published(bench, bench.story())

    shown = bench.run("status", task(story)).stdout

    assert max(len(line) for line in shown.splitlines()) <= 60
    assert f"set aside  {GONE}\n           FETCH, HTTP_404: " in shown


@pytest.mark.promise("R33")
def test_nothing_shows_the_task_token(bench: Bench) -> None:
    story = until_asked(bench.story())
    shown = [
        bench.run(*command).output
        for command in (
            ("status", task(story)),
            ("status", task(story), "--json"),
            ("list", "--json"),
            ("approve", task(story), "--json"),
            ("status", task(story), "--json"),
        )
    ]

    assert all(shown)
    assert not any(TOKEN in output for output in shown)


def test_list_shows_the_newest_first_on_one_line_each(bench: Bench) -> None:
    until_asked(bench.story())

    (line,) = bench.run("list").stdout.splitlines()

    assert line.split()[2:] == [
        "WAITING_FOR_APPROVAL",
        *("1", "of", "2", "read"),
        bench_task(bench),
    ]


def test_list_keeps_ids_whole_on_a_narrow_terminal(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    story = until_asked(bench.story())

    first, second = bench.run("list").stdout.splitlines()

    assert first == task(story)
    assert "WAITING_FOR_APPROVAL  1 of 2 read" in second


def test_list_gives_a_program_whole_records(bench: Bench) -> None:
    story = until_asked(bench.story())

    (told,) = json.loads(bench.run("list", "--json").stdout)

    assert told["task_id"] == task(story)
    assert told["execution"] == story.execution
    assert told["schema_version"] == 1


def test_an_empty_list_says_so_beside_it(bench: Bench) -> None:
    result = bench.run("list")

    assert result.stdout.strip() == ""
    assert "There are no tasks in AWS account" in result.stderr


def test_list_goes_page_by_page_as_it_says_and_as_the_api_does(bench: Bench) -> None:
    for number in range(3):
        bench.story(workflow_id=f"acme-{number}").plan()
        cast("FakeClock", bench.world.clock).pass_seconds(1)
    command, query, pages = ["./ratchet", "list", "--limit", "2"], "limit=2", []
    while command:
        result = bench.run(*command[1:], "--json")
        pages.append([each["task_id"] for each in json.loads(result.stdout)])
        told = content(Caller(world=bench.world).calls("GET", "/tasks", query=query))
        assert pages[-1] == [each["task_id"] for each in told["tasks"]]
        said = re.search("next page: `(.*)`", result.stderr)
        command = said[1].split() if said else []
        query = (told["links"]["next"] or "").partition("?")[2]
        assert bool(command) == bool(query)

    assert [len(page) for page in pages] == [2, 1]


def test_list_behind_the_oldest_says_that_there_is_nothing(bench: Bench) -> None:
    story = until_asked(bench.story())

    full = bench.run("list", "--limit", "1")
    result = bench.run("list", "--before", task(story))

    assert f"`./ratchet list --limit 1 --before {task(story)}`" in full.stderr
    assert (result.exit_code, result.stdout.strip()) == (0, "")
    assert f"no tasks older than {task(story)} in AWS account" in result.stderr


def test_list_before_a_task_that_there_is_not_is_refused(bench: Bench) -> None:
    result = bench.run("list", "--before", "nobody")

    assert result.exit_code == 2
    assert "There is no task nobody" in result.stderr


def test_report_prints_its_files_and_nothing_else(bench: Bench) -> None:
    story = published(bench, bench.story())

    result = bench.run("report", task(story))

    folder = bench.out / task(story)
    assert result.stdout.splitlines() == [
        str(folder / name) for name in ("report.html", "report.md", "report.json")
    ]
    assert result.stderr == ""


def test_report_says_that_a_revision_is_not_published(bench: Bench) -> None:
    story = until_asked(bench.story())

    result = bench.run("report", task(story), "--json")

    assert json.loads(result.stdout)["is_published"] is False
    assert "Revision 1 is not published." in result.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("approve", "--note", "good"), "approved by ann at "),
        (("reject", "--note", "no"), "rejected by ann at "),
        (("changes", "--note", "add prices"), "changes requested by ann at "),
    ],
)
def test_a_decision_prints_what_stands(bench: Bench, command: tuple[str, ...], said: str) -> None:
    bench.callbacks.waiting.add(TOKEN)
    story = until_asked(bench.story())

    result = bench.run(command[0], task(story), *command[1:], "--by", "ann")

    assert result.exit_code == 0
    assert result.stdout.startswith(said)
    assert result.stderr == ""


def test_a_second_decision_is_told_the_first_and_is_no_failure(bench: Bench) -> None:
    story = until_asked(bench.story())
    bench.run("approve", task(story), "--by", "ann")

    result = bench.run("reject", task(story), "--note", "no", "--by", "bob")

    assert result.exit_code == 0
    assert result.stdout.startswith("already decided: approved by ann at ")


def test_a_decision_that_no_run_has_heard_says_so(bench: Bench) -> None:
    story = until_asked(bench.story())

    result = bench.run("approve", task(story))

    assert result.exit_code == 0
    assert "no run was waiting to hear it" in result.stderr


def test_a_decision_too_early_is_refused(bench: Bench) -> None:
    story = bench.story()
    story.plan()

    result = bench.run("approve", task(story))

    assert result.exit_code == 1
    assert "waits for nobody's decision" in result.stderr


@pytest.mark.parametrize("command", ["reject", "changes"])
def test_a_no_needs_its_reason(bench: Bench, command: str) -> None:
    story = until_asked(bench.story())

    assert bench.run(command, task(story)).exit_code == 2
    assert bench.run(command, task(story), "--note", "  ").exit_code == 2
    assert bench.functions.told == []


def test_more_time_is_asked_for_and_told(bench: Bench) -> None:
    bench.callbacks.waiting.add(TOKEN)
    story = until_asked(bench.story())

    result = bench.run("more-time", task(story), "--by", "ann")

    assert result.exit_code == 0
    assert result.stdout.startswith("more time by ann at ")
    assert [told["decision"] for _, told in bench.callbacks.woken] == ["MORE_TIME"]


def test_the_link_of_an_approval_leads_to_it(bench: Bench) -> None:
    story = until_asked(bench.story())
    address = bench.run("link", task(story)).stdout.strip()

    before, _, id_ = address.rpartition("/")
    assert before == "https://ratchet.example/approvals"
    assert story.ports.invitations.find(link_of(id_)) == (task(story), "r1")


def test_there_is_no_link_to_what_was_decided(bench: Bench) -> None:
    story = until_asked(bench.story())
    bench.run("approve", task(story))

    result = bench.run("link", task(story))

    assert result.exit_code == 1
    assert "waits for nobody's decision" in result.stderr


@pytest.mark.parametrize("command", ["status", "report", "approve", "link", "more-time"])
def test_an_unknown_task_is_bad_input(bench: Bench, command: str) -> None:
    result = bench.run(command, "nobody")

    assert result.exit_code == 2
    assert "`./ratchet list` shows those there are" in result.stderr


def task(story: Story) -> str:
    found: str = story.state["task_id"]
    return found


def bench_task(bench: Bench) -> str:
    (told,) = json.loads(bench.run("list", "--json").stdout)
    found: str = told["task_id"]
    return found
