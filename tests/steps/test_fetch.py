"""FETCH: in turn, as the site allows, and asking whether a page has changed at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Step
from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.fetching import LONGEST_PAUSE, PAUSES, TURNS
from lambdas.agent.model import UnitRecord
from lambdas.agent.pages import Page, Unchanged, Validators
from lambdas.agent.work import stored_result
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeWeb
from tests.fakes.story import State, Story, invoke
from tests.fakes.turns import MemoryTurns
from tests.fakes.world import World
from tests.steps.conftest import BLOG, PRICING, sources_of

FIRST, SECOND = Validators(etag='"1"'), Validators(etag='"2"')


def lap(story: Story, number: int = 0) -> State:
    """One invocation of FETCH for the source of that number."""
    source = sources_of(story)[number]
    event = {
        "task_id": story.state["task_id"],
        "item": source["item"],
        "args": {"url": source["url"]},
        "context": {"execution": story.execution, "agent_id": story.state["agent_id"]},
    }
    return invoke(Step.FETCH, event, story.ports)


def fetched(story: Story, number: int = 0) -> State:
    source = sources_of(story)[number]
    return story.fetch(source["item"], source["url"])


def next_task(story: Story, name: str) -> Story:
    """The same agent asks again."""
    later = Story(ports=story.ports, request={**story.request, "workflow_id": name}, execution=name)
    later.plan()
    return later


def record(story: Story, item: str) -> UnitRecord:
    units = story.ports.ledger.units(story.state["task_id"], item=item)
    return next(unit for unit in units if unit.step is Step.FETCH)


def provenance(story: Story, number: int = 0) -> Any:
    return fields_of(stored_result(story.ports, record(story, sources_of(story)[number]["item"])))


class TestRobots:
    def test_what_its_owner_forbids_is_not_asked_for(self, story: Story, web: FakeWeb) -> None:
        web.pages["https://acme.test/robots.txt"] = b"User-agent: *\nDisallow: /pricing\n"
        story.plan()

        with pytest.raises(SourceRefused) as refused:
            fetched(story)
        assert refused.value.code == "ROBOTS_DISALLOWED"
        assert PRICING not in web.asked
        assert fetched(story, 1)["progress"] == "DONE"

    def test_its_rules_are_read_once_a_run(self, story: Story, web: FakeWeb) -> None:
        story.plan()
        fetched(story)
        fetched(story, 1)

        assert web.asked == ["https://acme.test/robots.txt", PRICING, BLOG]

    def test_a_site_that_cannot_say_its_rules_is_tried_again(
        self, story: Story, web: FakeWeb
    ) -> None:
        web.down.add("https://acme.test/robots.txt")
        story.plan()

        with pytest.raises(SourceUnavailable) as unavailable:
            lap(story)
        assert unavailable.value.code == "CONNECT_FAILED"
        assert PRICING not in web.asked
        web.down.clear()
        assert fetched(story)["progress"] == "DONE"


class TestTurns:
    def test_pages_of_one_host_are_asked_for_one_after_the_other(
        self, world: World, story: Story, web: FakeWeb, clock: FakeClock
    ) -> None:
        world.turns = MemoryTurns(clock, seconds_between=10)
        story.plan()
        assert lap(story)["progress"] == "DONE"

        told = lap(story, 1)

        assert told == {"progress": "PENDING", "wait_seconds": 10}
        assert BLOG not in web.asked
        clock.pass_seconds(10)
        assert lap(story, 1)["progress"] == "DONE"

    def test_what_always_comes_late_to_its_turn_gives_up(
        self, world: World, story: Story, clock: FakeClock
    ) -> None:
        world.turns = MemoryTurns(clock, seconds_between=100)
        story.plan()
        lap(story)
        for _ in range(TURNS):
            assert lap(story, 1)["progress"] == "PENDING"
            clock.pass_seconds(1000)
            world.turns.next("acme.test", every=0)

        with pytest.raises(SourceRefused) as refused:
            lap(story, 1)
        assert refused.value.code == "NO_TURN"


class BusyWeb(FakeWeb):
    """Asks so often for a pause of so many seconds."""

    def __init__(self, web: FakeWeb, *, times: int, seconds: float) -> None:
        super().__init__(web.pages)
        self._left = times
        self._seconds = seconds

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        page = super().get(url, seconds=seconds, known=known)
        if self._left:
            self._left -= 1
            raise SourceUnavailable("busy", code="HTTP_429", wait_seconds=self._seconds)
        return page


class TestPauses:
    @pytest.mark.parametrize(("asked", "waited"), [(7, 7), (7.2, 8), (0, 5)])
    def test_a_busy_source_is_left_alone_as_long_as_it_says(
        self, world: World, story: Story, web: FakeWeb, asked: float, waited: int
    ) -> None:
        """Case C12."""
        world.fetcher = BusyWeb(web, times=1, seconds=asked)
        story.plan()

        assert lap(story) == {"progress": "PENDING", "wait_seconds": waited}
        assert lap(story)["progress"] == "DONE"

    @pytest.mark.parametrize(
        ("times", "seconds"),
        [(1, LONGEST_PAUSE + 1), (PAUSES + 1, 1)],
        ids=["too long", "too often"],
    )
    def test_a_source_that_is_busy_too_long_is_set_aside_and_can_be_resumed(
        self, world: World, story: Story, web: FakeWeb, times: int, seconds: float
    ) -> None:
        world.fetcher = BusyWeb(web, times=times, seconds=seconds)
        story.plan()

        with pytest.raises(SourceRefused, match="--retry-set-aside") as refused:
            fetched(story)
        assert refused.value.code == "HTTP_429"

    def test_a_source_out_of_reach_is_left_to_the_states_retries(
        self, story: Story, web: FakeWeb
    ) -> None:
        story.plan()
        web.down.add(PRICING)

        with pytest.raises(SourceUnavailable):
            lap(story)


class TestRevisits:
    """Case C20."""

    def test_a_page_that_has_not_changed_is_not_sent_again(
        self, story: Story, web: FakeWeb
    ) -> None:
        web.validators[PRICING] = FIRST
        story.plan()
        assert fetched(story)["unchanged"] is False

        later = next_task(story, "later")
        told = fetched(later)

        assert told["unchanged"] is True
        assert provenance(later)["status"] == 304
        assert told["content_type"] == "text/html"
        assert story.ports.artifacts.get(told["ref"]) == web.pages[PRICING]
        assert told["ref"].startswith(f"tasks/{later.state['task_id']}/")

    def test_new_validators_of_old_bytes_are_kept(self, story: Story, web: FakeWeb) -> None:
        web.validators[PRICING] = FIRST
        story.plan()
        fetched(story)
        web.validators[PRICING] = SECOND
        second = next_task(story, "second")
        assert fetched(second)["unchanged"] is True
        assert provenance(second)["status"] == 200

        third = next_task(story, "third")
        assert fetched(third)["unchanged"] is True
        assert provenance(third)["status"] == 304

    def test_a_page_that_has_changed_is_told_so(self, story: Story, web: FakeWeb) -> None:
        story.plan()
        fetched(story)
        web.pages[PRICING] = b"Pricing\n\nThe Team plan costs 59 euros."

        assert fetched(next_task(story, "later"))["unchanged"] is False

    @pytest.mark.parametrize("harm", ["gone", "changed by hand"])
    def test_without_the_bytes_of_before_the_page_is_asked_for_whole(
        self, world: World, story: Story, web: FakeWeb, harm: str
    ) -> None:
        web.validators[PRICING] = FIRST
        story.plan()
        ref = fetched(story)["ref"]
        bodies = cast("MemoryArtifacts", world.artifacts).bodies
        if harm == "gone":
            del bodies[ref]
        else:
            bodies[ref] = b"something else"

        later = next_task(story, "later")
        told = fetched(later)

        assert provenance(later)["status"] == 200
        assert (told["unchanged"], world.artifacts.get(told["ref"])) == (True, web.pages[PRICING])

    def test_another_agent_knows_nothing_of_it(self, story: Story, web: FakeWeb) -> None:
        web.validators[PRICING] = FIRST
        story.plan()
        fetched(story)
        other = replace(story, request={**story.request, "agent_id": "other"}, state={})
        other.plan()

        assert fetched(other)["unchanged"] is False
        assert provenance(other)["status"] == 200


class TestTwins:
    """Case C17."""

    def test_two_sources_that_end_at_one_page_are_read_once(
        self, story: Story, web: FakeWeb
    ) -> None:
        web.pages[BLOG] = web.pages[PRICING]
        story.plan()
        first, second = sources_of(story)

        assert "same_as" not in fetched(story)
        assert fetched(story, 1)["same_as"] == first["item"]
        assert fetched(story, 1)["same_as"] == first["item"]
        assert record(story, second["item"]).is_done

    def test_a_source_that_is_tried_again_is_no_twin_of_its_first_try(self, story: Story) -> None:
        story.plan()
        first = sources_of(story)[0]
        fetched(story)

        told = story.fetch(f"{first['item']}.2", first["url"])

        assert "same_as" not in told


@pytest.mark.promise("R13", "R16")
def test_a_turn_that_was_taken_is_kept_over_the_wait(
    world: World, story: Story, clock: FakeClock
) -> None:
    world.turns = MemoryTurns(clock, seconds_between=10)
    story.plan()
    lap(story)
    lap(story, 1)
    clock.pass_seconds(4)

    assert lap(story, 1)["wait_seconds"] == 6


@pytest.mark.promise("R10", "R13")
def test_an_heir_says_what_the_dead_worker_would_have_said(
    world: World, story: Story, web: FakeWeb
) -> None:
    """The visit is remembered before the commit: found again, it is not the one before."""
    web.validators[PRICING] = FIRST
    story.plan()
    fetched(story)
    web.pages[PRICING], web.validators[PRICING] = b"Pricing\n\nAnother price: 59.", SECOND
    later = next_task(story, "later")
    ledger = world.ledger

    class Refusing:
        def __getattr__(self, name: str) -> Any:
            return getattr(ledger, name)

        def commit(self, *_: Any) -> None:
            raise SourceUnavailable("died")

    world.ledger = cast("Any", Refusing())
    with pytest.raises(SourceUnavailable):
        lap(later)
    world.ledger = ledger

    assert fetched(later)["unchanged"] is False
