"""What a budget is to the report: to its written answers, and to its comparison."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lambdas.agent.contract import Step
from lambdas.agent.costs import NOTHING
from lambdas.agent.job_state import JobState, Usage
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import Answering
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import BLOG, PRICING, sources_of, until
from tests.steps.test_baseline import report
from tests.steps.test_written_reports import TEAM, fellow

USED = Usage(input_tokens=900, output_tokens=100)


def spending_so_much(payload: Any) -> JobState:
    """Finds and writes what it is shown; each call takes a thousand tokens."""
    state = fellow().answer(payload)
    return JobState.done(state.body, usage=USED)


@pytest.fixture
def model(world: World) -> Answering:
    world.bedrock = model = Answering(answer=spending_so_much, longest_answer=100)
    return model


def told(story: Story, **fields: Any) -> Story:
    """Up to its report."""
    run = Story(ports=story.ports, request={**story.request, **fields}, execution="any")
    return until(run, "APPROVE")


def purse(story: Story) -> Any:
    return story.ports.ledger.purse(story.state["task_id"])


@pytest.mark.promise("R12", "R35")
def test_written_answers_are_paid_from_the_runs_purse(story: Story, model: Answering) -> None:
    run = told(story)

    assert len(model.payloads) == 4  # two pages, and two questions
    assert (purse(run).held, purse(run).spent.tokens) == (NOTHING, 4_000)
    assert report(run)["spent"]["tokens"] == 4_000


def test_a_budget_that_is_spent_on_the_sources_costs_the_written_answers_alone(
    story: Story, model: Answering
) -> None:
    run = told(story, budget={"tokens": 3_500})

    said = report(run)
    assert len(model.payloads) == 2
    assert [answer["written"] for answer in said["answers"]] == [[], []]
    assert all("BUDGET_SPENT" in answer["note"] for answer in said["answers"])
    assert said["answers"][0]["statements"][0]["text"] == TEAM
    assert purse(run).held == NOTHING


def test_when_the_time_is_over_no_answer_is_written_any_more(
    story: Story, model: Answering
) -> None:
    run = Story(
        ports=story.ports, request={**story.request, "budget": {"minutes": 5}}, execution="any"
    )
    until(run, "VALIDATE")
    cast("FakeClock", story.ports.clock).pass_seconds(301)
    run.validate()
    run.report()

    assert len(model.payloads) == 2
    assert all("BUDGET_SPENT" in answer["note"] for answer in report(run)["answers"])


def test_where_the_budget_did_not_last_for_the_sources_a_person_is_asked(
    story: Story, model: Answering
) -> None:
    """Nobody knows whether what was not read has changed."""
    compared = {"baseline": "previous", "approval": "on_change"}
    first = Story(ports=story.ports, request={**story.request, **compared}, execution="first")
    until(first, "COMPLETE")
    clock = cast("FakeClock", story.ports.clock)
    clock.pass_seconds(7 * 24 * 3600)
    pages = cast("Any", story.ports.fetcher).pages
    pages[BLOG] = pages[BLOG] + b"\n\nIt also launched Deal Room in November, a room for deals."
    request = {**story.request, **compared, "workflow_id": "w2", "budget": {"tokens": 500}}
    second = Story(ports=story.ports, request=request, execution="second")
    second.plan()
    (changed,) = sources_of(second)
    with pytest.raises(Exception, match="budget") as failed:
        second.read(changed["item"], changed["url"])
    second.set_aside(changed["item"], {"Error": type(failed.value).__name__, "Cause": ""})
    second.validate()
    second.report()
    second.approve()

    said = report(second)
    assert {line["url"]: line["change"] for line in said["sources"]} == {
        PRICING: "UNCHANGED",
        BLOG: "UNREACHABLE",
    }
    assert (said["changes"]["is_short"], said["coverage"]["is_partial"]) == (False, True)
    units = story.ports.ledger.units(second.state["task_id"], item="r1")
    (asked,) = (unit for unit in units if unit.step is Step.APPROVE)
    assert not asked.is_done
    assert len(model.payloads) == 4  # all of them for the first
