"""Following a run: look after look, and a question where a person is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Self

import pytest
from moto import mock_aws

from console.errors import Refused
from console.watch import MISSES, Ask, Look, follow, looks, question
from lambdas.agent.contract import Decision
from lambdas.agent.errors import IllegalMove
from lambdas.agent.verdicts import Verdict
from tests.console.bench import Bench, a_bench, read_what_there_is, until_asked
from tests.fakes.story import Story

APPROVED = Verdict(decision=Decision.APPROVED, by="ann")
PASSED = {
    "StartAt": "PLAN",
    "States": {
        "PLAN": {"Type": "Pass", "Result": {"sources": 2}, "Next": "COMPLETE"},
        "COMPLETE": {"Type": "Pass", "End": True},
    },
}


@dataclass(slots=True)
class Seen:
    """A view that remembers."""

    looks: list[Look] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    pauses: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def show(self, look: Look) -> None:
        self.looks.append(look)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.pauses += 1
        yield


@dataclass(slots=True)
class World:
    """Moves on between two looks, one event after the other."""

    events: list[Callable[[], object]]

    def __call__(self, _: float) -> None:
        if not self.events:
            raise AssertionError("the run is over and is looked at again")
        self.events.pop(0)()


def test_follows_an_execution_to_its_end_and_shows_its_states(tmp_path: Path) -> None:
    with executing(tmp_path, PASSED) as bench:
        story = bench.story()
        story.plan()
        end = followed(bench, story, Seen(), ask=never)

    assert end.is_over
    assert end.here is None
    assert [visit.state for visit in end.visits] == ["PLAN", "COMPLETE"]
    assert end.visits[0].output == {"sources": 2}


def test_asks_about_a_revision_once_and_hands_the_answer_on(bench: Bench) -> None:
    story = until_asked(bench.story())
    seen, asked = Seen(), []

    def ask(look: Look) -> Verdict:
        asked.append(look.waits_for)
        return APPROVED

    followed(
        bench,
        story,
        seen,
        ask=ask,
        world=[nothing, story.publish, story.complete, lambda: bench.ends(story)],
    )

    assert asked == [1]
    assert seen.said[0] == "approval asked: revision 1, no statements from 1 of 2 sources"
    assert seen.said[1].startswith("approved by ann at ")
    assert seen.pauses == 1


def test_asks_again_about_the_next_revision(bench: Bench) -> None:
    story = until_asked(bench.story())
    asked: list[int] = []

    def ask(look: Look) -> Verdict:
        asked.append(look.waits_for)
        changes = Verdict(decision=Decision.CHANGES_REQUESTED, by="ann", note="more")
        return changes if look.waits_for == 1 else APPROVED

    def revise() -> None:
        story.report()
        story.approve("another-token")

    followed(bench, story, Seen(), ask=ask, world=[revise, lambda: bench.ends(story)])

    assert asked == [1, 2]


def test_goes_on_waiting_where_nobody_answers_here(bench: Bench) -> None:
    story = until_asked(bench.story())
    seen = Seen()

    end = followed(
        bench, story, seen, ask=never, world=[nothing, nothing, lambda: bench.ends(story)]
    )

    assert len(seen.said) == 1
    assert len(seen.looks) == 4
    assert end.waits_for == 1


def test_a_decision_that_is_refused_ends_the_following(bench: Bench) -> None:
    story = until_asked(bench.story())
    bench.functions.fails_with = [IllegalMove("Task any waits for nobody")]

    with pytest.raises(Refused, match="waits for nobody"):
        followed(bench, story, Seen(), ask=lambda _: APPROVED, world=[])


def test_gives_up_on_an_execution_that_nobody_knows(bench: Bench) -> None:
    never_there = looks(bench.account, "any", "never-there")

    with pytest.raises(Refused, match="knows no execution never-there"):
        list(islice(never_there, MISSES + 1))


def test_counts_sources_again_only_after_a_while(tmp_path: Path) -> None:
    """Each count of a large run costs; what it costs decides how often it is done."""
    reading = {"Type": "Wait", "Seconds": 3600, "End": True}
    with executing(
        tmp_path, {"StartAt": "EACH_SOURCE", "States": {"EACH_SOURCE": reading}}
    ) as bench:
        story, clock = bench.story(), Clock()
        story.plan()
        each = looks(bench.account, story.state["task_id"], story.execution, clock)
        counts = [next(look for look in each if look.visits).tally.read]
        read_what_there_is(story)
        counts.append(next(each).tally.read)
        clock.now += 1000
        counts.append(next(each).tally.read)
        bench.ends(story)

    assert counts == [0, 0, 1]


def test_the_map_tells_of_sources_that_no_record_tells_of(tmp_path: Path) -> None:
    one = {"StartAt": "FETCH", "States": {"FETCH": {"Type": "Pass", "End": True}}}
    processor = {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}, **one}
    states = {
        "PLAN": {"Type": "Pass", "Result": {"items": [1, 2]}, "Next": "EACH_SOURCE"},
        "EACH_SOURCE": {
            "Type": "Map",
            "ItemsPath": "$.items",
            "MaxConcurrency": 2,
            "ItemProcessor": processor,
            "End": True,
        },
    }
    with executing(tmp_path, {"StartAt": "PLAN", "States": states}) as bench:
        story = bench.story()
        story.plan()
        end = followed(bench, story, Seen(), ask=never)

    assert end.finished == 2
    assert (end.tally.done, end.done, end.sources) == (0, 2, 2)


def test_a_question_tells_what_there_is_to_decide_on(bench: Bench) -> None:
    story = until_asked(bench.story())
    look = next(looks(bench.account, story.state["task_id"], story.execution))

    assert question(look) == "approval asked: revision 1, no statements from 1 of 2 sources"


@contextmanager
def executing(out: Path, definition: Mapping[str, Any]) -> Iterator[Bench]:
    """A bench whose state machine runs for real, in moto's interpreter."""
    with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
        yield a_bench(out, definition)


@dataclass(slots=True)
class Clock:
    """Looking at it takes a second: so a count takes one too."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def followed(
    bench: Bench,
    story: Story,
    seen: Seen,
    *,
    ask: Ask,
    world: list[Callable[[], object]] | None = None,
) -> Look:
    pause = World(world) if world is not None else a_moment
    task = story.state["task_id"]
    return follow(bench.account, task, story.execution, view=seen, ask=ask, pause=pause)


def never(_: Look) -> None:
    return


def nothing() -> None:
    return


def a_moment(_: float) -> None:
    time.sleep(0.02)
