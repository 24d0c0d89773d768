"""One contract for an effect's way through the ledger, in memory and on DynamoDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.agent.errors import Unexpected
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.ledger_ports import Ledger
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger

TASK, KEY = "agent-flow-0123456789ab", "k" * 64
RETENTION_DAYS = 30

Move = Callable[[Ledger], Intent]


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(clock, retention=RETENTION_DAYS)
        return
    with mock_aws():
        yield DynamoDbLedger(a_table(), "ledger", clock, retention=RETENTION_DAYS)


def reserve(ledger: Ledger) -> Intent:
    return ledger.reserve(TASK, KEY, "findings")


def submit(ledger: Ledger) -> Intent:
    return ledger.submitted(TASK, KEY, "job-1")


def settle(ledger: Ledger) -> Intent:
    return ledger.settle(TASK, KEY, "receipt")


def give_up(ledger: Ledger) -> Intent:
    return ledger.give_up(TASK, KEY, "JOB_FAILED")


@pytest.mark.promise("R11")
def test_an_effect_is_new_to_the_worker_who_reserved_it_and_to_nobody_else(
    ledger: Ledger, clock: FakeClock
) -> None:
    at = clock.now()
    mine = reserve(ledger)
    clock.pass_seconds(60)

    assert mine == Intent(
        key=KEY, kind="findings", stage=Stage.RESERVED, reserved_at=at, is_new=True
    )
    assert reserve(ledger) == replace(mine, is_new=False)


@pytest.mark.promise("R11", "R12")
def test_the_providers_id_is_found_by_whoever_comes_later(ledger: Ledger) -> None:
    reserve(ledger)
    submitted = submit(ledger)

    assert (submitted.stage, submitted.external_id) == (Stage.SUBMITTED, "job-1")
    assert reserve(ledger) == submitted


@pytest.mark.promise("R13")
def test_the_first_id_stays_when_a_second_worker_brings_another(ledger: Ledger) -> None:
    reserve(ledger)
    submit(ledger)

    assert ledger.submitted(TASK, KEY, "job-2").external_id == "job-1"
    assert reserve(ledger).external_id == "job-1"


@pytest.mark.promise("R13")
@pytest.mark.parametrize("begun", [[reserve], [reserve, submit]])
@pytest.mark.parametrize(
    ("end", "stage", "kept"),
    [(settle, Stage.DONE, ("receipt", "")), (give_up, Stage.FAILED, ("", "JOB_FAILED"))],
)
def test_an_effect_ends_from_wherever_it_is(
    ledger: Ledger, begun: list[Move], end: Move, stage: Stage, kept: tuple[str, str]
) -> None:
    before = [move(ledger) for move in begun][-1]
    ended = end(ledger)

    assert (ended.stage, ended.external_id) == (stage, before.external_id)
    assert (ended.receipt, ended.error_code) == kept
    assert reserve(ledger) == ended


@pytest.mark.promise("R13", "R15")
@pytest.mark.parametrize("end", [settle, give_up])
@pytest.mark.parametrize("late", [reserve, submit, settle, give_up])
def test_what_has_ended_stays_as_it_ended(ledger: Ledger, end: Move, late: Move) -> None:
    reserve(ledger)
    ended = end(ledger)

    assert late(ledger) == ended
    assert reserve(ledger) == ended


@pytest.mark.parametrize("move", [submit, settle, give_up])
def test_an_effect_that_nobody_reserved_cannot_go_on(ledger: Ledger, move: Move) -> None:
    with pytest.raises(Unexpected, match="no record of the effect"):
        move(ledger)


def test_an_effect_is_kept_as_long_after_its_last_write_as_any_record(
    ledger: Ledger, clock: FakeClock
) -> None:
    reserve(ledger)
    clock.pass_seconds((RETENTION_DAYS - 1) * 86_400)
    submitted = submit(ledger)
    clock.pass_seconds((RETENTION_DAYS - 1) * 86_400)

    assert reserve(ledger) == submitted
    clock.pass_seconds(2 * 86_400)
    assert reserve(ledger).is_new
