"""The Lambda edge: what it does with too little time, and with an answer that is too large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from lambdas import wiring
from lambdas.agent.contract import STATE_LIMIT, Step
from lambdas.agent.errors import OutOfTime, StepError, Unexpected
from lambdas.agent.model import Outcome
from lambdas.agent.work import Work
from lambdas.entry import step_handler
from lambdas.settings import PREFIX, Settings
from tests.contracts.table import a_bucket, a_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVENT = {"task_id": "t", "step": Step.FETCH.value, "item": "s", "args": {"url": "https://a.test/"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What Lambda hands in, as far as we look at it."""

    left: Any
    aws_request_id: str = "any-request"
    function_name: str = "any-function"
    memory_limit_in_mb: int = 256
    invoked_function_arn: str = "any-arn"

    def get_remaining_time_in_millis(self) -> int:
        left: int = self.left
        return left


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """A deployed function's surroundings, in moto."""
    known = {
        "ledger_table": "ledger",
        "artifact_bucket": "artifacts",
        "retention_days": "30",
        "seconds_between": "0",
    }
    for each in fields(Settings):
        monkeypatch.setenv(PREFIX + each.name.upper(), known.get(each.name, ""))
    for built in (wiring._deployed, wiring._client):
        built.cache_clear()
    with mock_aws():
        a_bucket()
        yield a_table()
    for built in (wiring._deployed, wiring._client):
        built.cache_clear()


@pytest.mark.promise("R17")
@pytest.mark.parametrize(
    ("left", "refusal"),
    [(0, OutOfTime), (-5, OutOfTime), (1, OutOfTime), (3000, OutOfTime), (None, StepError)],
)
def test_a_function_without_time_says_so_and_claims_nothing(
    table: DynamoDBClient, left: Any, refusal: type[StepError]
) -> None:
    """Case A02: 0 is a time, and so is less; no time at all is a fault that is told."""
    handler = step_handler(lambda _: Outcome.done())

    with pytest.raises(refusal):
        handler(dict(EVENT), Context(left=left))

    assert table.scan(TableName="ledger")["Items"] == []


@pytest.mark.promise("R6")
@pytest.mark.parametrize("size", [STATE_LIMIT, 100_000, 200_000, 255_000, 262_000])
def test_an_answer_that_no_state_should_carry_is_refused(table: DynamoDBClient, size: int) -> None:
    """Cases B01, B02 and B29: by our own limit, whatever the emulator lets through."""
    assert table
    handler = step_handler(
        lambda _: Outcome.done(), answer=lambda *_: {"text": "\N{HERB}" * (size // 4)}
    )

    with pytest.raises(Unexpected, match=f"may answer {STATE_LIMIT}"):
        handler(dict(EVENT), Context(left=25_000))


def test_an_answer_is_what_was_committed(table: DynamoDBClient) -> None:
    assert table

    def never(_: Work) -> Outcome:
        raise AssertionError("a finished unit had no business to run")

    first = step_handler(lambda _: Outcome.done(ref="r", n=1))(dict(EVENT), Context(left=25_000))
    again = step_handler(never)(dict(EVENT), Context(left=25_000))

    assert first == again == {"progress": "DONE", "ref": "r", "n": 1}
