"""One contract for lists and counts of the ledger in memory and of the one on DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.agent.contract import Step
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.tasks import Move, NewTask, Place
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import DAY, MemoryLedger

RETENTION_DAYS = 30


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(clock, retention=RETENTION_DAYS)
        return
    with mock_aws():
        yield DynamoDbLedger(a_table(), "ledger", clock, retention=RETENTION_DAYS)


def accept(ledger: Ledger, clock: FakeClock, *names: str) -> None:
    for name in names:
        clock.pass_seconds(1.25)
        ledger.accept(
            NewTask(
                task_id=name, agent_id="a", workflow_id=name, input_id="i", execution=f"{name}-r1"
            )
        )


def names(ledger: Ledger, limit: int, before: Place | None = None) -> list[str]:
    return [task.task_id for task in ledger.newest(limit, before=before)]


def test_the_newest_tasks_come_first_page_by_page_and_none_twice(
    ledger: Ledger, clock: FakeClock
) -> None:
    accept(ledger, clock, "one", "two", "three", "four", "five")

    first = ledger.newest(2)
    second = ledger.newest(2, before=first[-1].place)

    assert [task.task_id for task in (*first, *second)] == ["five", "four", "three", "two"]
    assert names(ledger, 2, second[-1].place) == ["one"]
    assert names(ledger, 9) == ["five", "four", "three", "two", "one"]


def test_a_place_that_nobody_stands_at_any_more_is_one_still(
    ledger: Ledger, clock: FakeClock
) -> None:
    accept(ledger, clock, "one", "two")
    between = Place(created_at=clock.now() - 0.5, task_id="gone")

    assert names(ledger, 9, between) == ["one"]


@pytest.mark.promise("R34")
def test_what_is_past_its_retention_fills_no_page(ledger: Ledger, clock: FakeClock) -> None:
    accept(ledger, clock, "old", "older")
    clock.pass_seconds(RETENTION_DAYS * DAY / 2)
    accept(ledger, clock, "new")
    clock.pass_seconds(RETENTION_DAYS * DAY / 2)
    accept(ledger, clock, "newest")

    assert names(ledger, 2) == ["newest", "new"]
    assert names(ledger, 3) == ["newest", "new"]


@pytest.mark.promise("R34")
def test_behind_those_past_their_retention_the_page_goes_on(
    ledger: Ledger, clock: FakeClock
) -> None:
    accept(ledger, clock, "kept-0", "kept-1", "kept-2", "kept-3")
    accept(ledger, clock, "gone")
    clock.pass_seconds(RETENTION_DAYS * DAY / 2)
    for number in range(4):  # whoever is written to is kept from then on
        ledger.move(f"kept-{number}", Move(to=Step.FETCH), run=1)
    clock.pass_seconds(RETENTION_DAYS * DAY / 2)

    assert names(ledger, 1) == ["kept-3"]
    assert names(ledger, 2) == ["kept-3", "kept-2"]
    assert names(ledger, 9) == ["kept-3", "kept-2", "kept-1", "kept-0"]


def test_sources_are_counted_by_the_steps_that_they_have_passed(
    ledger: Ledger, clock: FakeClock
) -> None:
    accept(ledger, clock, "task")
    for step, item in (
        (Step.FETCH, "a"),
        (Step.ANALYZE, "a"),
        (Step.FETCH, "b"),
        (Step.SET_ASIDE, "b"),
        (Step.FETCH, "b.2"),  # tried again: its first try counts no more
        (Step.REPORT, "r1"),
    ):
        unit = Unit(task_id="task", step=step, item=item)
        held = ledger.claim(unit, owner="me", until=clock.now() + 60)
        ledger.commit(unit, held, Outcome.done())
    ledger.claim(Unit(task_id="task", step=Step.ANALYZE, item="b.2"), owner="me", until=1e12)

    tally = ledger.tally("task")

    assert (tally.read, tally.aside, tally.done) == (1, 0, 1)
    assert tally.passed[Step.FETCH] == 2
    assert ledger.tally("other").done == 0
