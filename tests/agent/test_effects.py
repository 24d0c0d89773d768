"""An effect found again without its receipt: what its provider's ability lets us do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import pytest

from lambdas.agent.contract import Step, budget
from lambdas.agent.effects import RECEIPT_LIMIT, happen
from lambdas.agent.errors import OutcomeUnknown, OutOfTime, ServiceUnavailable
from lambdas.agent.identity import effect_key
from lambdas.agent.intents import Ability, Effect, Intent
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import run
from lambdas.agent.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.world import World

UNIT = Unit(task_id="t", step=Step.PUBLISH, item="r1")
KEY = effect_key("t", Step.PUBLISH, "mail", "ann")


class Provider:
    """Does what it is told; `loses_answers` times it does so and breaks the connection."""

    def __init__(self, *, loses_answers: int = 0) -> None:
        self.done: list[str] = []
        self._lost = loses_answers

    def act(self, key: str) -> str:
        self.done.append(key)
        if len(self.done) <= self._lost:
            raise ServiceUnavailable("the connection broke")
        return f"receipt-{len(self.done)}"

    def find(self, key: str) -> str | None:
        return "found" if key in self.done else None

    def mail(self, ability: Ability) -> Effect:
        return Effect(kind="mail", subject="ann", act=self.act, ability=ability, find=self.find)


def mailed(world: World, provider: Provider, ability: Ability) -> str:
    def send(work: Work) -> Outcome:
        return Outcome.done(receipt=happen(work, provider.mail(ability)))

    return str(ran(world, send).facts["receipt"])


def ran(world: World, execute: Callable[[Work], Outcome]) -> Outcome:
    seconds = budget(UNIT.step).function
    return run(execute, UNIT, world, owner="any", seconds=seconds).outcome


@pytest.mark.promise("R11", "R13")
@pytest.mark.parametrize("ability", Ability)
def test_an_effect_happens_once_and_its_receipt_is_found_again(
    world: World, ability: Ability
) -> None:
    provider = Provider()
    receipts: list[str] = []

    def twice(work: Work) -> Outcome:
        receipts.extend(happen(work, provider.mail(ability)) for _ in range(2))
        return Outcome.done(effects=(provider.mail(ability),) * 2)

    ran(world, twice)
    assert receipts == ["receipt-1", "receipt-1"]
    assert provider.done == [KEY]


@pytest.mark.promise("R13")
@pytest.mark.parametrize("ability", [Ability.TOKEN, Ability.AT_LEAST_ONCE])
def test_a_receiver_that_knows_repeats_is_told_again_under_the_same_key(
    world: World, ability: Ability
) -> None:
    provider = Provider(loses_answers=1)
    with pytest.raises(ServiceUnavailable):
        mailed(world, provider, ability)

    assert mailed(world, provider, ability) == "receipt-2"
    assert provider.done == [KEY, KEY]


@pytest.mark.promise("R13")
def test_a_provider_that_can_be_asked_is_asked_before_anything_is_done_again(
    world: World,
) -> None:
    provider = Provider(loses_answers=1)
    with pytest.raises(ServiceUnavailable):
        mailed(world, provider, Ability.LOOKUP)

    assert mailed(world, provider, Ability.LOOKUP) == "found"
    assert provider.done == [KEY]


@pytest.mark.promise("R13")
def test_a_provider_that_knows_of_nothing_is_told_after_all(world: World) -> None:
    world.ledger.reserve("t", KEY, "mail")
    provider = Provider()

    assert mailed(world, provider, Ability.LOOKUP) == "receipt-1"


@pytest.mark.promise("R13")
def test_what_only_a_person_can_find_out_is_left_to_one(world: World) -> None:
    provider = Provider(loses_answers=1)
    with pytest.raises(ServiceUnavailable):
        mailed(world, provider, Ability.PARK)

    with pytest.raises(OutcomeUnknown, match=f"Look there for key {KEY}"):
        mailed(world, provider, Ability.PARK)
    assert provider.done == [KEY]


@pytest.mark.promise("R13")
def test_a_worker_near_its_leases_end_begins_no_effect(world: World, clock: FakeClock) -> None:
    """The reservation itself took so long that the answer might come when an heir is at it."""
    provider = Provider()
    reserve = world.ledger.reserve

    class SlowLedger:
        def __getattr__(self, name: str) -> Any:
            return getattr(ledger, name)

        def reserve(self, task_id: str, key: str, kind: str) -> Intent:
            clock.pass_seconds(budget(UNIT.step).step)
            return reserve(task_id, key, kind)

    ledger, world.ledger = world.ledger, cast("Any", SlowLedger())
    with pytest.raises(OutOfTime, match="no time left for mail"):
        mailed(world, provider, Ability.AT_LEAST_ONCE)
    assert provider.done == []


@pytest.mark.promise("R13")
@pytest.mark.parametrize(
    "receipt",
    [
        datetime(2026, 1, 1, tzinfo=UTC),
        Decimal("1.10"),
        {"a set"},
        b"bytes",
        float("nan"),
        object(),
        None,
        "\ud800 half a character",
        "水" * 140_000,
    ],
    ids=lambda receipt: type(receipt).__name__,
)
def test_whatever_a_receiver_answers_can_be_kept_and_nothing_is_sent_again(
    world: World, receipt: object
) -> None:
    sent: list[str] = []

    def send(work: Work) -> Outcome:
        def act(key: str) -> str:
            sent.append(key)
            return cast("str", receipt)

        mail = Effect(kind="mail", subject="ann", act=act, ability=Ability.AT_LEAST_ONCE)
        kept = happen(work, mail)
        kept.encode()
        assert len(kept) <= RECEIPT_LIMIT
        raise ServiceUnavailable("it could not be committed")

    for _ in range(2):
        with pytest.raises(ServiceUnavailable):
            ran(world, send)
    assert sent == [KEY]
