"""GET below /tasks: where a task stands, the list of all, and the links of a report."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

import pytest

from lambdas.agent.checkup import NOT_SEEN_YET
from lambdas.agent.contract import Status, Step
from lambdas.agent.costs import Cost, Hold
from lambdas.agent.identity import execution_name
from lambdas.agent.tasks import ExecutionStatus, Move, NewTask
from lambdas.doors.api import LINK_SECONDS
from tests.doors.calling import FIRST, SECOND, TASK, Caller, content, problem
from tests.fakes.clock import FakeClock
from tests.fakes.world import World
from tests.steps.conftest import sources_of

ASKED_AT = f"https://api.example/any/prefix/tasks/{TASK}"


@pytest.fixture
def caller(world: World) -> Caller:
    return Caller(world=world)


def accept(world: World, clock: FakeClock, *names: str) -> None:
    for name in names:
        clock.pass_seconds(1)
        execution = execution_name(name, 1)
        new = NewTask(
            task_id=name, agent_id="a", workflow_id=name, input_id="i", execution=execution
        )
        world.ledger.accept(new)
        Caller(world=world).executions.standing[execution] = ExecutionStatus.RUNNING


class TestOneTask:
    @pytest.mark.promise("R2", "R27")
    def test_it_tells_where_the_run_stands(self, caller: Caller) -> None:
        caller.tells_until("APPROVE").approve()

        seen = caller.sees()

        assert {name: seen[name] for name in ("status", "step", "progress", "run", "revision")} == {
            "status": "WAITING_FOR_APPROVAL",
            "step": "APPROVE",
            "progress": {"sources": 2, "read": 2, "set_aside": 0},
            "run": 1,
            "revision": 1,
        }
        assert (seen["agent_id"], seen["workflow_id"]) == ("competitor-monitor", "acme-1")
        assert seen["error"] is None
        assert seen["created_at"] <= seen["updated_at"]
        assert urljoin(ASKED_AT, seen["links"]["self"]) == ASKED_AT
        assert urljoin(ASKED_AT, seen["links"]["report"]) == f"{ASKED_AT}/report"
        assert urljoin(ASKED_AT, seen["links"]["cancel"]) == f"{ASKED_AT}/cancel"
        assert "resume" not in seen["links"]

    def test_while_sources_are_read_they_are_counted(self, caller: Caller) -> None:
        story = caller.tells_until("READ")
        first, second = sources_of(story)
        story.read(first["item"], first["url"])
        assert caller.sees()["progress"] == {"sources": 2, "read": 1, "set_aside": 0}

        story.set_aside(second["item"], {"Error": "SourceRefused", "Cause": "{}"})
        assert caller.sees()["progress"] == {"sources": 2, "read": 1, "set_aside": 1}

        story.validate()
        assert caller.sees()["progress"] == {"sources": 2, "read": 1, "set_aside": 1}

    def test_a_run_that_failed_before_its_sources_were_counted_tells_what_was_read(
        self, caller: Caller
    ) -> None:
        story = caller.tells_until("READ")
        first, *_ = sources_of(story)
        story.read(first["item"], first["url"])
        story.record_failure("CoverageTooLow", "{}")

        seen = caller.sees()

        assert (seen["status"], seen["error"]["code"]) == ("FAILED", "COVERAGE_TOO_LOW")
        assert seen["progress"] == {"sources": 2, "read": 1, "set_aside": 0}
        assert {"resume"} == seen["links"].keys() - {"self"}

    @pytest.mark.promise("R35")
    def test_it_tells_what_models_have_cost_and_what_is_held_for_them(self, caller: Caller) -> None:
        caller.tells_until("READ")
        ledger = caller.world.ledger
        for key, tokens in (("paid", 30), ("held", 7)):
            ledger.reserve_paid(TASK, key, "model", Hold(cost=Cost(tokens=tokens, micro_usd=500)))
        paid = next(each for each in ledger.held(TASK) if each.key == "paid")
        ledger.close(TASK, paid, cost=Cost(tokens=20, micro_usd=1_250_000))

        assert caller.sees()["cost"] == {
            "spent": {"tokens": 20, "usd": 1.25},
            "held": {"tokens": 7, "usd": 0.0005},
        }

    @pytest.mark.promise("R9", "R32")
    def test_a_run_whose_execution_is_over_is_told_as_abandoned(self, caller: Caller) -> None:
        caller.tells_until("READ")
        caller.ends()

        seen = caller.sees()

        assert (seen["status"], seen["error"]["code"]) == ("ABANDONED", "ABANDONED")
        assert {"cancel", "resume"} == seen["links"].keys() - {"self"}

    def test_an_execution_that_is_not_seen_yet_is_none_that_is_over(
        self, caller: Caller, clock: FakeClock
    ) -> None:
        caller.tells_until("READ")
        caller.executions.standing.clear()
        assert caller.sees()["status"] == "RUNNING"

        clock.pass_seconds(NOT_SEEN_YET + 1)
        assert caller.sees()["status"] == "ABANDONED"

    @pytest.mark.promise("R24")
    def test_one_that_was_just_resumed_waits_until_its_run_has_taken_it_on(
        self, caller: Caller
    ) -> None:
        caller.tells_until("READ").record_failure("Unexpected")
        caller.ends(ExecutionStatus.FAILED)
        assert caller.sees()["status"] == "FAILED"

        caller.executions.start(SECOND, {})
        seen = caller.sees()

        assert (seen["status"], seen["run"], seen["error"]) == ("PENDING", 1, None)
        assert "resume" not in seen["links"]

    def test_an_execution_that_ended_before_it_wrote_anything_is_abandoned(
        self, caller: Caller
    ) -> None:
        caller.starts()
        caller.ends()

        seen = caller.sees()

        assert (seen["status"], seen["links"]) == ("ABANDONED", {"self": TASK})

    @pytest.mark.parametrize(
        "id_",
        [
            "nobody-0123456789ab",
            "UPPER",
            "a" * 61,
            "a%23b",
            "..",
            "a_b",
            "é",
            "-",
            "\x82",
            "a\U0001d6ad",
        ],
    )
    def test_what_is_no_task_is_not_there(self, caller: Caller, id_: str) -> None:
        for path in (f"/tasks/{id_}", f"/tasks/{id_}/report"):
            problem(caller.calls("GET", path), 404)
        for path in (f"/tasks/{id_}/cancel", f"/tasks/{id_}/resume"):
            problem(caller.calls("POST", path), 404)


class TestChanging:
    def test_what_has_not_changed_is_not_told_again(self, caller: Caller) -> None:
        caller.tells_until("READ")
        first = caller.looks()

        again = caller.looks(f'"other", W/{first.headers["etag"]}')

        assert (again.status, again.body) == (304, "")
        assert again.headers["etag"] == first.headers["etag"]
        assert caller.looks("*").status == 304
        assert caller.looks('"other"').status == 200
        for answer in (first, again):
            assert answer.headers["cache-control"] == "private, no-cache"

    def test_each_thing_that_changes_changes_the_tag(self, caller: Caller) -> None:
        """Most of it without a new version of the record."""
        story = caller.tells_until("READ")
        tags = [caller.looks().headers["etag"]]
        first, *_ = sources_of(story)
        story.read(first["item"], first["url"])
        tags.append(caller.looks().headers["etag"])
        caller.world.ledger.reserve_paid(TASK, "k", "model", Hold(cost=Cost(tokens=1)))
        tags.append(caller.looks().headers["etag"])
        caller.ends()
        tags.append(caller.looks().headers["etag"])
        caller.world.ledger.move(
            TASK, Move(to=caller.record.current_step, status=Status.CANCELLED), run=1
        )
        tags.append(caller.looks().headers["etag"])

        assert len(set(tags)) == len(tags)
        assert all(tag.startswith('"') for tag in tags), "strong ones"


class TestTheList:
    def test_it_goes_page_by_page_from_the_newest_on(
        self, caller: Caller, world: World, clock: FakeClock
    ) -> None:
        accept(world, clock, *(f"task-{n}" for n in range(5)))

        seen, page = list[str](), "tasks?limit=2"
        while page:
            assert page.startswith("tasks?")
            told = content(caller.calls("GET", "/tasks", query=page.partition("?")[2]))
            seen += [each["task_id"] for each in told["tasks"]]
            page = told["links"]["next"]

        assert seen == [f"task-{n}" for n in reversed(range(5))]

    def test_each_has_the_status_that_it_really_has(
        self, caller: Caller, world: World, clock: FakeClock
    ) -> None:
        accept(world, clock, "ends", "runs", "stuck")
        world.ledger.move("ends", Move(to=step_of(world, "ends"), status=Status.FAILED), run=1)
        caller.ends(name="stuck-r1")

        told = content(caller.calls("GET", "/tasks"))

        assert [(each["task_id"], each["status"]) for each in told["tasks"]] == [
            ("stuck", "ABANDONED"),
            ("runs", "RUNNING"),
            ("ends", "FAILED"),
        ]
        assert {each["links"]["self"] for each in told["tasks"]} == {
            f"tasks/{name}" for name in ("stuck", "runs", "ends")
        }
        assert told["links"] == {"next": None}

    @pytest.mark.parametrize(
        "query",
        ["limit=0", "limit=51", "limit=", "limit=-1", "limit=1,2", "limit=٣", "limit=1e1"],
    )
    def test_a_limit_beyond_the_limits_is_malformed(self, caller: Caller, query: str) -> None:
        (fault,) = problem(caller.calls("GET", "/tasks", query=query), 400)["faults"]

        assert fault == {"field": "limit", "fault": "must be a whole number from 1 to 50"}

    @pytest.mark.parametrize("before", ["", "x", "1.", ".a", "1.A", f"{'9' * 16}.a", "1.a#b"])
    def test_a_place_that_none_of_ours_is_is_malformed(self, caller: Caller, before: str) -> None:
        answer = caller.calls("GET", "/tasks", query=f"before={before.replace('#', '%23')}")

        (fault,) = problem(answer, 400)["faults"]
        assert fault["field"] == "before"

    def test_without_tasks_there_is_a_list_without_tasks(self, caller: Caller) -> None:
        assert content(caller.calls("GET", "/tasks"))["tasks"] == []


class TestTheReport:
    def test_one_that_waits_is_handed_out_as_it_was_made(
        self, caller: Caller, clock: FakeClock
    ) -> None:
        story = caller.tells_until("APPROVE")
        refs = json.loads(caller.world.artifacts.get(story.state["report"]["ref"]))

        told = content(caller.calls("GET", f"/tasks/{TASK}/report"))

        assert (told["revision"], told["is_published"]) == (1, False)
        assert told["files"].keys() == {"report.html", "report.md", "report.json"}
        assert {(key, kind.partition(";")[0]) for key, kind, _ in caller.links.given} == {
            (refs["report.html"], "text/html"),
            (refs["report.md"], "text/markdown"),
            (refs["report.json"], "application/json"),
        }

    @pytest.mark.promise("R34")
    def test_the_published_one_is_handed_out_for_five_minutes(self, caller: Caller) -> None:
        caller.tells_until("COMPLETE").complete()
        folder = caller.record.result_uri.removeprefix("shelf://").partition("/")[2]

        told = content(caller.calls("GET", f"/tasks/{TASK}/report"))

        assert told["is_published"]
        assert {key for key, _, _ in caller.links.given} == {
            f"{folder}{name}" for name in ("report.html", "report.md", "report.json")
        }
        assert {seconds for *_, seconds in caller.links.given} == {LINK_SECONDS} == {300}

    @pytest.mark.parametrize("state", ["", "READ", "REPORT"])
    def test_where_there_is_none_it_is_not_there(self, caller: Caller, state: str) -> None:
        caller.starts()
        if state:
            caller.tells_until(state)

        told = problem(caller.calls("GET", f"/tasks/{TASK}/report"), 404)

        assert "no report" in told["detail"]


class TestAddresses:
    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("DELETE", "/tasks", "GET, POST"),
            ("PUT", f"/tasks/{TASK}", "GET"),
            ("GET", f"/tasks/{TASK}/cancel", "POST"),
            ("HEAD", f"/tasks/{TASK}/report", "GET"),
        ],
    )
    def test_a_method_that_it_does_not_know_is_told_which_it_does(
        self, caller: Caller, method: str, path: str, allowed: str
    ) -> None:
        answer = caller.calls(method, path)

        problem(answer, 405)
        assert answer.headers["allow"] == allowed

    @pytest.mark.parametrize("path", ["/tasks/", f"/tasks/{TASK}/pages", "/tasks/a/b/c", "/other"])
    def test_what_is_nowhere_is_told_so(self, caller: Caller, path: str) -> None:
        problem(caller.calls("GET", path), 404)

    def test_every_answer_says_that_no_cache_frame_or_guess_may_use_it(
        self, caller: Caller
    ) -> None:
        for answer in answers_of_all_kinds(caller):
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
            assert answer.headers["strict-transport-security"]
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] in {"no-store", "private, no-cache"}


def answers_of_all_kinds(caller: Caller) -> list[Any]:
    return [
        caller.starts(),
        caller.looks(),
        caller.looks("*"),
        caller.calls("GET", "/tasks"),
        caller.calls("GET", "/nowhere"),
        caller.calls("POST", "/tasks", "{"),
    ]


def step_of(world: World, task_id: str) -> Step:
    found = world.ledger.task(task_id)
    assert found
    return found.current_step


def test_step_functions_down_while_somebody_looks_is_told_as_passing(caller: Caller) -> None:
    caller.starts()
    caller.executions.unknown = {FIRST}

    answer = caller.looks()

    problem(answer, 503)
    assert answer.headers["retry-after"]
