"""What a dead worker leaves in the bucket: objects that nobody points to, and no second ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.contract import Step
from tests.fakes.deaths import Died
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.matrix.account import tags
from tests.matrix.plays import LONGEST_LEASE
from tests.matrix.scene import Scene
from tests.matrix.takes import on_aws
from tests.steps.conftest import PRICING, sources_of


@pytest.mark.promise("R4", "R20")
def test_a_page_that_was_stored_twice_is_one_object() -> None:
    """Case A19: killed between the artifact and its record."""
    with on_aws(Scene(name="any", before="READ", verb=Story.plan)) as take:
        story = take()
        bucket = cast("Any", story.ports.artifacts)._client
        item = next(each["item"] for each in sources_of(story) if each["url"] == PRICING)
        world, story.ports = story.ports, cast("Any", _dies_after_storing(story))
        with pytest.raises(Died, match="after artifacts"):
            story.fetch(item, PRICING)
        left = _pages(bucket)
        story.ports = world
        cast("Any", world.clock).pass_seconds(LONGEST_LEASE)

        told = story.fetch(item, PRICING)

        (unit,) = (u for u in world.ledger.units(story.state["task_id"]) if u.step is Step.FETCH)
        assert unit.outcome is not None
        assert left == _pages(bucket) == [told["ref"]] == [unit.outcome.ref]


def _dies_after_storing(story: Story) -> World:
    kept = story.ports.artifacts

    class LastWords:
        def put(self, task_id: str, kind: str, body: bytes) -> str:
            kept.put(task_id, kind, body)
            raise Died("after artifacts.put")

    return replace(cast("World", story.ports), artifacts=cast("Any", LastWords()))


def _pages(bucket: Any) -> list[str]:
    return [key for key in tags(bucket) if "/page/" in key]
