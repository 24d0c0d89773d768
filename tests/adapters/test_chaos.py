"""Deaths on purpose: where they are died, how often, and what is left of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lambdas.adapters.chaos import Chaos, Point, When
from lambdas.adapters.endangered import Endangered, Marker, markers
from lambdas.agent.contract import Step
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import run
from lambdas.settings import Settings
from tests.fakes.clock import FakeClock
from tests.fakes.world import World, a_world

UNIT = Unit(task_id="any-task", step=Step.FETCH, item="one")
PLACES = [
    "before:ledger.claim",
    "after:ledger.claim",
    "before:artifacts.put",
    "after:artifacts.put",
    "before:ledger.commit",
    "after:ledger.commit",
    "hang:ledger.commit",
]


class Died(BaseException):
    """What `die` raises here instead of ending the process."""


@pytest.fixture
def world() -> World:
    return a_world(FakeClock())


@pytest.fixture
def chaos(tmp_path: Path) -> Chaos:
    return Chaos(folder=str(tmp_path))


def lived(world: World, chaos: Chaos, unit: Unit = UNIT, *, owner: str = "any") -> str:
    """One invocation that stores a page; how it died, or nothing."""

    def die(when: When) -> None:
        raise Died(when)

    ports = cast("Ports", Endangered(world, chaos, die))
    try:
        run(
            lambda work: Outcome.done(ref=work.write("page", b"any page")),
            unit,
            ports,
            owner=owner,
            seconds=25,
        )
    except Died as death:
        cast("FakeClock", world.clock).pass_seconds(60)
        return str(death)
    return ""


@pytest.mark.parametrize("place", PLACES)
def test_a_named_death_is_died_once_and_its_heir_ends_the_work(
    world: World, chaos: Chaos, place: str
) -> None:
    chaos = replace(chaos, points=(Point.parse(f"FETCH:*:{place}"),))

    assert lived(world, chaos) == place.partition(":")[0]
    assert lived(world, chaos) == ""

    (record,) = world.ledger.units(UNIT.task_id)
    assert record.is_done


def test_each_unit_dies_a_death_of_its_own(world: World, chaos: Chaos) -> None:
    chaos = replace(chaos, points=(Point.parse("*:*:before:ledger.commit"),))

    assert lived(world, chaos) == "before"
    assert lived(world, chaos, replace(UNIT, item="two")) == "before"


@pytest.mark.parametrize("other", ["EXTRACT:*", "FETCH:two"])
def test_a_death_of_another_step_or_item_is_not_ours(
    world: World, chaos: Chaos, other: str
) -> None:
    chaos = replace(chaos, points=(Point.parse(f"{other}:before:ledger.commit"),))

    assert lived(world, chaos) == ""


def test_a_unit_dies_no_more_often_than_told(world: World, chaos: Chaos) -> None:
    points = tuple(Point.parse(f"*:*:{place}") for place in PLACES)

    deaths = [lived(world, replace(chaos, points=points, each=3)) for _ in range(5)]

    assert [bool(death) for death in deaths] == [True, True, True, False, False]


def test_a_marker_tells_what_had_been_done_and_whether_a_lease_was_lost(
    world: World, chaos: Chaos
) -> None:
    points = ("*:*:after:artifacts.put", "*:*:after:ledger.commit")
    chaos = replace(chaos, points=tuple(map(Point.parse, points)))

    lived(world, chaos)
    lived(world, chaos)

    found = {marker.call: marker for marker in markers(Path(chaos.folder), UNIT.task_id)}
    assert found["artifacts.put"] == Marker(
        task_id=UNIT.task_id,
        step="FETCH",
        item="one",
        when="after",
        call="artifacts.put",
        calls=("ledger.claim", "artifacts.put"),
        held=True,
    )
    assert found["ledger.commit"].held is False
    assert markers(Path(chaos.folder), "another-task") == []


def test_drawn_deaths_follow_from_the_seed(tmp_path: Path) -> None:
    def deaths(seed: int, folder: str) -> list[str]:
        (tmp_path / folder).mkdir()
        drawn = Chaos(folder=str(tmp_path / folder), seed=seed, rate=0.2, each=9)
        units = [replace(UNIT, item=f"item-{n}") for n in range(20)]
        fresh = a_world(FakeClock())
        return [lived(fresh, drawn, unit) for unit in units]

    first = deaths(1, "first")

    assert {"", "before", "after"} <= set(first)
    assert deaths(1, "again") == first
    assert deaths(2, "other") != first


def test_without_points_and_rate_nobody_dies(world: World, chaos: Chaos) -> None:
    assert lived(world, chaos) == ""
    assert list(Path(chaos.folder).iterdir()) == []


def test_a_port_that_a_deployment_does_not_have_is_missing_among_deaths_too(chaos: Chaos) -> None:
    ports = Endangered(SimpleNamespace(model=None, ocr=SimpleNamespace(ability="any")), chaos)

    assert ports.model is None
    assert ports.ocr.ability == "any"


def test_the_setting_is_read_as_it_was_written(chaos: Chaos) -> None:
    written = replace(chaos, points=(Point.parse("FETCH:*:hang:fetcher.get"),), seed=7, rate=0.1)

    assert Chaos.parse(str(written)) == written


def test_a_death_is_a_sigkill_of_the_own_process() -> None:
    code = (
        "import sys; from lambdas.adapters.chaos import When;"
        "from lambdas.adapters.endangered import die; die(When.AFTER); print('alive')"
    )

    ended = subprocess.run(  # noqa: S603 ours
        [sys.executable, "-c", code], capture_output=True, check=False
    )

    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, b"")


LOADED = """
import json, sys
from lambdas import wiring
ports = wiring.ports()
print(json.dumps([type(ports).__name__, sorted(name for name in sys.modules if name in sys.argv)]))
"""
CHAOTIC = ["lambdas.adapters.chaos", "lambdas.adapters.endangered"]


@pytest.mark.parametrize(
    ("setting", "found"), [("", ["Deployed", []]), ('{"folder": "any"}', ["Endangered", CHAOTIC])]
)
def test_a_function_loads_chaos_only_where_its_setting_names_some(
    setting: str, found: list[Any], any_settings: Callable[..., Settings]
) -> None:
    environment = {**os.environ, **any_settings(chaos=setting).as_environment()}

    told = subprocess.run(  # noqa: S603 ours
        [sys.executable, "-c", LOADED, *CHAOTIC],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(told.stdout) == found


@pytest.fixture
def any_settings() -> Callable[..., Settings]:
    environment = {f"RATCHET_{name.upper()}": "7" for name in Settings.__slots__}

    return lambda **changes: replace(Settings.from_environment(environment), **changes)
