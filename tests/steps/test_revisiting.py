"""Many sources that are as they were: how PLAN looks at them, and what it leaves to the Map."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from lambdas.agent import revisiting
from lambdas.agent.contract import FACTS_LIMIT, STATE_LIMIT, Step, budget
from lambdas.agent.identity import canonical
from lambdas.agent.job_state import JobState
from lambdas.agent.pages import Page, Unchanged, Validators
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import Answering, FakeJobs
from tests.fakes.outside import FakeWeb
from tests.fakes.story import State, Story
from tests.fakes.turns import MemoryTurns
from tests.fakes.world import World, a_world
from tests.steps.conftest import PAGES, PRICING, REQUEST, VERBS, sources_of

MANY = 100
LONG = b"Any words that fill a line of a page that is longer than a model takes at once. " * 3
STATES_OF = {Step.FETCH: 3, Step.EXTRACT: 2, Step.ANALYZE: 2, Step.PLAN: 2}
"""The step and the choice behind it; behind FETCH also the one that looks for a twin."""


@dataclass(slots=True, kw_only=True)
class Counted(Story):
    """A story that counts the states of the machine it goes through."""

    states: Counter[str] = field(default_factory=Counter)
    laps: list[State] = field(default_factory=list)

    def _do(self, step: Step, event: Mapping[str, Any]) -> State:
        told = super(Counted, self)._do(step, event)
        self.states[step] += STATES_OF.get(step, 1) + (told["progress"] == "PENDING")
        self.laps += [told] if step is Step.PLAN else []
        return told

    @property
    def per_source(self) -> float:
        """SOURCE_READ, the last state of a source, is one of them."""
        every = self.states.total() + len(sources_of(self))
        return every / float(self.state["sources"])


class SlowWeb(FakeWeb):
    """Each answer takes a while, as it does."""

    clock: FakeClock
    at: list[tuple[str, float]]
    takes = 0.25

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        self.at.append((url, self.clock.now()))
        self.clock.pass_seconds(self.takes)
        return super().get(url, seconds=seconds, known=known)


@pytest.fixture
def world() -> World:
    """A hundred pages of as many hosts, and a model that needs a lap to answer."""
    clock = FakeClock()
    built = a_world(clock)
    built.fetcher = web = SlowWeb(pages_of(MANY))
    web.clock, web.at = clock, []
    built.model = FakeJobs(lag=1, end=JobState.done(said()))
    return built


def said() -> bytes:
    quote = "The Team plan costs 49 euros a month for each seat."
    return json.dumps({"findings": [{"question": 0, "claim": quote, "quote": quote}]}).encode()


def pages_of(number: int, site: str = "https://{n}.acme.test/pricing") -> dict[str, bytes]:
    body = PAGES[PRICING]
    return {site.format(n=n): body + f"\n\nShop {n}.".encode() for n in range(number)}


def told(world: World, week: int, **changes: Any) -> Counted:
    """A whole week; its time passes before it."""
    clock = cast("FakeClock", world.clock)
    clock.pass_seconds(7 * 24 * 3600)
    urls = cast("FakeWeb", world.fetcher).pages
    request = {
        **REQUEST,
        "workflow_id": f"week-{week}",
        "sources": [{"url": url} for url in urls],
        "baseline": "previous",
        "approval": "auto",
        **changes,
    }
    story = Counted(ports=world, request=request, execution=f"run-{week}")
    for state in ("PLAN", "READ"):
        VERBS[state](story)
    for state in ("VALIDATE", "REPORT", "APPROVE", "PUBLISH", "COMPLETE"):
        VERBS[state](story)
    return story


def report(story: Story) -> Any:
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    return json.loads(story.ports.artifacts.get(refs["report.json"]))


@pytest.mark.promise("R4", "R16")
def test_a_hundred_sources_that_are_as_they_were_cost_no_model_and_next_to_no_states(
    world: World,
) -> None:
    first = told(world, 1)
    model = cast("FakeJobs", world.model)
    asked = len(model.payloads)
    second = told(world, 2)

    assert asked >= MANY  # and the answers to its questions
    assert len(model.payloads) == asked
    assert second.per_source < first.per_source / 4
    said = report(second)
    assert (said["changes"]["unchanged"], said["changes"]["is_short"]) == (MANY, True)
    assert said["coverage"] == {"read": MANY, "sources": MANY, "is_partial": False}


def test_what_planning_hands_on_stays_small_and_no_lap_takes_too_long(world: World) -> None:
    told(world, 1)
    second = told(world, 2)

    assert len(second.laps) > 1  # they do not all fit into one
    assert max(len(canonical(lap)) for lap in second.laps) < STATE_LIMIT
    web = cast("SlowWeb", world.fetcher)
    asked = Counter(url for url, _ in web.at[-2 * MANY :])
    assert set(asked.values()) == {1}  # its robots.txt and the page, each once


def test_sources_of_one_host_are_asked_in_turns_and_waited_for_together(world: World) -> None:
    cast("SlowWeb", world.fetcher).pages = pages_of(MANY, "https://acme.test/{n}")
    told(world, 1)
    clock = cast("FakeClock", world.clock)
    world.turns = MemoryTurns(clock, seconds_between=1.0)
    web = cast("SlowWeb", world.fetcher)
    web.at.clear()
    second = told(world, 2)

    assert report(second)["changes"]["unchanged"] == MANY
    assert sources_of(second) == []
    assert len(second.laps) < MANY / 10
    assert max(len(canonical(lap)) for lap in second.laps) < FACTS_LIMIT
    turns = sorted(now for url, now in web.at if not url.endswith("robots.txt"))
    assert (
        turns[-1] - turns[0] >= MANY - 1 - revisiting.AHEAD
    )  # held turns are used late, not early


def test_what_no_lap_is_left_for_is_read_by_the_map_and_still_asks_no_model(world: World) -> None:
    """Pages that fill a lap each would keep PLAN for hours."""
    web, number = cast("SlowWeb", world.fetcher), revisiting.LAPS + 10
    web.pages = pages_of(number, "https://acme.test/{n}")
    told(world, 1)
    web.takes = 0.6 * budget(Step.PLAN).step
    model = cast("FakeJobs", world.model)
    asked = len(model.payloads)
    second = told(world, 2)

    assert 0 < len(sources_of(second)) < number
    assert len(second.laps) == revisiting.LAPS + 1
    assert len(model.payloads) == asked
    assert report(second)["changes"]["unchanged"] == number


@pytest.mark.parametrize("code", ["down", "HTTP_403", "HTTP_404"])
def test_what_fails_is_left_to_the_map_whose_retries_are_its_own(world: World, code: str) -> None:
    web = cast("SlowWeb", world.fetcher)
    web.pages = pages_of(3)
    lost = next(iter(web.pages))
    told(world, 1)
    if code == "down":
        web.down.add(lost)
    else:
        web.refused[lost] = code
    story = Counted(ports=world, request=next_week(web), execution="run-2")
    story.plan()

    assert [source["url"] for source in sources_of(story)] == [lost]


def next_week(web: FakeWeb, **changes: Any) -> dict[str, Any]:
    sources = [{"url": url} for url in web.pages]
    week = {"workflow_id": "week-2", "baseline": "previous", "sources": sources}
    return {**REQUEST, **week, **changes}


@pytest.mark.parametrize("changes", [{"analyst": "extractive"}, {"questions": ["What is dear?"]}])
def test_who_asks_another_reader_or_something_else_gets_new_answers(
    world: World, changes: dict[str, Any]
) -> None:
    web = cast("SlowWeb", world.fetcher)
    web.pages = pages_of(3)
    told(world, 1)
    story = Counted(ports=world, request=next_week(web, **changes), execution="run-2")
    story.plan()

    assert len(sources_of(story)) == 3


def test_a_source_of_which_something_was_left_unread_is_read_again(world: World) -> None:
    def answer(payload: Mapping[str, Any]) -> JobState:
        is_refused = "stumbles" in payload["input"]
        return (
            JobState.failed("MODEL_REFUSED", "it will not") if is_refused else JobState.done(said())
        )

    world.model = Answering(answer=answer)
    web = cast("SlowWeb", world.fetcher)
    ((url, body),) = pages_of(1).items()
    web.pages = {url: body + b"\n\n" + b"\n\n".join([LONG] * 300) + b"\n\nHere it stumbles."}
    told(world, 1)
    story = Counted(ports=world, request=next_week(web), execution="run-2")
    story.plan()

    assert [source["url"] for source in sources_of(story)] == [url]


def test_a_carried_source_has_its_own_copies(world: World) -> None:
    """The artifacts of the run before may reach the end of their retention first."""
    web = cast("SlowWeb", world.fetcher)
    web.pages = pages_of(2)
    first = told(world, 1)
    second = told(world, 2)
    task_id = second.state["task_id"]

    units = list(world.ledger.units(task_id))
    refs = [unit.outcome.ref for unit in units if unit.outcome and unit.step is Step.EXTRACT]
    assert len(refs) == 2
    assert all(str(ref).startswith(f"tasks/{task_id}/") for ref in refs)
    assert first.state["task_id"] not in str(refs)


def test_the_units_of_a_carried_source_are_those_that_the_map_would_have_made(
    world: World,
) -> None:
    """So a later run of the task, or an execution that reads it after all, finds them done."""
    web = cast("SlowWeb", world.fetcher)
    web.pages = pages_of(1)
    told(world, 1)
    second = told(world, 2)
    ((url, _),) = web.pages.items()
    manifest = json.loads(world.artifacts.get(second.state["all"]))
    asked = len(web.at)

    page = second.fetch(manifest[0]["item"], url)
    text = second.extract(manifest[0]["item"], url, page)
    found = second.analyze(manifest[0]["item"], text)

    assert (len(web.at), found["findings"]) == (asked, 1)
