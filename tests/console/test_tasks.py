"""Reading the ledger: tasks, their order, and how far their sources have come."""

from __future__ import annotations

import pytest

from console import tasks
from console.errors import BadInput
from console.listing import listed
from console.sources import SourceLine, State, source_lines
from console.standing import standing
from lambdas.agent.checkup import NOT_SEEN_YET
from lambdas.agent.contract import Step
from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.identity import task_id
from tests.console.bench import (
    GONE,
    PRICING,
    Bench,
    a_request,
    manifest,
    read_what_there_is,
    until_asked,
)
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeWeb
from tests.fakes.story import Story

RETENTION = 90 * 86_400


def test_an_unknown_task_is_told_where_to_look(bench: Bench) -> None:
    with pytest.raises(BadInput, match="There is no task nobody in AWS account 123456789012"):
        tasks.known_task(bench.account, "nobody")


@pytest.mark.parametrize("typed", ["NOT'S", "a/b", "", "x" * 90])
def test_what_never_was_an_id_is_no_task(bench: Bench, typed: str) -> None:
    with pytest.raises(BadInput, match="There is no task"):
        tasks.known_task(bench.account, typed)


@pytest.mark.promise("R27")
@pytest.mark.parametrize("command", ["status", "cancel", "resume", "report", "doctor", "link"])
def test_a_task_that_was_just_started_is_told_from_none(bench: Bench, command: str) -> None:
    """As the API tells it: nobody can move it yet."""
    story = bench.story()
    task = task_id(story.request["agent_id"], story.request["workflow_id"])

    result = bench.run(command, task)

    assert result.exit_code == 1
    assert "has just been started and is not written down yet: ask again in a" in result.stderr
    bench.ends(story)
    assert "ended before it had begun" in bench.run(command, task).stderr


def test_lists_the_newest_task_first_and_no_more_than_asked(bench: Bench) -> None:
    for number in range(3):
        bench.story(workflow_id=f"acme-{number}").plan()
        pass_seconds(bench, 1)

    found = listed(bench.account, 2)

    assert [each.task.workflow_id for each in found] == ["acme-2", "acme-1"]


def test_lists_no_task_that_is_past_its_retention(bench: Bench) -> None:
    pass_seconds(bench, -RETENTION - 10)
    task = bench.story().plan()["task_id"]

    assert listed(bench.account, 10) == []
    assert bench.account.ledger.task(task) is None
    assert list(bench.account.ledger.units(task)) == []


def test_lists_a_run_that_broke_off_as_abandoned(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    before = [each.status for each in listed(bench.account, 10)]
    bench.ends(story)

    assert before == ["RUNNING"]
    assert [each.status for each in listed(bench.account, 10)] == ["ABANDONED"]


@pytest.mark.parametrize(
    ("seconds_ago", "status"), [(0, "RUNNING"), (NOT_SEEN_YET + 1, "ABANDONED")]
)
def test_an_execution_that_is_not_seen_yet_is_none_that_is_over(
    bench: Bench, seconds_ago: int, status: str
) -> None:
    pass_seconds(bench, -seconds_ago)
    story = Story(ports=bench.world, request=a_request(), execution="not-seen-r1")
    task = story.plan()["task_id"]

    assert [each.status for each in listed(bench.account, 10)] == [status]
    assert standing(bench.account, task).status == status


def test_a_page_begins_behind_the_task_that_is_named(bench: Bench) -> None:
    for number in range(5):
        bench.story(workflow_id=f"acme-{number}").plan()
        pass_seconds(bench, 1)

    first = listed(bench.account, 2)
    second = listed(bench.account, 2, before=first[-1].task.task_id)
    third = listed(bench.account, 2, before=second[-1].task.task_id)

    found = [each.task.workflow_id for each in (*first, *second, *third)]
    assert found == [f"acme-{number}" for number in reversed(range(5))]


def test_counts_the_sources_that_have_passed_each_step(bench: Bench) -> None:
    story = until_asked(bench.story())

    tally = bench.account.ledger.tally(story.state["task_id"])

    assert tally.passed == {
        Step.FETCH: 1,
        Step.EXTRACT: 1,
        Step.ANALYZE: 1,
        Step.SET_ASIDE: 1,
    }
    assert (tally.read, tally.aside, tally.done) == (1, 1, 2)


def test_a_source_that_was_claimed_and_not_finished_is_not_counted(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    with pytest.raises(SourceRefused):
        story.fetch(*gone(story))

    assert bench.account.ledger.tally(story.state["task_id"]).done == 0


def test_tells_what_became_of_each_source_in_the_requests_order(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    read_what_there_is(story)

    read, aside = lines(bench, story)

    assert (read.url, read.step, read.state) == (PRICING, "ANALYZE", State.READ)
    assert read.comment == "1 finding"
    assert (aside.url, aside.step, aside.state) == (GONE, "FETCH", State.SET_ASIDE)
    assert aside.comment == f"HTTP_404: {GONE} is not there"


def test_sources_wait_until_somebody_begins_with_them(bench: Bench) -> None:
    story = bench.story()
    story.plan()

    assert [(line.step, line.state) for line in lines(bench, story)] == [
        ("", State.WAITING),
        ("", State.WAITING),
    ]


def test_a_source_that_was_fetched_is_under_way(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    first = manifest(story)[0]
    story.fetch(first["item"], first["url"])

    assert lines(bench, story)[0].state is State.UNDER_WAY


def test_a_source_with_the_bytes_of_another_is_read_with_that_one(bench: Bench) -> None:
    web = bench.world.fetcher
    assert isinstance(web, FakeWeb)
    web.pages[GONE] = web.pages[PRICING]
    story = bench.story()
    story.plan()
    for source in manifest(story):
        story.fetch(source["item"], source["url"])

    first, twin = lines(bench, story)

    assert (first.state, twin.state) == (State.UNDER_WAY, State.READ)
    assert twin.comment == "the same page as another source"


@pytest.mark.promise("R23")
def test_a_source_that_is_tried_again_says_why(bench: Bench) -> None:
    web = bench.world.fetcher
    assert isinstance(web, FakeWeb)
    web.down.add(GONE)
    story = bench.story()
    story.plan()
    with pytest.raises(SourceUnavailable):
        story.fetch(*gone(story))

    line = lines(bench, story)[1]

    assert line.state is State.TRIED_AGAIN
    assert line.comment == f"CONNECT_FAILED: {GONE} did not answer"


def test_there_are_no_sources_before_they_are_planned(bench: Bench) -> None:
    assert source_lines(bench.account, []) == []


def lines(bench: Bench, story: Story) -> list[SourceLine]:
    units = list(bench.account.ledger.units(story.state["task_id"]))
    return source_lines(bench.account, units)


def gone(story: Story) -> tuple[str, str]:
    source = next(source for source in manifest(story) if source["url"] == GONE)
    return source["item"], source["url"]


def pass_seconds(bench: Bench, seconds: float) -> None:
    clock = bench.world.clock
    assert isinstance(clock, FakeClock)
    clock.pass_seconds(seconds)
