"""Records and answers stay small, whatever a run holds: 300 sources, 3 MB of text."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.s3_artifacts import S3Artifacts
from lambdas.agent.contract import FACTS_LIMIT, INLINE_LIMIT, STATE_LIMIT, Step, budget
from lambdas.agent.errors import SourceUnavailable
from lambdas.agent.identity import canonical
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.runtime import run
from lambdas.agent.work import Work
from tests.contracts.table import a_bucket, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeWeb
from tests.fakes.story import State, Story
from tests.fakes.world import World
from tests.steps.conftest import PAGES, PRICING, until

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

RECORD_LIMIT = 8192
"""Bytes of an item, names included, as DynamoDB counts them."""
RETENTION_DAYS = 30
UNIT = Unit(task_id="t", step=Step.FETCH, item="s", args={"url": "https://a.test/"})


@dataclass(slots=True, kw_only=True)
class Measured(Story):
    """A story that keeps the size of every answer."""

    sizes: list[int] = field(default_factory=list)

    def _do(self, step: Step, event: Mapping[str, Any]) -> State:
        told = super(Measured, self)._do(step, event)
        self.sizes.append(len(canonical(told)))
        return told


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield a_table()


@pytest.fixture
def measured(world: World, table: DynamoDBClient, request_: dict[str, Any]) -> Measured:
    """The ledger on DynamoDB, whose records are weighed; the rest in memory."""
    world.ledger = DynamoDbLedger(table, "ledger", world.clock, retention=RETENTION_DAYS)
    return Measured(ports=world, request=request_)


@pytest.fixture
def stored(world: World, table: DynamoDBClient) -> World:
    """The ledger on DynamoDB and the artifacts in S3."""
    world.ledger = DynamoDbLedger(table, "ledger", world.clock, retention=RETENTION_DAYS)
    world.artifacts = S3Artifacts(a_bucket(), "artifacts")
    return world


@pytest.mark.promise("R3", "R6", "R37")
def test_three_hundred_sources_leave_small_records_and_small_answers(
    measured: Measured, table: DynamoDBClient
) -> None:
    """Case B01: what a state hands on does not grow with what the sources hold."""
    urls = [f"https://acme.test/{n}" for n in range(300)]
    pages = {url: PAGES[PRICING].replace(b"49", str(n).encode()) for n, url in enumerate(urls)}
    cast("FakeWeb", measured.ports.fetcher).pages |= pages
    measured.request = {**measured.request, "sources": [{"url": url} for url in urls]}

    until(measured, "COMPLETE")
    measured.complete()

    assert len(measured.sizes) > 900
    assert max(measured.sizes) <= STATE_LIMIT
    assert max(weights(table)) < RECORD_LIMIT


@pytest.mark.promise("R3", "R6", "R37")
def test_three_megabytes_of_text_leave_small_records_and_small_answers(
    measured: Measured, table: DynamoDBClient
) -> None:
    """Case B01."""
    rng = random.Random(3)
    plans = "\n\n".join(f"The {rng.random()} plan costs {n} euros." for n in range(75_000))
    cast("FakeWeb", measured.ports.fetcher).pages |= PAGES | {PRICING: f"P\n\n{plans}".encode()}

    until(measured, "COMPLETE")

    assert len(plans) > 3_000_000
    assert max(measured.sizes) <= STATE_LIMIT
    assert max(weights(table)) < RECORD_LIMIT


@pytest.mark.promise("R3")
@pytest.mark.parametrize("size", [0, 1000, FACTS_LIMIT - 40])
def test_a_record_that_is_full_in_every_part_stays_small(
    stored: World, table: DynamoDBClient, size: int
) -> None:
    """Case B02: the limit counts all that stands beside each other, in bytes."""
    herb = "\N{HERB}"
    facts, cursor = {"x": "x" * size}, {"next": 1}
    room = INLINE_LIMIT - len(canonical([facts, cursor]))
    body = random.Random(1).randbytes(room - 11)  # what deflate adds to what it cannot pack
    lap = replace(Outcome.go_on(cursor, result=body), facts=facts)
    ran(stored, lap)

    def fails(_: Work) -> Outcome:
        raise SourceUnavailable(herb * 2000, code="C" * 40, dependency=herb * 200)

    with pytest.raises(SourceUnavailable):
        run(fails, UNIT, stored, owner="o" * 36, seconds=budget(UNIT.step).function)

    (record,) = stored.ledger.units("t")
    assert record.outcome is not None
    assert record.outcome.result == body
    assert record.last_error.startswith(herb * 200)
    assert max(weights(table)) < RECORD_LIMIT


@pytest.mark.promise("R34")
def test_the_time_to_delete_is_in_whole_seconds(stored: World, table: DynamoDBClient) -> None:
    """Cases A03 and A12: DynamoDB deletes by epoch seconds; any other unit never ends."""
    cast("FakeClock", stored.clock).pass_seconds(0.75)
    ran(stored, Outcome.done())
    stored.ledger.reserve("t", "any key", "any kind")

    items = table.scan(TableName="ledger")["Items"]
    assert len(items) == 2
    for item in items:
        (kind, value), *_ = item["delete_after"].items()
        assert (kind, str(value).isdigit()) == ("N", True)
        assert 0 < int(str(value)) - stored.clock.now() <= RETENTION_DAYS * 86_400


def weights(table: DynamoDBClient) -> Iterator[int]:
    """Bytes of every item, as DynamoDB counts them: UTF-8, with the names."""
    for page in table.get_paginator("scan").paginate(TableName="ledger"):
        for item in page["Items"]:
            yield sum(len(name) + _weight(value) for name, value in item.items())


def _weight(value: Mapping[str, Any]) -> int:
    ((_, inner),) = value.items()
    return len(inner if isinstance(inner, bytes) else str(inner).encode())


def ran(world: World, outcome: Outcome) -> dict[str, Any]:
    """The same unit each time: one that is done answers with what it committed."""

    def step(_: Work) -> Outcome:
        return replace(outcome)

    seconds = budget(UNIT.step).function
    return run(step, UNIT, world, owner="any", seconds=seconds).outcome.as_event()
