"""A run that is compared with the report before: what it reads, says, and asks a person."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.codec import request_body
from lambdas.agent.contract import Step
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.findings import Text
from lambdas.agent.pages import Page, Validators
from lambdas.agent.web_ports import Reader
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import FakeJobs
from tests.fakes.outside import FakeShelf, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import BLOG, PAGES, PRICING, VERBS, sources_of

WEEK = 7 * 24 * 3600
RAISED = PAGES[PRICING].replace(b"49", b"59")
FEATURES = "https://acme.test/features"
LAUNCHED = b"Features\n\nLast week Acme launched Deal Room, a new feature for contracts."


@pytest.fixture
def compared(request_: dict[str, Any]) -> dict[str, Any]:
    return {**request_, "baseline": "previous", "approval": "on_change"}


def told(world: World, request: dict[str, Any], week: int, *, lost: str = "") -> Story:
    """The whole story of one week; a source that is lost is set aside."""
    cast("FakeClock", world.clock).pass_seconds(WEEK)
    name = f"week-{week}"
    story = Story(ports=world, request={**request, "workflow_id": name}, execution=f"run-{name}")
    story.plan()
    for source in sources_of(story):
        _read(story, source, lost)
    for state in ("VALIDATE", "REPORT", "APPROVE"):
        VERBS[state](story)
    if not is_decided(story):
        VERBS["DECIDE"](story)
    story.publish()
    story.complete()
    return story


def _read(story: Story, source: dict[str, str], lost: str) -> None:
    if source["url"] != lost:
        story.read(source["item"], source["url"])
        return
    with pytest.raises(Exception) as failed:  # noqa: PT011  # as Step Functions catches any
        story.read(source["item"], source["url"])
    story.set_aside(source["item"], {"Error": type(failed.value).__name__, "Cause": "{}"})


def is_decided(story: Story) -> bool:
    """Whether nobody is asked."""
    units = story.ports.ledger.units(story.state["task_id"], item="r1")
    return any(unit.step is Step.APPROVE and unit.is_done for unit in units)


def decided_by(story: Story) -> str:
    return str(decision(story)["by"])


def decision(story: Story) -> Mapping[str, Any]:
    units = story.ports.ledger.units(story.state["task_id"], item="r1")
    (asked,) = (unit.outcome for unit in units if unit.step is Step.APPROVE)
    assert asked is not None
    return asked.facts


def report(story: Story, form: str = "json") -> Any:
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    body = story.ports.artifacts.get(refs[f"report.{form}"])
    return json.loads(body) if form == "json" else body.decode()


def changes(story: Story) -> dict[str, str]:
    return {line["url"]: line["change"] for line in report(story)["sources"]}


def statements(story: Story) -> list[tuple[str, str]]:
    answers = report(story)["answers"]
    return [(each["mark"], each["text"]) for answer in answers for each in answer["statements"]]


def test_the_first_report_says_that_there_is_none_to_compare_it_with(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    first = told(world, compared, 1)

    said = report(first)["changes"]
    assert (said["task_id"], said["is_short"]) == ("", False)
    assert "first report of this agent" in said["why"]
    assert said["why"] in report(first, "html")
    assert decided_by(first) == "ann"  # all of it is new
    assert web.pages_asked == [PRICING, BLOG]


def test_where_nothing_has_changed_the_report_is_short_and_nobody_is_asked(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    first = told(world, compared, 1)
    second = told(world, compared, 2)

    assert set(changes(second).values()) == {"UNCHANGED"}
    said = report(second)
    assert (said["answers"], said["citations"]) == ([], [])
    assert said["changes"]["full"] == said["changes"]["address"] == first.state["end"]["result_uri"]
    assert said["changes"]["standing"] == len(statements(first)) > 0
    assert decided_by(second) == "policy"
    assert (decision(first)["rule"], decision(second)["rule"]) == ("", "on_change")
    assert decision(second)["note"] == "Nothing has changed since the report before"
    for form in ("html", "md"):
        assert "Nothing has changed since the report of" in report(second, form)
        assert "Nothing was found" not in report(second, form)
        assert len(report(second, form)) < len(report(first, form))


def test_a_third_report_knows_where_the_answers_are(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    first, second, third = (told(world, compared, week) for week in (1, 2, 3))

    said = report(third)["changes"]
    assert said["address"] == second.state["end"]["result_uri"]
    assert said["full"] == first.state["end"]["result_uri"]
    assert said["standing"] == len(statements(first))


@pytest.mark.parametrize("validates", [True, False], ids=["304", "same bytes"])
def test_what_is_unchanged_is_read_by_no_state_no_reader_and_no_model(
    world: World, web: FakeWeb, compared: dict[str, Any], *, validates: bool
) -> None:
    world.model = model = FakeJobs(at_once=True, end=FakeJobs().end)
    if validates:
        web.validators |= {url: Validators(etag=f'"{url}"') for url in PAGES}
    told(world, compared, 1)
    asked = len(model.payloads)
    cast("Any", world.reader).read = None  # whoever reads now fails

    second = told(world, compared, 2)

    assert len(model.payloads) == asked > 0
    assert sources_of(second) == []
    assert (second.state["left"], second.state["sources"]) == (0, 2)
    assert set(changes(second).values()) == {"UNCHANGED"}


def test_what_has_changed_is_shown_side_by_side_and_what_was_found_is_marked(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    told(world, compared, 1)
    web.pages[PRICING] = RAISED
    second = told(world, compared, 2)

    assert changes(second) == {PRICING: "CHANGED", BLOG: "UNCHANGED"}
    (line,) = report(second)["changes"]["sources"]
    assert line["passages"] == [
        {
            "before": "The Team plan costs 49 euros a month for each seat.",
            "after": "The Team plan costs 59 euros a month for each seat.",
        }
    ]
    assert {mark for mark, text in statements(second) if "59 euros" in text} == {"NEW"}
    assert {mark for mark, text in statements(second) if "Price Lab" in text} == {"STILL"}
    (gone,) = report(second)["changes"]["gone"]
    assert "49 euros" in gone["quote"]
    assert (gone["url"], gone["question"]) == (PRICING, compared["questions"][0])
    assert decided_by(second) == "ann"
    html = report(second, "html")
    assert "<del>49</del>" in html
    assert "<ins>59</ins>" in html
    markdown = report(second, "md")
    assert "> The Team plan costs 49 euros" in markdown
    assert "> The Team plan costs 59 euros" in markdown


def test_only_what_has_changed_is_read_again(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    told(world, compared, 1)
    web.pages[PRICING] = RAISED
    web.asked.clear()
    second = told(world, compared, 2)

    assert [source["url"] for source in sources_of(second)] == [PRICING]
    assert web.pages_asked == [PRICING, BLOG]  # what PLAN fetched, FETCH has


def test_other_bytes_with_the_same_text_are_no_change(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    told(world, compared, 1)
    web.pages[PRICING] = PAGES[PRICING].replace(b"\n\n", b"\n\n\n\n")
    second = told(world, compared, 2)

    assert set(changes(second).values()) == {"UNCHANGED"}
    assert decided_by(second) == "policy"


@pytest.mark.parametrize("how", ["down", "HTTP_403"])
def test_an_error_of_the_site_is_no_change_and_does_not_hide_one(
    world: World, web: FakeWeb, compared: dict[str, Any], how: str
) -> None:
    compared["coverage"] = 0.1
    told(world, compared, 1)
    if how == "down":
        web.down.add(PRICING)
    else:
        web.refused[PRICING] = how
    second = told(world, compared, 2, lost=PRICING)

    assert changes(second) == {PRICING: "UNREACHABLE", BLOG: "UNCHANGED"}
    assert (report(second)["changes"]["is_short"], decided_by(second)) == (True, "policy")
    assert report(second)["changes"]["gone"] == []
    assert "out of reach" in report(second, "html")

    web.down.clear()
    web.refused.clear()
    web.pages[PRICING] = RAISED
    third = told(world, compared, 3)
    assert changes(third) == {PRICING: "CHANGED", BLOG: "UNCHANGED"}
    (line,) = report(third)["changes"]["sources"]
    assert "49 euros" in line["passages"][0]["before"]


def test_a_source_that_was_out_of_reach_and_is_as_it_was_before_has_not_changed(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    compared["coverage"] = 0.1
    told(world, compared, 1)
    web.down.add(PRICING)
    told(world, compared, 2, lost=PRICING)
    web.down.clear()
    third = told(world, compared, 3)

    assert set(changes(third).values()) == {"UNCHANGED"}
    assert sources_of(third) == []


def test_a_page_that_its_server_calls_gone_is_gone_with_what_it_said(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    compared["coverage"] = 0.1
    told(world, compared, 1)
    del web.pages[PRICING]
    second = told(world, compared, 2, lost=PRICING)

    assert changes(second) == {PRICING: "GONE", BLOG: "UNCHANGED"}
    assert any("49 euros" in each["quote"] for each in report(second)["changes"]["gone"])
    assert decided_by(second) == "ann"

    web.pages[PRICING] = PAGES[PRICING]
    assert changes(told(world, compared, 3))[PRICING] == "NEW"  # it is back


def test_another_source_is_new_and_another_request_of_the_agent_is_no_baseline(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    web.pages[FEATURES] = LAUNCHED
    told(world, compared, 1)
    other = {**compared, "sources": [{"url": FEATURES}]}
    assert report(told(world, other, 2))["changes"]["task_id"] == ""

    both = {**compared, "sources": [*compared["sources"], {"url": FEATURES}]}
    third = told(world, both, 3)
    # The agent's last report shares a source with it; what that one did not read is new.
    assert changes(third) == {PRICING: "NEW", BLOG: "NEW", FEATURES: "UNCHANGED"}

    fourth = told(world, compared, 4)  # and over the same sources there is one from week 1
    assert report(fourth)["changes"]["task_id"].startswith("competitor-monitor-week-1")
    assert report(fourth)["changes"]["is_short"] is True


def test_other_questions_are_answered_in_full(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    told(world, compared, 1)
    second = told(world, {**compared, "questions": ["Which plan is for a team of people?"]}, 2)

    assert report(second)["changes"]["is_short"] is False
    assert len(report(second)["answers"]) == 1
    assert sources_of(second) != []  # its answers are asked for


def test_a_report_that_is_published_meanwhile_changes_nothing(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    first = told(world, compared, 1)
    clock = cast("FakeClock", world.clock)
    clock.pass_seconds(WEEK)
    slow = Story(ports=world, request={**compared, "workflow_id": "slow"}, execution="slow")
    slow.plan()
    told(world, compared, 2)
    for state in ("READ", "VALIDATE", "REPORT"):
        VERBS[state](slow)

    assert report(slow)["changes"]["task_id"] == first.state["task_id"]


def test_a_report_that_was_asked_for_later_is_no_report_before(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    """It was planned in a later run, because the first died planning."""
    assert web.pages
    clock = cast("FakeClock", world.clock)
    early = Story(ports=world, request={**compared, "workflow_id": "early"}, execution="early")
    shelf, world.shelf = world.shelf, ClosedShelf()
    with pytest.raises(ServiceUnavailable):
        early.plan()
    world.shelf = shelf
    told(world, compared, 1)
    clock.pass_seconds(1)
    early.plan()
    for state in ("READ", "VALIDATE", "REPORT"):
        VERBS[state](early)

    assert "asked for later" in report(early)["changes"]["why"]


class ClosedShelf(FakeShelf):
    def pointed(self, name: str) -> dict[str, Any] | None:
        raise ServiceUnavailable(f"{name} cannot be looked at")


def test_records_past_their_retention_are_no_baseline(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    told(world, compared, 1)
    artifacts = cast("MemoryArtifacts", world.artifacts)
    for ref in [ref for ref in artifacts.bodies if "/validated/" in ref]:
        del artifacts.bodies[ref]
    second = told(world, compared, 2)

    assert "past their retention" in report(second)["changes"]["why"]
    assert decided_by(second) == "ann"


def test_a_former_text_past_its_retention_is_said_to_be(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    told(world, compared, 1)
    artifacts = cast("MemoryArtifacts", world.artifacts)
    for ref in [ref for ref in artifacts.bodies if "/text/" in ref]:
        del artifacts.bodies[ref]
    web.pages[PRICING] = RAISED
    second = told(world, compared, 2)

    assert changes(second) == {PRICING: "CHANGED", BLOG: "UNCHANGED"}
    (line,) = report(second)["changes"]["sources"]
    assert "former text is not kept" in line["reason"]


@pytest.mark.promise("R20")
def test_a_continuation_is_compared_with_what_its_first_run_was(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    first = told(world, compared, 1)
    web.pages[PRICING] = RAISED
    clock = cast("FakeClock", world.clock)
    clock.pass_seconds(WEEK)
    request = {**compared, "workflow_id": "stopped"}
    stopped = Story(ports=world, request=request, execution="stopped")
    stopped.plan()
    told(world, compared, 2)
    resume = {"resume": {"task_id": stopped.state["task_id"], "run": 2}}
    again = Story(ports=world, request=resume, execution="stopped-r2")
    again.plan()
    for state in ("READ", "VALIDATE", "REPORT"):
        VERBS[state](again)

    assert changes(again) == {PRICING: "CHANGED", BLOG: "UNCHANGED"}
    assert report(again)["changes"]["task_id"] == first.state["task_id"]


def test_a_request_without_a_baseline_is_known_by_the_same_name_as_ever(
    world: World, request_: dict[str, Any]
) -> None:
    plain = world.requests.parse(request_)
    assert b"baseline" not in request_body(plain)
    assert b"baseline" in request_body(replace(plain, baseline="previous"))


SITE = "https://acme.test"


def over_a_list(
    world: World, compared: dict[str, Any], kind: str, **options: Any
) -> dict[str, Any]:
    """A request over a page and a list of three more."""
    pages = cast("FakeWeb", world.fetcher).pages
    pages |= {
        f"{SITE}/{n}": f"P\n\nThe plan number {n} costs {n} euros.".encode() for n in range(3)
    }
    listed(world, kind, range(3))
    source = {"url": f"{SITE}/list.xml", "kind": kind, **options}
    return {**compared, "coverage": 0.1, "sources": [{"url": PRICING}, source]}


def listed(world: World, kind: str, numbers: Iterable[int]) -> None:
    if kind == "feed":
        items = "".join(f"<item><link>{SITE}/{n}</link></item>" for n in numbers)
        body = f"<rss><channel>{items}</channel></rss>"
    else:
        body = f"<urlset>{''.join(f'<url><loc>{SITE}/{n}</loc></url>' for n in numbers)}</urlset>"
    cast("FakeWeb", world.fetcher).pages[f"{SITE}/list.xml"] = body.encode()


def test_a_page_that_its_sitemap_does_not_name_any_more_is_gone(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    assert web.pages
    request = over_a_list(world, compared, "sitemap")
    told(world, request, 1)
    listed(world, "sitemap", range(2))
    second = told(world, request, 2)

    (gone,) = report(second)["changes"]["sources"]
    assert (gone["url"], gone["kind"]) == (f"{SITE}/2", "GONE")
    assert "does not name it any more" in gone["reason"]
    assert decided_by(second) == "ann"


@pytest.mark.parametrize(
    ("kind", "options"),
    [("feed", {}), ("sitemap", {"limit": 3})],
    ids=["a feed's old page", "a full list"],
)
def test_a_page_that_a_list_may_have_left_out_is_not_called_gone(
    world: World, web: FakeWeb, compared: dict[str, Any], kind: str, options: dict[str, Any]
) -> None:
    web.pages[f"{SITE}/3"] = b"P\n\nThe plan number 3 costs 3 euros."
    request = over_a_list(world, compared, kind, **options)
    told(world, request, 1)
    listed(world, kind, range(1, 4) if options else range(2))
    said = report(told(world, request, 2))["changes"]

    assert said["unlisted"] == 1
    assert "GONE" not in {each["kind"] for each in said["sources"]}


def test_a_list_that_cannot_be_read_makes_no_page_gone(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    request = over_a_list(world, compared, "sitemap")
    told(world, request, 1)
    web.down.add(f"{SITE}/list.xml")
    second = told(world, request, 2)

    said = report(second)["changes"]
    assert (said["unlisted"], said["sources"], said["is_short"]) == (3, [], True)
    assert decided_by(second) == "policy"


def test_another_reader_of_the_same_bytes_has_found_no_change(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    """A later version of ours may make another text of them."""
    assert web.pages
    told(world, compared, 1)
    world.reader = Shouting(world.reader)
    second = told(world, {**compared, "questions": ["Which plan is for a team of people?"]}, 2)

    assert sources_of(second)  # other questions: all of it is read again
    assert set(changes(second).values()) == {"UNCHANGED"}


class Shouting:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def read(self, page: Page) -> Text:
        text = self._reader.read(page)
        return replace(text, text=text.text.upper())


def test_what_a_run_is_compared_with_is_in_its_own_keeping(
    world: World, web: FakeWeb, compared: dict[str, Any]
) -> None:
    """A report may wait for days; the one before may reach its retention meanwhile."""
    first = told(world, compared, 1)
    web.pages[PRICING] = RAISED
    cast("FakeClock", world.clock).pass_seconds(WEEK)
    second = Story(ports=world, request={**compared, "workflow_id": "w2"}, execution="w2")
    second.plan()
    artifacts = cast("MemoryArtifacts", world.artifacts)
    for ref in [ref for ref in artifacts.bodies if first.state["task_id"] in ref]:
        del artifacts.bodies[ref]
    for state in ("READ", "VALIDATE", "REPORT"):
        VERBS[state](second)

    assert changes(second) == {PRICING: "CHANGED", BLOG: "UNCHANGED"}
    (line,) = report(second)["changes"]["sources"]
    assert "former text is not kept" in line["reason"]
