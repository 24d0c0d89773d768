"""A text too long for one invocation: laps inside the budget, and a cursor that outlives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from lambdas.adapters.extractive_analyst import ExtractiveAnalyst
from lambdas.agent.analysis import Analysis
from lambdas.agent.codec import text_body
from lambdas.agent.contract import Step, budget
from lambdas.agent.extractive import Lap
from lambdas.agent.findings import Text
from lambdas.agent.work import stored_result
from tests.agent.test_extractive import a_long_text
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Died
from tests.fakes.story import Story, invoke
from tests.fakes.world import World
from tests.matrix.plays import LONGEST_LEASE
from tests.steps.conftest import REQUEST, sources_of, until

PIECES = 50
TEXT = a_long_text(PIECES)


class SlowAnalyst:
    """Each piece takes its time; at the `dies_at`-th the worker is killed."""

    def __init__(self, clock: FakeClock, *, seconds: float, dies_at: int = 0) -> None:
        self._clock = clock
        self._seconds = seconds
        self._dies_at = dies_at
        self.starts: list[int] = []
        self.pieces = 0

    def find(
        self, text: Text, questions: Sequence[str], *, start: int, stop: Callable[[], bool]
    ) -> Lap:
        def time_passes() -> bool:
            self._clock.pass_seconds(self._seconds)
            self.pieces += 1
            if self.pieces == self._dies_at:
                raise Died
            return stop()

        self.starts.append(start)
        return ExtractiveAnalyst().find(text, questions, start=start, stop=time_passes)


@pytest.fixture(scope="module")
def undisturbed() -> Lap:
    return ExtractiveAnalyst().find(TEXT, REQUEST["questions"], start=0, stop=lambda: False)


@pytest.mark.promise("R16", "R17", "R19", "R37")
def test_two_megabytes_take_several_laps_and_lose_nothing(
    story: Story, clock: FakeClock, undisturbed: Lap
) -> None:
    analyst = SlowAnalyst(clock, seconds=budget(Step.ANALYZE).step / 6)

    laps = _laps(story, analyst)

    assert len(text_body(TEXT)) > 2_000_000
    assert laps == ["CONTINUE"] * (len(laps) - 1) + ["DONE"]
    assert len(laps) >= PIECES // 6
    assert analyst.starts == sorted(set(analyst.starts))
    assert Analysis.of(_found(story)).findings == undisturbed.findings


@pytest.mark.promise("R16", "R20", "R36")
def test_a_killed_lap_is_worked_again_and_no_other(
    story: Story, clock: FakeClock, undisturbed: Lap
) -> None:
    analyst = SlowAnalyst(clock, seconds=budget(Step.ANALYZE).step / 6, dies_at=20)
    with pytest.raises(Died):
        _laps(story, analyst)
    before = list(analyst.starts)
    clock.pass_seconds(LONGEST_LEASE)

    _laps(story, analyst)

    after = analyst.starts[len(before) :]
    assert len(before) > 2
    assert after[0] == before[-1]
    assert after == sorted(set(after))
    assert Analysis.of(_found(story)).findings == undisturbed.findings


def _event(story: Story) -> dict[str, Any]:
    if not story.state:
        until(story, "READ")
    ref = story.ports.artifacts.put(story.state["task_id"], "text", text_body(TEXT))
    args = {"text": ref, "request": story.state["request"]}
    item = sources_of(story)[0]["item"]
    return {"task_id": story.state["task_id"], "item": item, "args": args}


def _laps(story: Story, analyst: SlowAnalyst) -> list[str]:
    event = _event(story)
    cast("World", story.ports).analyst = analyst
    laps = [invoke(Step.ANALYZE, event, story.ports)["progress"]]
    while laps[-1] != "DONE":
        laps.append(invoke(Step.ANALYZE, event, story.ports)["progress"])
    return laps


def _found(story: Story) -> bytes | None:
    units = story.ports.ledger.units(story.state["task_id"])
    (record,) = (unit for unit in units if unit.step is Step.ANALYZE)
    return stored_result(story.ports, record)
