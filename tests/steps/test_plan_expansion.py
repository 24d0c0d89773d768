"""PLAN expands feeds and sitemaps: in laps, politely, and what fails is told and ends nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from lambdas.agent.codec import fields_of
from lambdas.agent.continuing import Continuation
from lambdas.agent.contract import FACTS_LIMIT, STATE_LIMIT, Progress, Status, Step, budget
from lambdas.agent.errors import CoverageTooLow, SourceUnavailable
from lambdas.agent.expanding import FIRST_WAIT, LAPS, LONGEST_WAIT, TRIES
from lambdas.agent.identity import canonical
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.model import WHOLE_TASK, Unit, UnitRecord
from lambdas.agent.pages import Page, Validators
from lambdas.agent.web_ports import Fetcher
from lambdas.agent.work import stored_result
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Died
from tests.fakes.outside import FakeWeb
from tests.fakes.story import State, Story
from tests.fakes.turns import MemoryTurns
from tests.fakes.world import World
from tests.matrix.plays import LONGEST_LEASE
from tests.steps.conftest import BLOG, PAGES, PRICING, read_all, sources_of

SITE = "https://acme.test"
FEED = f"{SITE}/feed.xml"
MAP = f"{SITE}/sitemap.xml"
ROBOTS = f"{SITE}/robots.txt"


def rss(*paths: str) -> bytes:
    items = "".join(f"<item><link>{path}</link></item>" for path in paths)
    return f"<rss><channel>{items}</channel></rss>".encode()


def urlset(*paths: str) -> bytes:
    inner = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    return f"<urlset>{inner}</urlset>".encode()


def index(*paths: str) -> bytes:
    inner = "".join(f"<sitemap><loc>{SITE}{path}</loc></sitemap>" for path in paths)
    return f"<sitemapindex>{inner}</sitemapindex>".encode()


@dataclass(slots=True)
class SlowWeb:
    """Each answer takes its time; before the `dies_at`-th the worker is killed."""

    web: FakeWeb
    clock: FakeClock
    seconds: float = 0.0
    dies_at: int = 0
    asked: list[str] = field(default_factory=list)

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page:
        self.asked.append(url)
        self.clock.pass_seconds(self.seconds)
        if len(self.asked) == self.dies_at:
            raise Died(url)
        page = self.web.get(url, seconds=seconds)
        assert isinstance(page, Page)
        return page


Ask = Callable[..., Story]


@pytest.fixture
def ask(world: World, request_: dict[str, Any], web: FakeWeb) -> Ask:
    """A story whose request names these sources, over a web that has these pages too."""

    def story(*sources: Mapping[str, Any], pages: Mapping[str, bytes] | None = None) -> Story:
        web.pages |= pages or {}
        return Story(ports=world, request={**request_, "sources": list(sources)})

    return story


def feed(**changes: Any) -> dict[str, Any]:
    return {"url": FEED, "kind": "feed", **changes}


def sitemap(**changes: Any) -> dict[str, Any]:
    return {"url": MAP, "kind": "sitemap", **changes}


def laps(story: Story) -> list[State]:
    """PLAN to its end; between two laps the clock goes on as the state machine waits."""
    told: list[State] = [story.lap({"request": story.request})]
    while told[-1]["progress"] != Progress.DONE:
        cast("FakeClock", story.ports.clock).pass_seconds(told[-1].get("wait_seconds", 0))
        told.append(story.lap(told[-1]))
    story.state = told[-1]
    return told


def paths(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    return [source["url"].removeprefix(SITE) for source in sources]


def every(story: Story) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(story.ports.artifacts.get(story.state["all"]))
    return found


def units(story: Story, step: Step) -> list[UnitRecord]:
    return [u for u in story.ports.ledger.units(story.state["task_id"]) if u.step is step]


def reasons(story: Story) -> dict[str, str]:
    """Code and sentence of what was set aside, by code."""
    whys = (fields_of(stored_result(story.ports, u)) for u in units(story, Step.SET_ASIDE))
    return {why["error_code"]: why["reason"] for why in whys}


def read_what_can_be_read(story: Story) -> None:
    if story.state["left"]:
        read_all(story)


def report(story: Story) -> dict[str, Any]:
    story.report()
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    found: dict[str, Any] = json.loads(story.ports.artifacts.get(refs["report.json"]))
    return found


@pytest.mark.promise("R16")
def test_a_feed_becomes_its_newest_pages_in_one_lap(ask: Ask) -> None:
    story = ask({"url": PRICING}, feed(limit=2), pages={FEED: rss("/blog", "/pricing", "/c")})

    (only,) = laps(story)

    assert (only["sources"], only["left"], only["begin"]) == (2, 2, True)
    assert paths(sources_of(story)) == ["/pricing", "/blog"]


def test_a_sitemap_with_its_children_becomes_pages(ask: Ask, web: FakeWeb) -> None:
    """Case C25: a child that is not there is told, the index itself is passed over."""
    pages = {
        MAP: index("/1.xml", "/gone.xml", "/sitemap.xml", "/2.xml"),
        f"{SITE}/1.xml": urlset("/docs/a", "/blog"),
        f"{SITE}/2.xml": urlset("/docs/b"),
    }
    story = ask(sitemap(include="/docs/*"), pages=pages)

    laps(story)

    assert paths(sources_of(story)) == ["/docs/a", "/docs/b"]
    assert paths(every(story)) == ["/sitemap.xml", "/docs/a", "/docs/b"]
    assert "gone.xml" in reasons(story)["LIST_INCOMPLETE"]
    assert web.asked.count(MAP) == 1


@pytest.mark.promise("R21")
def test_a_list_that_fails_is_told_in_the_report_and_ends_nothing(ask: Ask) -> None:
    story = ask({"url": PRICING}, feed(), sitemap(), pages={MAP: b"<html>Not here</html>"})

    story.request = {**story.request, "coverage": 0.3}

    first, last = laps(story)

    assert (first["progress"], last["left"], last["sources"]) == (Progress.CONTINUE, 1, 3)
    read_all(story)
    assert story.validate()["read"] == 1
    lines = {line["url"]: line for line in report(story)["sources"]}
    assert lines[FEED]["error_code"] == "HTTP_404"
    assert lines[MAP]["error_code"] == "NOT_A_SITEMAP"
    assert MAP in lines[MAP]["reason"]
    assert lines[PRICING]["was_read"]


def test_an_empty_list_is_told(ask: Ask) -> None:
    story = ask({"url": PRICING}, feed(include="/docs/*"), pages={FEED: rss("/blog")})

    laps(story)

    assert "None of the 1 pages" in reasons(story)["EMPTY_LIST"]


def test_where_nothing_is_left_to_read_the_run_goes_on_to_be_judged(ask: Ask) -> None:
    story = ask(feed())

    assert laps(story)[-1]["left"] == 0
    assert sources_of(story) == []
    with pytest.raises(CoverageTooLow, match="0 of 1"):
        story.validate()


@pytest.mark.promise("R16", "R17", "R19")
def test_a_large_index_takes_laps_and_asks_each_child_once(
    ask: Ask, world: World, web: FakeWeb, clock: FakeClock
) -> None:
    names = [f"/{n}.xml" for n in range(500)]
    pages = {f"{SITE}{name}": urlset(f"/page-of{name}") for name in names}
    story = ask(sitemap(limit=1000), pages={MAP: index(*names), **pages})
    slow = world.fetcher = SlowWeb(web, clock, seconds=3.0)

    told = laps(story)

    assert len(told) > 500 * 3 / budget(Step.PLAN).step
    assert [lap["progress"] for lap in told] == [Progress.CONTINUE] * (len(told) - 1) + ["DONE"]
    assert sorted(slow.asked) == sorted([ROBOTS, MAP, *pages])
    assert story.state["left"] == 500
    assert max(len(canonical(lap)) for lap in told) < STATE_LIMIT


def test_between_two_laps_state_and_cursor_stay_small(ask: Ask) -> None:
    sources = [{"url": f"{SITE}/{n}/{'x' * 1000}.xml", "kind": "feed"} for n in range(3)]
    story = ask(*sources)
    cast("FakeWeb", story.ports.fetcher).down = {source["url"] for source in sources}

    first = story.lap({"request": story.request})

    (plan,) = story.ports.ledger.units(first["task_id"])
    assert first["wait_seconds"] == FIRST_WAIT
    assert set(first) == {"progress", "wait_seconds", "task_id", "request"}
    assert len(canonical(first)) < 400
    assert len(canonical(plan.cursor)) < FACTS_LIMIT / 4
    assert plan.item == WHOLE_TASK


@pytest.mark.promise("R22")
def test_a_list_that_does_not_answer_is_asked_again_after_a_while(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), pages={FEED: rss("/blog")})
    web.down.add(FEED)

    waits = story.lap({"request": story.request})
    web.down.clear()
    done = story.lap(waits)

    assert (waits["progress"], waits["wait_seconds"]) == (Progress.PENDING, FIRST_WAIT)
    assert (done["progress"], done["left"]) == (Progress.DONE, 1)


@pytest.mark.promise("R20", "R22")
def test_a_list_that_never_answers_is_set_aside_after_its_tries(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), sitemap(), pages={MAP: urlset("/blog")})
    web.down.add(FEED)

    told = laps(story)

    assert [lap.get("wait_seconds", 0) for lap in told] == [FIRST_WAIT, 2 * FIRST_WAIT, 0, 0]
    assert web.asked.count(FEED) == TRIES
    assert web.asked.count(MAP) == 1
    assert list(reasons(story)) == ["CONNECT_FAILED"]
    assert paths(sources_of(story)) == ["/blog"]


@dataclass(slots=True)
class SlowLedger:
    """Each claim takes its time."""

    ledger: Ledger
    clock: FakeClock
    seconds: float

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ledger, name)

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        self.clock.pass_seconds(self.seconds)
        return self.ledger.claim(unit, owner=owner, until=until)


@pytest.mark.promise("R16", "R17", "R19")
def test_many_lists_are_set_aside_in_laps_each_once(
    ask: Ask, world: World, clock: FakeClock
) -> None:
    story = ask(*({"url": f"{SITE}/{n}.xml", "kind": "feed"} for n in range(100)))
    world.ledger = cast("Ledger", SlowLedger(world.ledger, clock, seconds=2.0))

    told = laps(story)

    assert len(told) >= 1 + 100 * 2.0 / budget(Step.PLAN).step
    assert {unit.attempt for unit in units(story, Step.SET_ASIDE)} == {1}
    assert len(units(story, Step.SET_ASIDE)) == len(every(story)) == 100


@dataclass(slots=True)
class BusyWeb:
    """Says itself when to come again."""

    hint: float

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page:
        if url == ROBOTS:
            return Page(url=url, status=200, content_type="text/plain", body=b"")
        raise SourceUnavailable("busy", code="HTTP_429", wait_seconds=self.hint)


@pytest.mark.parametrize(
    ("hint", "waits"), [(0.0, FIRST_WAIT), (44.5, 45), (86_400.0, LONGEST_WAIT)]
)
def test_a_list_may_say_when_to_ask_again(ask: Ask, world: World, hint: float, waits: int) -> None:
    """Case C12."""
    story = ask(feed())
    busy: Fetcher = BusyWeb(hint)
    world.fetcher = busy

    assert story.lap({"request": story.request})["wait_seconds"] == waits


def test_a_hundred_lists_that_do_not_answer_are_waited_for_together(ask: Ask, web: FakeWeb) -> None:
    sources = [{"url": f"{SITE}/{n}.xml", "kind": "feed"} for n in range(100)]
    story = ask({"url": PRICING}, *sources)
    web.down = {source["url"] for source in sources}

    told = laps(story)

    assert sum("wait_seconds" in lap for lap in told) == TRIES - 1
    assert (story.state["left"], story.state["sources"]) == (1, 101)


def test_robots_txt_is_obeyed_for_lists_too(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), pages={ROBOTS: b"User-agent: Ratchet\nDisallow: /feed", FEED: rss("/a")})

    laps(story)

    assert list(reasons(story)) == ["ROBOTS_DISALLOWED"]
    assert FEED not in web.asked


def test_lists_of_one_host_are_asked_for_in_turns(ask: Ask, world: World, clock: FakeClock) -> None:
    world.turns = MemoryTurns(clock, seconds_between=2.5)
    names = ["/1.xml", "/2.xml"]
    children = {f"{SITE}{name}": urlset(f"/of{name}") for name in names}
    story = ask(sitemap(), pages={MAP: index(*names), **children})
    begun = clock.now()

    told = laps(story)

    assert [lap["progress"] for lap in told[:-1]] == [Progress.PENDING] * (len(told) - 1)
    assert clock.now() - begun >= 2 * 2.5
    assert story.state["left"] == 2


@pytest.mark.promise("R19")
def test_laps_are_bounded_and_what_was_not_asked_for_is_told(ask: Ask, world: World) -> None:
    """The history of a run is bounded, and each lap leaves its events there."""
    clock = cast("FakeClock", world.clock)
    world.turns = MemoryTurns(clock, seconds_between=1.0)
    names = [f"/{n}.xml" for n in range(LAPS + 50)]
    children = {f"{SITE}{name}": urlset(f"/of{name}") for name in names}
    story = ask(sitemap(limit=1000), pages={MAP: index(*names), **children})

    told = laps(story)

    assert len(told) <= LAPS + 3
    assert "were not asked for" in reasons(story)["LIST_CUT"]
    assert story.state["left"] > LAPS / 2


@pytest.mark.promise("R28")
def test_another_execution_neither_expands_nor_disturbs(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), pages={FEED: rss("/blog")})
    web.down.add(FEED)
    waits = story.lap({"request": story.request})
    asked = list(web.asked)

    other = Story(ports=story.ports, request=story.request, execution="run-by-hand")
    (told,) = laps(other)

    assert (told["begin"], told["stands"]) == (False, Status.RUNNING)
    assert told["execution"] == story.execution
    assert web.asked == asked
    web.down.clear()
    assert story.lap(waits)["left"] == 1


def test_an_execution_that_is_told_so_again_is_told_the_same(ask: Ask) -> None:
    story = ask(feed(), pages={FEED: rss("/blog")})
    laps(story)

    other = Story(ports=story.ports, request=story.request, execution="run-by-hand")

    assert laps(other)[0]["begin"] is False
    assert laps(story)[-1] == story.state


def test_the_state_between_laps_leads_to_a_recorded_failure(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed())
    web.down.add(FEED)
    story.state = story.lap({"request": story.request})

    assert story.record_failure("Unexpected", "{}")["recorded"]


@pytest.mark.promise("R10", "R16", "R20")
@pytest.mark.parametrize("dies_at", range(1, 8))
def test_a_lap_that_dies_is_worked_again_and_the_plan_is_the_same(
    ask: Ask, world: World, web: FakeWeb, clock: FakeClock, dies_at: int
) -> None:
    names = ["/1.xml", "/2.xml", "/gone.xml", "/3.xml"]
    children = {f"{SITE}{name}": urlset(f"/of{name}") for name in names if name != "/gone.xml"}
    story = ask(sitemap(), feed(), pages={MAP: index(*names), **children, FEED: rss("/blog")})
    slow = world.fetcher = SlowWeb(web, clock, seconds=20.0, dies_at=dies_at)
    with pytest.raises(Died):
        laps(story)
    clock.pass_seconds(LONGEST_LEASE)

    laps(story)

    assert paths(every(story)) == ["/sitemap.xml", "/of/1.xml", "/of/2.xml", "/of/3.xml", "/blog"]
    asked = [url for url in slow.asked if url != ROBOTS]
    assert len(asked) - len(set(asked)) <= 3, "only what the killed lap had asked for"


def again(story: Story, run: int = 2, *, retry: bool = False, task: str = "") -> Story:
    typed = Continuation(task_id=task or story.state["task_id"], run=run, retry_set_aside=retry)
    return Story(ports=story.ports, request=typed.as_input(), execution=f"run-{run}")


@pytest.mark.promise("R20")
def test_a_later_run_goes_on_with_the_pages_the_first_one_found(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), {"url": PRICING}, pages={FEED: rss("/blog")})
    laps(story)
    first = sources_of(story)[0]
    story.read(first["item"], first["url"])
    story.record_failure("Unexpected", "{}")
    web.pages[FEED] = rss("/blog", "/new")

    second = again(story)
    (planned,) = laps(second)

    assert (planned["left"], planned["sources"]) == (1, 2)
    assert web.asked.count(FEED) == 1


@pytest.mark.promise("R20")
def test_a_run_that_died_while_it_expanded_is_expanded_by_the_next(ask: Ask, web: FakeWeb) -> None:
    story = ask(feed(), sitemap(), pages={FEED: rss("/blog")})
    web.down.add(MAP)
    task = story.lap({"request": story.request})["task_id"]

    second = again(story, task=task)
    waits = second.lap({"request": second.request})
    web.down.clear()
    web.pages[MAP] = urlset("/pricing")
    laps(second)

    assert waits["wait_seconds"] == FIRST_WAIT

    assert paths(sources_of(second)) == ["/blog", "/pricing"]
    late = story.lap({"request": story.request})
    assert (late["begin"], late["execution"]) == (False, "run-2")


@pytest.mark.promise("R24")
def test_a_list_that_was_set_aside_is_expanded_again_when_it_is_asked_for(
    ask: Ask, web: FakeWeb
) -> None:
    story = ask({"url": BLOG}, feed(), sitemap(), pages={MAP: urlset("/pricing")})
    laps(story)
    read_all(story)
    story.record_failure("Unexpected", "{}")
    web.pages[FEED] = rss("/new", "/pricing?utm_source=feed")
    web.pages[f"{SITE}/new"] = PAGES[PRICING]

    plain = again(story)
    assert laps(plain)[-1]["left"] == 0
    plain.record_failure("Unexpected", "{}")
    retried = again(plain, 3, retry=True)
    laps(retried)

    assert paths(every(retried)) == ["/blog", "/new", "/pricing"]
    assert paths(sources_of(retried)) == ["/new"]
    assert every(retried)[2]["also"] == [f"{PRICING}?utm_source=feed"]
    read_all(retried)
    assert retried.validate()["read"] == 3


def test_a_list_that_fails_again_keeps_both_reasons(ask: Ask, web: FakeWeb) -> None:
    story = ask({"url": BLOG}, feed())
    laps(story)
    read_all(story)
    story.record_failure("Unexpected", "{}")
    web.pages[FEED] = b"<html>Not here</html>"

    second = again(story, retry=True)
    told = laps(second)

    assert [lap["progress"] for lap in told] == [Progress.CONTINUE, Progress.DONE]
    assert told[0]["request"] == second.request
    assert set(reasons(second)) == {"HTTP_404", "NOT_A_FEED"}
    assert paths(every(second)) == ["/blog", "/feed.xml"]
    assert told[-1]["left"] == 0
    second.validate()
    assert {line["error_code"] for line in report(second)["sources"]} == {"", "NOT_A_FEED"}


def test_other_names_stay_with_their_source_and_out_of_each_sources_state(ask: Ask) -> None:
    """Case C17: one analysed document, all its names in the report."""
    names = [PRICING, f"{PRICING}#plans", f"{PRICING}?utm_source=x"]
    story = ask(*({"url": name} for name in names))
    laps(story)

    assert sources_of(story) == [{"item": every(story)[0]["item"], "url": PRICING}]
    read_all(story)
    story.validate()
    told = report(story)
    assert [line["also"] for line in told["sources"]] == [names[1:]]
    assert told["coverage"] == {"read": 1, "sources": 1}
