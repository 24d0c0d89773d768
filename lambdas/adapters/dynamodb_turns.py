"""Turns at a host, in the ledger's table: a bucket of one token, kept as the time it is full again.

Unused turns are not saved up. A burst is what turns are there to prevent: ten workers that begin
a run at once are ten requests in a second, and a site's crawl delay lies between any two requests.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
LEADING_KEY = "TURNS#"
ATTEMPTS = 4
"""Rounds of two requests. One is lost to each worker that comes between them, and after the first
that came between the host is not idle any more: more than two rounds say that something is wrong.
"""

_IS_BUSY = "free_at >= :now"
_IS_IDLE = "attribute_not_exists(pk) OR free_at < :now"


class DynamoDbTurns:
    """See the port for the promises. `retention` is in days after the last turn was taken.

    Each worker reads its own clock: two turns may lie as much closer together as those differ.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        clock: Clock,
        *,
        seconds_between: float,
        retention: int,
    ) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._seconds_between = seconds_between
        self._retention = retention

    def next(self, host: str, *, every: float) -> float:
        every = round(max(every, self._seconds_between), 3)
        if every <= 0:
            return self._clock.now()
        for _ in range(ATTEMPTS):
            free_at = self._behind_others(host, every) or self._first(host, every)
            if free_at:
                return round(free_at - every, 3)
        raise ServiceUnavailable(
            f"No turn at {host} could be had in {ATTEMPTS} attempts: too many workers ask at once, "
            "it is tried again",
            dependency="DynamoDB",
        )

    def _behind_others(self, host: str, every: float) -> float | None:
        update = "SET free_at = free_at + :every, delete_after = :delete_after"
        return self._moved(host, _IS_BUSY, update, {":every": number(every)}, self._now())

    def _first(self, host: str, every: float) -> float | None:
        now = self._now()
        update = "SET free_at = :free_at, delete_after = :delete_after, schema_version = :schema"
        values = {":free_at": number(now + every), ":schema": number(SCHEMA_VERSION)}
        return self._moved(host, _IS_IDLE, update, values, now)

    def _now(self) -> float:
        """In whole milliseconds that have passed: a turn that is now lies not in the future."""
        return floor(self._clock.now() * 1000) / 1000

    def _moved(
        self, host: str, condition: str, update: str, values: Item, now: float
    ) -> float | None:
        """When the host is free again after us; None where the condition does not hold."""
        times = {
            ":now": number(now),
            ":delete_after": number(int(now) + self._retention * DAY),
        }
        try:
            with translated("DynamoDB", "taking a turn"), refusals():
                answer = self._client.update_item(
                    TableName=self._table,
                    Key={"pk": text(f"{LEADING_KEY}{host}"), "sk": text("TURN")},
                    UpdateExpression=update,
                    ConditionExpression=condition,
                    ExpressionAttributeValues=times | values,
                    ReturnValues="UPDATED_NEW",
                )
        except Refused:
            return None
        return float(answer["Attributes"]["free_at"]["N"])
