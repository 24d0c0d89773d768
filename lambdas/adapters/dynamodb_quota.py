"""How often each visitor has asked in this minute, counted in the ledger's table.

A visitor's address is kept as a hash, and for an hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import Refused, refusals
from lambdas.adapters.ledger_items import number, text
from lambdas.agent.identity import digest
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EACH_MINUTE = 60
"""A person needs a handful; a building behind one address some dozens."""
QUOTAS = "QUOTA#"
_HOUR = 3600


class DynamoDbQuota:
    def __init__(
        self, client: DynamoDBClient, table: str, clock: Clock, *, most: int = EACH_MINUTE
    ) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._most = most

    def take(self, who: str) -> bool:
        now = int(self._clock.now())
        pk = partition_of(who, now)
        try:
            with translated("DynamoDB", "counting a visitor's requests"), refusals():
                self._client.update_item(
                    TableName=self._table,
                    Key={"pk": text(pk), "sk": text("QUOTA")},
                    UpdateExpression="SET delete_after = :later ADD taken :one",
                    ConditionExpression="attribute_not_exists(taken) OR taken < :most",
                    ExpressionAttributeValues={
                        ":later": number(now + _HOUR),
                        ":one": number(1),
                        ":most": number(self._most),
                    },
                )
        except Refused:
            return False
        return True


def partition_of(who: str, now: int) -> str:
    return f"{QUOTAS}{digest('visitor', who)[:32]}#{now // 60}"
