"""POST /tasks: one request is one task, whoever sends it, how often, and wherever it dies."""

from __future__ import annotations

import json
from typing import cast

import pytest

from lambdas.agent.api_routes import BODY_LIMIT
from lambdas.doors.api import told
from tests.doors.calling import FIRST, TASK, Caller, content, problem
from tests.fakes.deaths import Boundary, Died, Mortal
from tests.fakes.schedules import MemoryInbox
from tests.fakes.world import World
from tests.steps.conftest import PRICING, REQUEST

SAME_IN_OTHER_WORDS = {**dict(reversed(REQUEST.items())), "approval": "required"}
LARGE = [{"url": f"{PRICING}/{n}"} for n in range(9_000)]


@pytest.fixture
def caller(world: World) -> Caller:
    return Caller(world=world)


@pytest.mark.promise("R27")
def test_a_start_answers_at_once_with_the_task_and_where_to_look(caller: Caller) -> None:
    answer = caller.starts()

    assert answer.status == 202
    assert answer.headers["location"] == f"tasks/{TASK}"
    assert content(answer) == {
        "task_id": TASK,
        "status": "PENDING",
        "run": 1,
        "already": False,
        "links": {"self": f"tasks/{TASK}"},
    }
    assert caller.executions.told == {FIRST: REQUEST}


@pytest.mark.promise("R27")
def test_a_task_that_was_just_accepted_is_there_before_its_run_has_written_anything(
    caller: Caller,
) -> None:
    caller.starts()

    seen = caller.sees()

    assert (seen["task_id"], seen["status"]) == (TASK, "PENDING")
    assert seen["progress"] == {"sources": 0, "read": 0, "set_aside": 0}


@pytest.mark.promise("R6", "R28")
@pytest.mark.parametrize("state", ["PLAN", "READ", "APPROVE", ""])
def test_the_same_request_again_is_the_same_task_also_when_it_has_ended(
    caller: Caller, state: str
) -> None:
    caller.starts()
    story = caller.tells_until(state or "COMPLETE")
    if not state:
        story.complete()

    again = content(caller.starts())

    assert (again["task_id"], again["already"]) == (TASK, True)
    assert again["status"] == caller.sees()["status"]
    assert caller.executions.told == {FIRST: REQUEST}


@pytest.mark.promise("R28")
def test_the_same_request_in_other_words_is_the_same_task(caller: Caller) -> None:
    caller.starts()
    caller.tells_until("READ")

    assert content(caller.calls("POST", "/tasks", SAME_IN_OTHER_WORDS))["already"]


@pytest.mark.promise("R28")
def test_another_request_under_the_same_id_is_refused_and_changes_nothing(caller: Caller) -> None:
    caller.starts()
    caller.tells_until("READ")
    before = caller.record

    told = problem(caller.starts(coverage=0.9), 409)

    assert told["type"] == "urn:ratchet:problem:other-request"
    assert "workflow_id of its own" in told["detail"]
    assert (caller.record, caller.executions.told) == (before, {FIRST: REQUEST})


@pytest.mark.promise("R28")
def test_before_the_first_is_written_down_other_words_may_be_the_same_or_not(
    caller: Caller,
) -> None:
    """Nobody knows yet, so whoever comes second comes again."""
    caller.starts()

    for body in (SAME_IN_OTHER_WORDS, {**REQUEST, "coverage": 0.9}):
        answer = caller.calls("POST", "/tasks", body)
        assert problem(answer, 503)["type"] == "urn:ratchet:problem:try-again"
        assert answer.headers["retry-after"]

    caller.tells_until("READ")
    assert content(caller.calls("POST", "/tasks", SAME_IN_OTHER_WORDS))["already"]
    problem(caller.starts(coverage=0.9), 409)


def test_a_name_that_was_used_up_before_anything_began_is_told(caller: Caller) -> None:
    caller.starts()
    caller.ends()

    assert "used up" in problem(caller.starts(), 409)["detail"]


@pytest.mark.promise("R21")
def test_an_invalid_request_is_answered_with_every_fault_by_its_field(caller: Caller) -> None:
    sources = [{"url": "ftp://a.test/"}] * 20
    answer = caller.calls("POST", "/tasks", {"agent_id": "", "sources": sources, "colour": 1})

    told = problem(answer, 422)

    fields = [each["field"] for each in told["faults"]]
    assert sorted(fields) == sorted(
        ["agent_id", "questions", "colour", *(f"sources[{n}].url" for n in range(20))]
    )
    assert {each["fault"] for each in told["faults"] if each["field"] == "questions"} == {
        "is missing"
    }
    assert "23 faults" in told["detail"]
    assert caller.executions.told == {}


def test_what_this_deployment_does_not_have_is_a_fault_too(caller: Caller) -> None:
    told = problem(caller.starts(analyst="bedrock"), 422)

    (fault,) = told["faults"]
    assert fault["field"] == "analyst"
    assert "this deployment has no 'bedrock'" in fault["fault"]


@pytest.mark.promise("R34")
def test_nobody_can_have_an_object_of_the_bucket_read_as_a_request(caller: Caller) -> None:
    told = problem(caller.calls("POST", "/tasks", {"request_ref": "tasks/other/page/0"}), 422)

    assert "request_ref" in {each["field"] for each in told["faults"]}


@pytest.mark.parametrize(
    "body",
    ["", "{", "[1]", '"text"', '{"coverage": NaN}', '{"a": "\udcff"}', "[" * 100_000, "1" * 5000],
)
def test_what_is_no_json_object_is_malformed(caller: Caller, body: str) -> None:
    told = problem(caller.calls("POST", "/tasks", body), 400)

    assert told["type"] == "urn:ratchet:problem:malformed"
    assert "faults" not in told


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 4000])
def test_a_number_beyond_all_numbers_is_a_fault_of_its_field(caller: Caller, number: str) -> None:
    body = json.dumps(REQUEST).replace("0.5", number)

    (fault,) = problem(caller.calls("POST", "/tasks", body), 422)["faults"]

    assert fault["field"] == "coverage"


@pytest.mark.promise("R19")
def test_a_large_request_is_left_in_the_inbox_and_one_too_large_is_refused(caller: Caller) -> None:
    assert len(json.dumps(LARGE)) > 200_000
    content(caller.starts(sources=LARGE))
    (left,) = cast("MemoryInbox", caller.world.inbox).left
    assert caller.executions.told == {FIRST: {"request_ref": left}}

    told = problem(caller.calls("POST", "/tasks", " " * (BODY_LIMIT + 1)), 413)
    assert "4,194,304" in told["detail"]


class TestFailing:
    @pytest.mark.promise("R10", "R21")
    def test_a_start_while_step_functions_is_down_leaves_nothing_half_done_and_is_healed(
        self, caller: Caller
    ) -> None:
        caller.executions.refuses = {"start"}

        answer = caller.starts()

        assert problem(answer, 503)["type"] == "urn:ratchet:problem:try-again"
        assert answer.headers["retry-after"] == "2"
        assert caller.executions.told == {}
        assert caller.world.ledger.task(TASK) is None
        assert caller.looks().status == 404
        caller.executions.refuses = set()
        assert content(caller.starts())["already"] is False

    @pytest.mark.promise("R10", "R36")
    def test_whoever_dies_on_the_way_asks_again_and_there_is_one_task(self, world: World) -> None:
        watched = Mortal(world)
        Caller(world=world).starts(ports=watched, workflow_id="watched", sources=LARGE)
        assert "inbox.told" in watched.calls
        assert "executions.start" in watched.calls

        for call in range(len(watched.calls)):
            for after in (False, True):
                caller, named = Caller(world=world), f"dies-{call}-{after}"
                mortal = Mortal(world, Boundary(call=call, after=after))
                with pytest.raises(Died):
                    caller.starts(ports=mortal, workflow_id=named, sources=LARGE)
                begun = content(caller.starts(workflow_id=named, sources=LARGE))
                content(caller.starts(workflow_id=named, sources=LARGE))
                started = [n for n in caller.executions.told if n.startswith(begun["task_id"])]
                assert started == [f"{begun['task_id']}-r1"], mortal.died_at


@pytest.mark.promise("R33")
def test_the_log_learns_which_task_it_was_and_nothing_of_what_was_asked() -> None:
    body = json.dumps({"task_id": TASK, "detail": "secret"})
    (line,) = told({"statusCode": 202, "body": body})
    (nothing,) = told({"statusCode": 304, "body": ""})

    assert line == ("told", {"http_status": 202, "task_id": TASK})
    assert nothing == ("told", {"http_status": 304})
