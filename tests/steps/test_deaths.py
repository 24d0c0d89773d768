"""Whatever call a worker dies at, its heir brings the step to the same end, and nothing is done
twice. The boundaries are found by running: a new call is covered without a new test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import pytest

from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.doors.decide import decide
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal
from tests.fakes.outside import FakeBus, FakeCallbacks, FakeShelf, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World, a_world
from tests.steps.conftest import PAGES, PRICING, sources_of, until

Verb = Callable[[Story], Any]
LONGEST_LEASE = max(budget(step).lease for step in Step) + CLOCK_SKEW + 1


def _first(story: Story) -> dict[str, str]:
    return next(source for source in sources_of(story) if source["url"] == PRICING)


def _fetch(story: Story) -> Any:
    return story.fetch(_first(story)["item"], PRICING)


def _extract(story: Story) -> Any:
    return story.extract(_first(story)["item"], PRICING, _fetch(story))


def _decide(story: Story) -> Any:
    event = {"task_id": story.state["task_id"], "decision": "APPROVED", "by": "ann", "note": ""}
    said = decide(event, story.ports, owner=f"door-{id(story.ports)}", seconds=20)
    return {"decision": said["decision"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The story up to a state, what is done before it unharmed, and the verb that is killed."""

    name: str
    before: str
    verb: Verb
    prepare: Verb = lambda _: None

    def __str__(self) -> str:
        return self.name


SCENES = [
    Scene(name="PLAN", before="PLAN", verb=Story.plan),
    Scene(name="FETCH", before="READ", verb=_fetch),
    Scene(name="EXTRACT", before="READ", verb=_extract, prepare=_fetch),
    Scene(
        name="ANALYZE",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_extract,
    ),
    Scene(
        name="SET_ASIDE",
        before="READ",
        verb=lambda s: s.set_aside(_first(s)["item"], {"Error": "Runtime.ExitError"}),
    ),
    Scene(name="VALIDATE", before="VALIDATE", verb=Story.validate),
    Scene(name="REPORT", before="REPORT", verb=Story.report),
    Scene(name="APPROVE", before="APPROVE", verb=Story.approve),
    Scene(name="DECIDE", before="DECIDE", verb=_decide),
    Scene(name="PUBLISH", before="PUBLISH", verb=Story.publish),
    Scene(name="COMPLETE", before="COMPLETE", verb=Story.complete),
    Scene(
        name="RECORD_FAILURE",
        before="VALIDATE",
        verb=lambda s: s.record_failure("CoverageTooLow", '{"errorMessage": "too few"}'),
    ),
]


def test_every_step_has_a_scene() -> None:
    assert {scene.name for scene in SCENES} >= set(Step)


@pytest.mark.promise("R10", "R13", "R20", "R36")
@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_an_heir_ends_what_a_dead_worker_began(scene: Scene, request_: dict[str, Any]) -> None:
    story, world = _told(scene, request_)
    expected, effects = scene.verb(story), _effects(world)

    died_at = set()
    for boundary in _boundaries():
        story, world = _told(scene, request_)
        mortal = Mortal(world, boundary)
        story.ports = cast("Any", mortal)
        try:
            scene.verb(story)
        except Died as death:
            died_at.add(str(death))
        else:
            break
        story.ports = world
        cast("FakeClock", world.clock).pass_seconds(LONGEST_LEASE)

        state = dict(story.state)
        healed = scene.verb(story)

        assert _lasting(healed) == _lasting(expected), mortal.died_at
        assert _effects(world) == effects, mortal.died_at
        story.state = state  # the same delivery once more
        assert scene.verb(story) == healed, f"a replay after dying {mortal.died_at}"
    assert {"before ledger.claim", "after ledger.claim", "before ledger.commit"} <= died_at
    assert "after ledger.commit" in died_at


def _told(scene: Scene, request: dict[str, Any]) -> tuple[Story, World]:
    world = a_world(FakeClock())
    cast("FakeWeb", world.fetcher).pages |= PAGES
    cast("FakeCallbacks", world.callbacks).waiting = {"token"}
    story = until(Story(ports=world, request=request), scene.before)
    scene.prepare(story)
    return story, world


def _boundaries() -> Iterator[Boundary]:
    for call in count():
        yield Boundary(call=call, after=False)
        yield Boundary(call=call, after=True)


def _lasting(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what tells the hour: an heir comes later, so its report says so."""
    return {name: value for name, value in answer.items() if name not in {"ref", "at"}}


def _effects(world: World) -> dict[str, Any]:
    """What others could notice: an event may come twice, but then under the same id."""
    return {
        "files": sorted(cast("FakeShelf", world.shelf).files),
        "latest": sorted(cast("FakeShelf", world.shelf).pointers),
        "events": {(kind, key) for kind, key, _ in cast("FakeBus", world.announcer).events},
        "woken": [token for token, _ in cast("FakeCallbacks", world.callbacks).woken],
    }
