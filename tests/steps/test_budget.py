"""A run with a budget: what it lasts for, what becomes of the rest, and what is told of it."""

from __future__ import annotations

import json
from copy import deepcopy
from decimal import Decimal
from typing import Any, cast

import pytest

from lambdas.agent.codec import text_body
from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.costs import EMPTY, NOTHING, Cost, Hold, Price, Purse
from lambdas.agent.endings import Ending
from lambdas.agent.errors import (
    CoverageTooLow,
    InvalidRequest,
    ServiceUnavailable,
    SourceFailed,
    SourceRefused,
)
from lambdas.agent.findings import Text
from lambdas.agent.intake import input_id, request_from, task_of
from lambdas.agent.intents import Intent
from lambdas.agent.job_costs import WAITS
from lambdas.agent.job_state import JobState, Usage
from lambdas.agent.spending import BUDGET_SPENT
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Died
from tests.fakes.jobs import Answering, FakeJobs
from tests.fakes.outside import FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import sources_of
from tests.steps.test_coverage import the_report
from tests.steps.test_models import Analyzing, the_text

LEASE = budget(Step.ANALYZE).lease + CLOCK_SKEW + 1
USED = Usage(input_tokens=2_000, output_tokens=500)
ONE_CALL = Cost(tokens=2_500)
INPUT_ID = "27fcde16b96bd46caffb22518951e7e3948125719b027cc49bcda8fa374ed89e"
"""Of the small site's request, before there were budgets."""
PRICE = Price(input=Decimal(1), output=Decimal(4))


@pytest.fixture
def model(world: World) -> Answering:
    end = JobState.done(b'{"findings": []}', usage=USED)
    world.bedrock = model = Answering(answer=lambda _: end)
    return model


def planned(story: Story, sources: int = 2, **limits: Any) -> Story:
    """A run over so many small pages."""
    web = cast("FakeWeb", story.ports.fetcher)
    urls = [f"https://acme.test/{n}" for n in range(sources)]
    plans = [f"P\n\nThe plan number {n} costs {n} euros." for n in range(sources)]
    web.pages |= {url: plan.encode() for url, plan in zip(urls, plans, strict=True)}
    story.request = {
        **deepcopy(dict(story.request)),
        "sources": [{"url": url} for url in urls],
        "coverage": 0.9,
        "budget": limits,
    }
    story.state = {}
    story.plan()
    return story


def read(story: Story) -> None:
    """As the Distributed Map does: a source that fails is set aside, the others go on."""
    for source in sources_of(story):
        try:
            story.read(source["item"], source["url"])
        except SourceFailed as error:
            story.set_aside(source["item"], {"Error": type(error).__name__, "Cause": ""})


def purse(story: Story) -> Purse:
    return story.ports.ledger.purse(story.state["task_id"])


@pytest.mark.promise("R12", "R35")
def test_a_budget_for_half_of_the_sources_gives_half_a_report(
    story: Story, model: Answering
) -> None:
    planned(story, sources=6, tokens=9_000)
    read(story)
    validated = story.validate()
    report = the_report(story)

    assert len(model.payloads) == 3
    assert purse(story) == Purse(spent=Cost(tokens=3 * 2_500))
    assert (validated["read"], validated["sources"]) == (3, 6)
    assert report["coverage"] == {"read": 3, "sources": 6, "is_partial": True}
    assert report["spent"] == {
        "tokens": 7_500,
        "usd": None,
        "limits": {"tokens": 9_000},
        "unasked": 3,
        "cut_short": 0,
    }
    unread = [source for source in report["sources"] if not source["was_read"]]
    assert {source["error_code"] for source in unread} == {BUDGET_SPENT}
    assert all("larger `budget`" in source["reason"] for source in unread)


def test_the_documents_say_that_the_budget_was_the_end_of_it(
    story: Story, model: Answering
) -> None:
    assert not model.payloads
    planned(story, sources=4, tokens=6_000, minutes=30)
    read(story)
    story.validate()
    story.report()

    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    page = story.ports.artifacts.get(refs["report.md"]).decode()
    assert "sources read, partial: the budget was spent" in page
    assert "Budget: 6,000 tokens, 30 minutes" in page
    assert "for want of budget" in page


def test_dollars_are_counted_where_the_model_has_a_price(story: Story, model: Answering) -> None:
    model.price = PRICE
    planned(story, sources=4, usd=0.011)  # a call costs 0.004, and is held as 0.0052
    read(story)
    story.validate()

    assert len(model.payloads) == 2
    assert purse(story).spent == Cost(tokens=5_000, micro_usd=8_000)
    assert the_report(story)["spent"]["usd"] == 0.008


def test_a_limit_in_dollars_without_a_price_is_refused_before_anything_is_read(
    story: Story, model: Answering
) -> None:
    with pytest.raises(InvalidRequest, match=r"budget\.usd: .*`bedrock_price`"):
        planned(story, usd=1)
    assert not model.payloads


def test_ranking_costs_nothing_and_needs_no_price(story: Story, model: Answering) -> None:
    story.request = {**story.request, "analyst": "extractive"}
    planned(story, usd=0.01, tokens=1)
    read(story)

    assert story.validate()["read"] == 2
    assert not model.payloads
    assert the_report(story)["spent"]["tokens"] == 0


def test_a_price_that_is_gone_stops_a_limit_in_dollars(story: Story, model: Answering) -> None:
    """Deployed anew without it, while the run was under way."""
    model.price = PRICE
    planned(story, usd=1)
    model.price = None

    with pytest.raises(SourceRefused, match="what its model costs"):
        OnePage(story).told()


def test_what_a_provider_does_not_tell_counts_as_it_was_reckoned(
    story: Story, model: Answering
) -> None:
    planned(story, sources=1, tokens=100_000)
    task_id, held = story.state["task_id"], list[Cost]()

    def looks_and_tells_nothing(_: Any) -> JobState:
        held.append(story.ports.ledger.purse(task_id).held)
        return JobState.done(b'{"findings": []}')

    model.answer = looks_and_tells_nothing
    read(story)

    assert held[0].tokens > model.longest_answer
    assert purse(story) == Purse(spent=held[0])


def test_what_a_provider_did_not_take_costs_nothing(story: Story, world: World) -> None:
    class Refusing(FakeJobs):
        def submit(self, *_: Any, **__: Any) -> JobState:
            raise SourceRefused("mend the key", code="MODEL_KEY_REFUSED")

    world.bedrock = Refusing()
    planned(story, tokens=100_000)
    read(story)

    assert purse(story) == EMPTY


def test_a_run_without_a_budget_is_counted_too(story: Story, model: Answering) -> None:
    Analyzing(story, the_text(paragraphs=1)).told()

    assert len(model.payloads) == 1
    assert purse(story) == Purse(spent=ONE_CALL)


def test_of_a_long_page_a_budget_pays_for_the_beginning(story: Story, model: Answering) -> None:
    model.answer = lambda _: JobState.done(b'{"findings": []}', usage=Usage(input_tokens=30_000))
    planned(story, sources=1, tokens=50_000)
    page = OnePage(story, the_text(paragraphs=150))

    assert page.told()["unread"] > 0
    assert len(model.payloads) == 1
    (gap,) = page.analysis().gaps
    assert gap.code == Ending.BUDGET_SPENT
    assert "budget was not enough" in page.analysis().notes[-1]


def test_one_large_source_leaves_something_for_the_others(story: Story, model: Answering) -> None:
    """It asks no more when it has taken a quarter, here two of its three parts."""
    model.answer = lambda _: JobState.done(b'{"findings": []}', usage=Usage(input_tokens=30_000))
    planned(story, sources=4, tokens=200_000)
    page = OnePage(story, the_text(paragraphs=150))

    assert page.told()["unread"] > 0
    assert len(model.payloads) == 2
    assert purse(story) == Purse(spent=Cost(tokens=60_000))


def test_what_was_had_before_needs_no_budget(story: Story, model: Answering) -> None:
    planned(story, sources=3, tokens=100_000)
    read(story)
    request = {**story.request, "workflow_id": "acme-2", "budget": {"tokens": 1}}
    again = Story(ports=story.ports, request=request)
    again.plan()
    read(again)

    assert again.validate()["read"] == 3
    assert len(model.payloads) == 3
    assert purse(again) == EMPTY


def test_what_others_hold_is_waited_for_and_not_taken_for_spent(
    story: Story, model: Answering
) -> None:
    planned(story, tokens=5_000)
    other = hold(story, Cost(tokens=4_000))
    page = OnePage(story)

    assert page.lap() == {"progress": "PENDING", "wait_seconds": WAITS[0]}
    assert page.lap()["wait_seconds"] == WAITS[1]
    story.ports.ledger.close(story.state["task_id"], other, cost=Cost(tokens=9), receipt="any")
    assert page.told()["progress"] == "DONE"
    assert len(model.payloads) == 1


def test_what_is_never_given_back_is_not_waited_for_for_ever(
    story: Story, model: Answering
) -> None:
    planned(story, tokens=5_000)
    hold(story, Cost(tokens=4_000))
    page = OnePage(story)
    waits = [page.lap()["wait_seconds"] for _ in WAITS]

    assert waits == list(WAITS)
    assert page.fault().code == BUDGET_SPENT
    assert not model.payloads


def test_what_is_spent_is_not_waited_for(story: Story, model: Answering) -> None:
    planned(story, tokens=5_000)
    other = hold(story, Cost(tokens=4_000))
    story.ports.ledger.close(story.state["task_id"], other, cost=Cost(tokens=4_000), receipt="any")

    assert OnePage(story).fault().code == BUDGET_SPENT
    assert not model.payloads


@pytest.mark.promise("R13")
def test_an_heir_who_finds_the_answer_elsewhere_gives_back_what_was_held(
    story: Story, model: Answering
) -> None:
    planned(story, tokens=50_000)
    page = OnePage(story)
    answer, model.answer = model.answer, dies
    with pytest.raises(Died):
        page.lap()
    model.answer = answer
    assert purse(story).held != NOTHING
    another = Story(ports=story.ports, request={**story.request, "workflow_id": "acme-2"})
    another.plan()
    OnePage(another).told()
    cast("FakeClock", story.ports.clock).pass_seconds(LEASE)

    assert page.told()["progress"] == "DONE"
    assert purse(story) == EMPTY
    assert len(model.payloads) == 2, "of the dead worker and of the other task"


def test_what_nobody_will_settle_is_given_back_when_all_are_through(
    story: Story, world: World
) -> None:
    """A provider that was down until nobody asked any more."""

    class Down(FakeJobs):
        def submit(self, *_: Any, **__: Any) -> JobState:
            raise ServiceUnavailable("it broke the connection")

    world.bedrock = Down()
    planned(story, sources=2, tokens=50_000)
    with pytest.raises(ServiceUnavailable):
        OnePage(story).lap()
    assert purse(story).held != NOTHING

    with pytest.raises(CoverageTooLow):
        story.validate()
    assert purse(story).held == NOTHING


def test_a_budget_that_lasts_for_nothing_is_no_report(story: Story, model: Answering) -> None:
    planned(story, sources=3, tokens=100)
    read(story)

    with pytest.raises(CoverageTooLow, match="3 for which the budget was spent"):
        story.validate()
    assert not model.payloads


def test_sources_that_fail_of_themselves_count_as_ever(story: Story, model: Answering) -> None:
    planned(story, sources=4, tokens=4_000)
    for source in sources_of(story)[:2]:
        cast("FakeWeb", story.ports.fetcher).pages.pop(source["url"])
    read(story)

    with pytest.raises(CoverageTooLow, match="1 of 4 sources could be read, 1 for which"):
        story.validate()
    assert len(model.payloads) == 1


def test_when_the_time_is_over_nothing_more_is_fetched_or_asked(
    story: Story, model: Answering
) -> None:
    planned(story, sources=3, minutes=10)
    first, second, third = sources_of(story)
    story.read(first["item"], first["url"])
    page = story.fetch(second["item"], second["url"])
    text = story.extract(second["item"], second["url"], page)
    cast("FakeClock", story.ports.clock).pass_seconds(600)
    asked = list(cast("FakeWeb", story.ports.fetcher).pages_asked)

    with pytest.raises(SourceFailed, match="budget") as analyzed:
        story.analyze(second["item"], text)
    with pytest.raises(SourceRefused, match="budget of time was over") as fetched:
        story.fetch(third["item"], third["url"])
    assert {analyzed.value.code, fetched.value.code} == {BUDGET_SPENT}
    assert cast("FakeWeb", story.ports.fetcher).pages_asked == asked
    assert len(model.payloads) == 1
    for source in (second, third):
        story.set_aside(source["item"], {"Error": "SourceRefused", "Cause": ""})
    assert story.validate()["read"] == 1
    assert the_report(story)["coverage"]["is_partial"]


def test_the_time_of_a_later_run_is_its_own(story: Story) -> None:
    planned(story, minutes=10)
    until = story.state["until"]
    cast("FakeClock", story.ports.clock).pass_seconds(3_000)
    story.record_failure("Unexpected", "{}")
    again = {"resume": {"task_id": story.state["task_id"], "run": 2}}
    story.request, story.execution, story.state = again, "run-2", {}
    story.plan()

    assert story.state["until"] == until + 3_000


def test_a_task_knows_its_budget_in_words(story: Story) -> None:
    planned(story, tokens=1_000, minutes=5)
    task = story.ports.ledger.task(story.state["task_id"])

    assert task is not None
    assert task.budget == "1,000 tokens, 5 minutes"


def test_a_request_without_a_budget_is_known_by_what_it_was(story: Story, world: World) -> None:
    without = request_from(dict(story.request), world)
    within = request_from({**story.request, "budget": {"tokens": 5}}, world)

    assert input_id(without) == INPUT_ID
    assert input_id(within) != INPUT_ID
    assert task_of(within) == task_of(without)


def hold(story: Story, cost: Cost) -> Intent:
    """Another worker's call."""
    task_id = story.state["task_id"]
    held = story.ports.ledger.reserve_paid(task_id, "any key", "findings", Hold(cost=cost))
    assert isinstance(held, Intent)
    return held


def dies(_: Any) -> JobState:
    """A worker, while a model is at it."""
    raise Died("before its answer")


class OnePage(Analyzing):
    """ANALYZE of one text, for a source of a run that is planned."""

    def __init__(self, story: Story, text: Text | None = None, number: int = 0) -> None:
        self.story, self.run = story, 1
        self.item = sources_of(story)[number]["item"]
        text = text or the_text(paragraphs=1)
        self.ref = story.ports.artifacts.put(story.state["task_id"], "text", text_body(text))
