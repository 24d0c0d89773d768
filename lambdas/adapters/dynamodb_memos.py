"""Where models' answers are kept, in the ledger's table: an item and a partition for each question.

A key is a hash: neither the question nor a word of the page stands in the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_upcasts import current
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.model import Memo
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
ANSWERS = "ANSWER#"

_ABSENT_OR_OF_NO_USE = f"{ABSENT_OR_PAST} OR #ref = :instead_of"


class DynamoDbMemos:
    """See the port for the promises. `retention` is in days after the write."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock, *, retention: int) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention

    def get(self, key: str) -> Memo | None:
        with translated("DynamoDB", "reading where an answer is kept"):
            item = self._client.get_item(
                TableName=self._table, Key=_key(key), ConsistentRead=True
            ).get("Item")
        return _memo(dict(item)) if item and self._is_kept(dict(item)) else None

    def keep(self, key: str, memo: Memo, *, instead_of: str = "") -> Memo:
        now = self._clock.now()
        item = {
            **_key(key),
            "ref": text(memo.ref),
            "by": text(memo.by),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(now),
            "delete_after": number(int(now) + self._retention * DAY),
        }
        try:
            with translated("DynamoDB", "writing where an answer is kept"), refusals():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression=_ABSENT_OR_OF_NO_USE,
                    ExpressionAttributeNames={"#ref": "ref"},
                    ExpressionAttributeValues={
                        ":now": number(now),
                        ":instead_of": text(instead_of),
                    },
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except Refused as refused:
            return _memo(refused.old)
        return memo

    def _is_kept(self, item: Item) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()


def _key(key: str) -> Item:
    return {"pk": text(f"{ANSWERS}{key}"), "sk": text("ANSWER")}


def _memo(item: Item) -> Memo:
    item = dict(current(item))
    return Memo(ref=item["ref"]["S"], by=item["by"]["S"])
