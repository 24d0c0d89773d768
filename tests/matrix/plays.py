"""One death, played to its end: whatever becomes of a worker, the story goes on as it would have.

The boundaries are found by running: a new call of a port is covered without a new test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, cast

from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.costs import EMPTY, NOTHING, Purse
from lambdas.agent.errors import Retryable, StillClaimed
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal, die
from tests.fakes.story import Story
from tests.matrix.scene import Scene
from tests.matrix.takes import Take

LONGEST_LEASE = max(budget(step).lease for step in Step) + CLOCK_SKEW + 1
TELLS_THE_HOUR = frozenset({"ref", "at"})
"""An heir comes later, so its report says so."""


class Fate(StrEnum):
    KILLED = "killed"  # the worker is gone, its heir comes when the lease is over
    LATE = "late"  # it stands still until its heir is through, then goes on as if nothing were
    DOUBLED = "doubled"  # the same delivery reaches a second worker while the first is at it


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What is left when all is told."""

    answer: dict[str, Any]
    effects: dict[str, Any]
    purse: Purse


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """What became of one worker: where it met its fate, and what was seen afterwards."""

    scene: str
    at: str
    fate: Fate
    replays: int
    effects: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """A scene that was played undisturbed: how it ends, and the calls it makes on the way."""

    scene: Scene
    take: Take
    sides: tuple[bool, ...]
    calls: tuple[str, ...]
    end: End

    def deaths(self, fate: Fate) -> Iterator[Death]:
        """One on each side of every call."""
        for call in range(len(self.calls)):
            for after in self.sides:
                yield _play(self, Boundary(call=call, after=after), fate)


def rehearsal(scene: Scene, take: Take, sides: tuple[bool, ...]) -> Rehearsal:
    story = take()
    watched = Mortal(story.ports)
    answer = scene.verb(_in_hands_of(watched, story))
    end = End(answer=answer, effects=_effects(story), purse=_purse(story))
    return Rehearsal(scene=scene, take=take, sides=sides, calls=tuple(watched.calls), end=end)


def _play(rehearsed: Rehearsal, boundary: Boundary, fate: Fate) -> Death:
    scene, expected, story = rehearsed.scene, rehearsed.end, rehearsed.take()
    asked, before = dict(story.state), _count(_effects(story))
    worker, told = _FATES[fate](scene, story, boundary)
    at = f"{fate} {worker.died_at} in {scene}"

    assert worker.died_at, f"nobody came to boundary {boundary} of {scene}"
    assert _lasting(told) == _lasting(expected.answer), at
    assert _effects(story) == expected.effects, at
    assert _purse(story) == expected.purse, at
    watched = Mortal(story.ports)
    again = scene.verb(_in_hands_of(watched, story, asked))
    assert again == told, f"a replay after {at}"
    effects = _effects(story)
    assert effects == expected.effects, f"a replay after {at}"
    assert _purse(story) == expected.purse, f"a replay after {at}"
    return Death(
        scene=scene.name,
        at=worker.died_at,
        fate=fate,
        replays=worker.replays + watched.replays,
        effects=_count(effects) - before,
    )


def _killed(scene: Scene, story: Story, boundary: Boundary) -> tuple[Mortal, Any]:
    worker = Mortal(story.ports, boundary, die)
    asked = dict(story.state)
    try:
        scene.verb(_in_hands_of(worker, story))
    except Died:
        _let_leases_end(story)
    return worker, scene.verb(_in_hands_of(story.ports, story, asked))


def _late(scene: Scene, story: Story, boundary: Boundary) -> tuple[Mortal, Any]:
    told: list[Any] = []
    stands: list[Any] = []
    heir = _in_hands_of(story.ports, story)

    def meanwhile(_: str) -> None:
        _let_leases_end(story)
        told.append(scene.verb(heir))
        stands.append(_committed(heir))

    worker = Mortal(story.ports, boundary, meanwhile)
    late = _answer(scene, _in_hands_of(worker, story), Retryable)
    assert late in (None, *told), f"the late worker {worker.died_at} in {scene} told another story"
    assert [_committed(heir)] == stands, f"the late worker {worker.died_at} in {scene} wrote"
    return worker, told[0]


def _doubled(scene: Scene, story: Story, boundary: Boundary) -> tuple[Mortal, Any]:
    twin = _in_hands_of(story.ports, story)
    told: list[Any] = []
    worker = Mortal(
        story.ports, boundary, lambda _: told.append(_answer(scene, twin, StillClaimed))
    )
    answer = scene.verb(_in_hands_of(worker, story))
    assert told[0] in (None, answer), f"two workers {worker.died_at} in {scene} told two stories"
    return worker, answer


_FATES: dict[Fate, Callable[[Scene, Story, Boundary], tuple[Mortal, Any]]] = {
    Fate.KILLED: _killed,
    Fate.LATE: _late,
    Fate.DOUBLED: _doubled,
}


def _in_hands_of(ports: Any, story: Story, state: dict[str, Any] | None = None) -> Story:
    """The same delivery for another worker: whatever one does to the state is not the other's."""
    return replace(story, ports=ports, state=dict(story.state if state is None else state))


def _answer(scene: Scene, story: Story, refusal: type[Exception]) -> Any:
    """None where the worker was sent away, to be retried."""
    try:
        return scene.verb(story)
    except refusal:
        return None


def _let_leases_end(story: Story) -> None:
    cast("FakeClock", story.ports.clock).pass_seconds(LONGEST_LEASE)


def _lasting(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in TELLS_THE_HOUR}


def _effects(story: Story) -> dict[str, list[Any]]:
    """What others could notice, by port. A repeat under the same key is no second effect."""
    ports = {
        each.name: getattr(story.ports, each.name) for each in fields(cast("Any", story.ports))
    }
    return {name: port.noticed() for name, port in ports.items() if hasattr(port, "noticed")}


def _purse(story: Story) -> Purse:
    """What models have cost. Whatever was held is given back, whoever died holding it."""
    if "task_id" not in story.state:
        return EMPTY
    ledger, task_id = story.ports.ledger, story.state["task_id"]
    assert list(ledger.held(task_id)) == []
    assert ledger.purse(task_id).held == NOTHING
    return ledger.purse(task_id)


def _count(effects: Mapping[str, list[Any]]) -> int:
    return sum(map(len, effects.values()))


def _committed(story: Story) -> Any:
    """What stands, without what counts writes: a delivery that asks anew may write the same."""
    ledger, task_id = story.ports.ledger, story.state["task_id"]
    task = ledger.task(task_id)
    assert task is not None
    units = [(u.item, u.step, u.fingerprint, u.outcome) for u in ledger.units(task_id)]
    return replace(task, state_version=0, updated_at=0.0), sorted(units, key=lambda u: u[:2])
