"""ANALYZE with a model that was asked the same before: nobody pays twice."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, cast

import pytest

from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.endings import Ending
from lambdas.agent.job_state import NOTHING_USED, JobState
from lambdas.agent.model import Unit
from lambdas.agent.runtime import run
from lambdas.steps.analyze import analyze
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Died
from tests.fakes.jobs import Answering, FakeJobs, found_by_model, stammering
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.test_models import (
    SENTENCE,
    USED,
    Analyzing,
    OtherItem,
    dies_after,
    ends,
    says,
    the_text,
)


@pytest.fixture
def model(world: World) -> Answering:
    world.bedrock = model = Answering(answer=lambda _: says(SENTENCE))
    return model


def the_next(story: Story, **other: Any) -> Story:
    """A later task of the same agent, with the same sources."""
    request = {**deepcopy(dict(story.request)), "workflow_id": "acme-2", **other}
    return Story(ports=story.ports, request=request, execution="run-of-the-next")


@pytest.mark.promise("R12", "R35")
def test_an_unchanged_page_costs_no_call_in_a_later_task(story: Story, model: Answering) -> None:
    first = Analyzing(story)
    first.told()
    later = Analyzing(the_next(story))

    assert later.told() == found_by_model(1)
    assert len(model.payloads) == 1
    assert later.analysis().findings == first.analysis().findings
    assert (first.analysis().usage, later.analysis().usage) == (USED, NOTHING_USED)


def test_each_part_of_a_long_text_is_known_again(story: Story, model: Answering) -> None:
    text = the_text(paragraphs=150)
    model.answer = lambda _: says()
    Analyzing(story, text).told()
    asked = len(model.payloads)
    Analyzing(the_next(story), text).told()

    assert asked > 1
    assert len(model.payloads) == asked


@pytest.mark.promise("R34")
def test_the_answer_is_copied_into_the_task_that_uses_it(story: Story, model: Answering) -> None:
    """The one before may reach the end of its retention while this report counts."""
    assert not model.payloads
    Analyzing(story).told()
    later = Analyzing(the_next(story))
    later.told()

    artifacts = cast("MemoryArtifacts", story.ports.artifacts)
    answers = [ref for ref in artifacts.bodies if "/answer/" in ref]
    tasks = {story.state["task_id"], later.story.state["task_id"]}
    assert len(tasks) == len(answers) == 2
    assert all(any(task in ref for ref in answers) for task in tasks)


@pytest.mark.parametrize(
    "other",
    [{"agent_id": "another"}, {"questions": ["Which seats are there?"]}],
    ids=["agent", "questions"],
)
def test_what_differs_is_asked(story: Story, model: Answering, other: dict[str, Any]) -> None:
    Analyzing(story).told()
    Analyzing(the_next(story, **other)).told()

    assert len(model.payloads) == 2


def test_another_model_is_asked(story: Story, model: Answering) -> None:
    Analyzing(story).told()
    model.name = "another-model"
    Analyzing(the_next(story)).told()

    assert len(model.payloads) == 2


def test_another_text_is_asked_about(story: Story, model: Answering) -> None:
    Analyzing(story).told()
    Analyzing(the_next(story), the_text(paragraphs=1)).told()

    assert len(model.payloads) == 2


@pytest.mark.parametrize("answer", [ends(Ending.MODEL_REFUSED), JobState.done(b"{")])
def test_an_answer_of_no_use_is_not_kept(story: Story, model: Answering, answer: JobState) -> None:
    model.answer = lambda _: answer
    Analyzing(story).fault()
    before = len(model.payloads)
    Analyzing(the_next(story)).fault()

    assert len(model.payloads) == 2 * before


def test_what_was_kept_of_a_stammering_model_is_what_it_said_at_last(
    story: Story, world: World
) -> None:
    world.bedrock = model = stammering(says(SENTENCE))
    Analyzing(story).told()
    Analyzing(the_next(story)).told()

    assert len(model.payloads) == 3  # the half answer is asked for again, the whole one is not


@pytest.mark.parametrize("harm", ["gone", "changed"])
def test_an_answer_that_is_gone_or_was_changed_is_asked_for_again_and_once(
    story: Story, model: Answering, harm: str
) -> None:
    Analyzing(story).told()
    bodies = cast("MemoryArtifacts", story.ports.artifacts).bodies
    (ref,) = (ref for ref in bodies if "/answer/" in ref)
    if harm == "gone":
        del bodies[ref]
    else:
        bodies[ref] = b'{"findings":[]}'
    for number in (2, 3):
        later = Analyzing(the_next(story, workflow_id=f"acme-{number}"))
        assert later.told() == found_by_model(1)

    assert len(model.payloads) == 2


def test_two_sources_of_one_run_with_the_same_text_are_one_question(
    story: Story, model: Answering
) -> None:
    Analyzing(story).told()
    OtherItem(story).told()

    assert len(model.payloads) == 1


@pytest.mark.promise("R12", "R13", "R20")
def test_who_has_paid_and_died_finds_the_answer_with_its_price(
    story: Story, world: World, model: Answering, clock: FakeClock
) -> None:
    worker = dies_after("memos.keep", Analyzing(story, the_text(paragraphs=1)), world)
    model.payloads.clear()
    analyzing = OtherItem(story)
    with pytest.raises(Died):
        analyzing.lap(worker)
    clock.pass_seconds(budget(Step.ANALYZE).lease + CLOCK_SKEW + 1)

    assert analyzing.lap() == found_by_model(1)
    assert len(model.payloads) == 1
    assert analyzing.analysis().usage == USED


def test_a_job_under_way_is_followed_though_another_had_the_answer_meanwhile(
    story: Story, world: World
) -> None:
    """It is paid for, and its price belongs to this source."""
    world.bedrock = FakeJobs(lag=1, end=says(SENTENCE))
    slow, quick = Analyzing(story), OtherItem(story)
    assert slow.lap()["progress"] == "PENDING"
    quick.told()
    slow.told()

    assert (slow.analysis().usage, quick.analysis().usage) == (USED, USED)


@pytest.mark.promise("R14")
def test_an_answer_that_was_had_before_is_counted(story: Story, model: Answering) -> None:
    assert not model.payloads
    Analyzing(story).told()
    later = Analyzing(the_next(story))
    unit = a_unit(later)

    ran = run(analyze, unit, story.ports, owner="any", seconds=budget(Step.ANALYZE).function)

    assert (ran.reused, ran.usage) == (1, NOTHING_USED)


def a_unit(analyzing: Analyzing) -> Unit:
    state = analyzing.story.state
    args = {"text": analyzing.ref, "request": state["request"]}
    return Unit(task_id=state["task_id"], step=Step.ANALYZE, item=analyzing.item, args=args)
