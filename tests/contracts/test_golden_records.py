"""Records of every released schema version are read as today's: tests/golden/v<version>/ keeps
them as that version wrote them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.dynamodb_visits import DynamoDbVisits
from lambdas.adapters.ledger_upcasts import UPCASTS, Item, current
from lambdas.agent.contract import SCHEMA_VERSION, Progress, Status, Step
from lambdas.agent.errors import StillClaimed, Unexpected
from lambdas.agent.intents import Stage
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.tasks import NewTask
from tests.contracts.table import a_table
from tests.contracts.test_visits import SEEN
from tests.fakes.clock import FakeClock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
TASK_ID = "competitor-monitor-acme-1-b66342da6ec7"
ANALYZE = Unit(task_id=TASK_ID, step=Step.ANALYZE, item="s1", args={"text": "tasks/t/text/1"})
FETCH = Unit(task_id=TASK_ID, step=Step.FETCH, item="s3", args={"url": "https://acme.test/"})


def golden(name: str, version: int = 1) -> dict[str, Any]:
    item = json.loads((GOLDEN / f"v{version}" / f"{name}.json").read_text(encoding="utf-8"))
    return {key: _with_bytes(value) for key, value in item.items()}


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    """The table as version 1 filled it."""
    with mock_aws():
        client = a_table()
        for path in (GOLDEN / "v1").glob("*.json"):
            client.put_item(TableName="ledger", Item=golden(path.stem))
        yield client


@pytest.fixture
def ledger(table: DynamoDBClient, clock: FakeClock) -> DynamoDbLedger:
    return DynamoDbLedger(table, "ledger", clock, retention=30)


@pytest.mark.promise("R5")
def test_a_task_of_version_1_is_read() -> None:
    task = items.task_record(golden("task"))

    assert (task.task_id, task.agent_id, task.workflow_id) == (
        TASK_ID,
        "competitor-monitor",
        "acme-1",
    )
    assert (task.status, task.current_step) == (Status.WAITING_FOR_APPROVAL, Step.APPROVE)
    assert (task.run, task.read, task.revision, task.state_version) == (1, 2, 1, 3)
    assert (task.created_at, task.updated_at) == (1_780_000_000.0, 1_780_000_001.5)


@pytest.mark.promise("R5")
def test_units_of_version_1_are_read() -> None:
    done, lap, claimed, waiting, whole = (
        items.unit_record(golden(f"unit-{name}"))
        for name in ("done", "between-laps", "claimed", "waiting", "of-the-task")
    )

    assert done.outcome == Outcome.done(
        ref="tasks/t/findings/1", result=b'[{"question":0}]', findings=1, score=0.25
    )
    assert lap.outcome == Outcome.go_on({"next": 40_000}, result=b"[]")
    assert (claimed.outcome, claimed.owner, claimed.attempt) == (None, "two", 2)
    assert (claimed.error_code, claimed.dependency) == ("HTTP_503", "acme.test")
    assert waiting.outcome is not None
    assert (waiting.outcome.progress, waiting.outcome.callback) == (Progress.WAITING, "AQC+/x==")
    assert whole.outcome == Outcome.done(ref="tasks/t/validated/1", read=2, sources=3)


@pytest.mark.promise("R5")
def test_intents_of_version_1_are_read() -> None:
    reserved, done = items.intent(golden("intent-reserved")), items.intent(golden("intent-done"))

    assert (reserved.key, reserved.kind, reserved.stage) == ("0" * 64, "files", Stage.RESERVED)
    assert (done.kind, done.stage, done.receipt) == ("latest", Stage.DONE, "latest")
    assert not done.is_new


@pytest.mark.promise("R5")
def test_visits_of_version_1_are_found_under_their_addresses_and_read(
    table: DynamoDBClient, clock: FakeClock
) -> None:
    visits = DynamoDbVisits(table, "ledger", clock, retention=30)

    assert visits.last("competitor-monitor", SEEN.url) == SEEN
    assert visits.first(TASK_ID, SEEN.sha256, "s2") == "s1"


@pytest.mark.promise("R5", "R10")
def test_what_version_1_finished_is_not_done_again(ledger: DynamoDbLedger) -> None:
    """Case B23: handlers of today go on in a run that the version before began."""
    again = ledger.claim(ANALYZE, owner="new", until=1_780_000_050.0)
    task = NewTask(
        task_id=TASK_ID,
        agent_id="competitor-monitor",
        workflow_id="acme-1",
        input_id="request-1",
        execution="any",
    )

    assert again.is_done
    assert ledger.accept(task).status is Status.WAITING_FOR_APPROVAL
    assert ledger.reserve(TASK_ID, "1" * 64, "latest").stage is Stage.DONE
    assert not ledger.reserve(TASK_ID, "0" * 64, "files").is_new


def test_a_lease_of_version_1_holds_until_it_ends(ledger: DynamoDbLedger, clock: FakeClock) -> None:
    with pytest.raises(StillClaimed, match="leased to two"):
        ledger.claim(FETCH, owner="new", until=clock.now() + 30)
    clock.pass_seconds(60)

    held = ledger.claim(FETCH, owner="new", until=clock.now() + 30)
    ledger.commit(FETCH, held, Outcome.done())
    assert held.attempt == 3


def test_every_version_before_todays_has_an_upcast_and_golden_records() -> None:
    assert set(UPCASTS) == set(range(1, SCHEMA_VERSION))
    assert {path.name for path in GOLDEN.iterdir()} == {
        f"v{version}" for version in range(1, SCHEMA_VERSION + 1)
    }


def test_upcasts_are_applied_one_after_the_other() -> None:
    def named(item: Item) -> Item:
        return {**item, "agent_id": item["agent"]}

    def counted(item: Item) -> Item:
        return {"run": {"N": "1"}, **item}

    old = {"agent": {"S": "a"}, "schema_version": {"N": "0"}}
    read = current(old, version=2, upcasts={0: named, 1: counted})

    assert read == {**old, "agent_id": {"S": "a"}, "run": {"N": "1"}, "schema_version": {"N": "2"}}
    assert old["schema_version"] == {"N": "0"}


def test_an_item_without_a_version_is_of_the_first() -> None:
    assert current({"any": {"S": "x"}}, version=1)["schema_version"] == {"N": "1"}


@pytest.mark.promise("R5")
@pytest.mark.parametrize(
    ("read", "name"),
    [
        (items.task_record, "task"),
        (items.unit_record, "unit-done"),
        (items.intent, "intent-done"),
    ],
)
def test_a_record_of_a_newer_version_is_refused_with_what_to_do(read: Any, name: str) -> None:
    newer = {**golden(name), "schema_version": {"N": str(SCHEMA_VERSION + 1)}}

    with pytest.raises(Unexpected, match="deploy the newer version") as refused:
        read(newer)
    assert refused.value.code == "SCHEMA_TOO_NEW"


def _with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64decode(value["B"])} if "B" in value else value
