"""Where the links of approvals lead, in the ledger's table: a partition for each.

A key is a hash of the id that was handed out: nobody who reads the table can open a link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_upcasts import current
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import Unexpected
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
INVITATIONS = "INVITATION#"


class DynamoDbInvitations:
    """See the port for the promises. `retention` is in days after the write."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock, *, retention: int) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention

    def keep(self, link: str, *, task_id: str, item: str) -> None:
        now = self._clock.now()
        written = {
            **_key(link),
            "task_id": text(task_id),
            "item": text(item),
            "schema_version": number(SCHEMA_VERSION),
            "created_at": number(now),
            "delete_after": number(int(now) + self._retention * DAY),
        }
        try:
            with translated("DynamoDB", "writing an invitation"), refusals():
                self._client.put_item(
                    TableName=self._table,
                    Item=written,
                    ConditionExpression=ABSENT_OR_PAST,
                    ExpressionAttributeValues={":now": number(now)},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except Refused as refused:
            if _leads_to(refused.old) != (task_id, item):
                raise Unexpected(f"{item} of task {task_id} drew another's invitation") from None

    def find(self, link: str) -> tuple[str, str] | None:
        with translated("DynamoDB", "reading an invitation"):
            item = self._client.get_item(
                TableName=self._table, Key=_key(link), ConsistentRead=True
            ).get("Item")
        return _leads_to(dict(item)) if item and self._is_kept(dict(item)) else None

    def _is_kept(self, item: Item) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()


def _key(link: str) -> Item:
    return {"pk": text(f"{INVITATIONS}{link}"), "sk": text("INVITATION")}


def _leads_to(item: Item) -> tuple[str, str]:
    item = dict(current(item))
    return item["task_id"]["S"], item["item"]["S"]
