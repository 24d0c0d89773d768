"""Results of every size and kind: stored whole, or refused before anything outside was touched."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.s3_artifacts import S3Artifacts
from lambdas.agent.contract import FACTS_LIMIT, INLINE_LIMIT, MOVE_LIMIT, Step, budget
from lambdas.agent.errors import ServiceUnavailable, Unexpected
from lambdas.agent.identity import canonical
from lambdas.agent.intents import Ability, Effect
from lambdas.agent.job_places import Kind
from lambdas.agent.jobs import follow
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import Ran, run
from lambdas.agent.tasks import Move
from lambdas.agent.work import Work, stored_result
from tests.contracts.table import REGION, a_bucket, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import FakeJobs
from tests.fakes.world import World, a_world

UNIT = Unit(task_id="t", step=Step.ANALYZE, item="s", args={"text": "any"})
RECORD_LIMIT = 8192
FLOATS: dict[str, Any] = {
    "score": 0.1,
    "scores": [0.25, 1e-07, 123456789.12345679],
    "n": 3,
    "big": 12345678901234567890,
    "nested": {"p": [{"w": 0.3333333333333333}]},
    "text": "3.0",
    "zero": 0.0,
    "neg": -0.0,
}


@pytest.fixture(params=["memory", "aws"])
def world(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[World]:
    fake = a_world(clock)
    if request.param == "memory":
        yield fake
        return
    with mock_aws():
        fake.ledger = DynamoDbLedger(a_table(), "ledger", clock, retention=30)
        fake.artifacts = S3Artifacts(a_bucket(), "artifacts")
        yield fake


def ran(world: World, outcome: Outcome) -> Ran:
    seconds = budget(UNIT.step).function
    return run(lambda _: outcome, UNIT, world, owner="any", seconds=seconds)


def incompressible(size: int) -> bytes:
    return random.Random(7).randbytes(size)


@pytest.mark.promise("R3", "R4", "R37")
@pytest.mark.parametrize(
    "result",
    [
        b"a" * 450_000,
        ("水" * 140_000).encode(),
        ("🔥" * 110_000).encode(),
        b"a" * 390_000,
        incompressible(450_000),
        incompressible(INLINE_LIMIT),
        "".join(map(chr, random.Random(7).choices(range(0x4E00, 0x9FFF), k=140_000))).encode(),
        b"",
    ],
    ids=lambda result: f"{len(result)}",
)
def test_a_result_of_any_size_comes_back_whole_and_its_record_stays_small(
    world: World, result: bytes
) -> None:
    """Case A13: sizes are bytes, however few the characters."""
    ran(world, Outcome.done(result=result))
    again = ran(world, Outcome.done())

    assert stored_result(world, again.record) == result
    assert _size_of_the_record(world) < RECORD_LIMIT
    if again.outcome.result_ref:
        assert world.artifacts.get(again.outcome.result_ref) == result


@pytest.mark.promise("R10")
def test_numbers_come_back_as_they_were_told(world: World) -> None:
    """Case A10: what is answered at a replay is the same JSON, byte for byte."""
    told = ran(world, Outcome.done(**FLOATS)).outcome.as_event()
    again = ran(world, Outcome.done()).outcome.as_event()

    assert canonical(again) == canonical(told)  # which tells 3 from 3.0, and 0.0 from -0.0
    assert json.loads(json.dumps(again)) == told


def test_a_cursor_keeps_its_numbers_too(world: World) -> None:
    ran(world, Outcome.go_on(FLOATS))
    seen: list[Any] = []

    def looks(work: Work) -> Outcome:
        seen.append(work.cursor)
        return Outcome.done()

    run(looks, UNIT, world, owner="any", seconds=budget(UNIT.step).function)
    assert seen == [FLOATS]


@pytest.mark.promise("R13")
@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        datetime(2026, 1, 1, tzinfo=UTC),
        {"a set"},
        b"bytes",
        object(),
        "x" * MOVE_LIMIT,
        "水" * (MOVE_LIMIT // 3),
    ],
    ids=lambda value: f"{type(value).__name__}{len(value) if isinstance(value, str) else ''}",
)
@pytest.mark.parametrize("place", ["facts", "cursor", "move"])
def test_what_no_record_can_keep_is_refused_before_anything_happens(
    world: World, value: object, place: str
) -> None:
    """Case A09: whoever tries again finds nothing done, and the unit as it was before."""
    sent: list[str] = []
    mail = a_mail(sent)
    outcome = replace(
        {
            "facts": Outcome.done(x=value),
            "cursor": Outcome.go_on({"x": value}),
            "move": Outcome.done(move=_moving(value)),
        }[place],
        effects=(mail,),
    )

    for _ in range(2):
        with pytest.raises(Unexpected, match="this is a fault of the step"):
            ran(world, outcome)

    assert sent == []
    (unit,) = world.ledger.units("t", item="s")
    assert (unit.outcome, unit.error_code) == (None, "UNEXPECTED")


@pytest.mark.promise("R13")
@pytest.mark.parametrize("value", [float("nan"), datetime(2026, 1, 1, tzinfo=UTC), "x" * 2500])
def test_a_job_whose_place_no_record_can_keep_is_not_begun(world: World, value: object) -> None:
    """The provider's id will stand beside the place, and needs room there."""
    world.model = provider = FakeJobs(lag=1)

    def asks(work: Work) -> Outcome:
        follow(work, provider, {}, kind=Kind.FINDINGS, subject="any", place={"x": value})
        raise AssertionError("it was begun")

    with pytest.raises(Unexpected, match="this is a fault of the step"):
        run(asks, UNIT, world, owner="any", seconds=budget(UNIT.step).function)
    assert provider.jobs == {}


@pytest.mark.promise("R13")
def test_a_result_that_the_store_does_not_take_stops_its_effects(world: World) -> None:
    sent: list[str] = []
    mail = a_mail(sent)

    class FullStore:
        def put(self, task_id: str, kind: str, body: bytes) -> str:
            raise ServiceUnavailable("the store is away")

    world.artifacts = cast("Any", FullStore())
    with pytest.raises(ServiceUnavailable):
        ran(world, Outcome.done(result=incompressible(450_000), effects=(mail,)))
    assert sent == []


@pytest.mark.promise("R13")
def test_facts_that_are_too_large_say_that_it_is_the_steps_fault(world: World) -> None:
    with pytest.raises(Unexpected, match="what is large belongs into its result"):
        ran(world, Outcome.done(x="x" * FACTS_LIMIT))


def a_mail(sent: list[str]) -> Effect:
    def act(key: str) -> str:
        sent.append(key)
        return "receipt"

    return Effect(kind="mail", subject="ann", act=act, ability=Ability.TOKEN)


def _moving(value: object) -> Move:
    return Move(to=Step.REPORT, fields={"x": cast("str", value)})


def _size_of_the_record(world: World) -> int:
    """As DynamoDB counts it; 0 for a ledger in memory, which keeps no items."""
    if not isinstance(world.ledger, DynamoDbLedger):
        return 0
    client = boto3.client("dynamodb", region_name=REGION)
    items = cast("list[dict[str, Any]]", client.scan(TableName="ledger")["Items"])
    return max(sum(len(name) + _bytes(value) for name, value in item.items()) for item in items)


def _bytes(value: dict[str, Any]) -> int:
    (content,) = value.values()
    return len(content if isinstance(content, bytes) else str(content).encode())
