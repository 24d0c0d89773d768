"""What was found at addresses, in the ledger's table: an item and a partition for each.

The key holds a hash of the address, and the address itself is not kept: whoever asks knows it,
and its query may hold a token that opens the page to every reader of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from lambdas.adapters.aws_faults import translated
from lambdas.adapters.dynamodb_conditions import ABSENT_OR_PAST, Refused, refusals
from lambdas.adapters.ledger_items import Item, number, text
from lambdas.adapters.ledger_upcasts import current
from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.identity import digest
from lambdas.agent.pages import Validators, Visit
from lambdas.agent.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DAY = 86_400
VISITS = "VISIT#"
FIRSTS = "BYTES#"
LONGEST_VALUE = 2048
"""Characters of an address or a validator. What is longer is left out: a part is of no use."""

_NOT_OLDER = f"{ABSENT_OR_PAST} OR fetched_at <= :fetched_at"


class DynamoDbVisits:
    """See the port for the promises. `retention` is in days after the last write."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock, *, retention: int) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._retention = retention

    def last(self, scope: str, url: str) -> Visit | None:
        with translated("DynamoDB", "reading a visit"):
            item = self._client.get_item(
                TableName=self._table, Key=_visit_key(scope, url), ConsistentRead=True
            ).get("Item")
        return _visit(item, url) if item and self._is_kept(item) else None

    def remember(self, scope: str, visit: Visit) -> Visit:
        item = {
            **_visit_key(scope, visit.url),
            **_attributes(visit),
            **self._kept_until(),
        }
        found = self._put(item, _NOT_OLDER, {":fetched_at": item["fetched_at"]})
        return _visit(found, visit.url)

    def first(self, scope: str, sha256: str, item: str) -> str:
        key = {"pk": text(f"{FIRSTS}{digest(scope, sha256)}"), "sk": text("FIRST")}
        put = {**key, "item": text(item), **self._kept_until()}
        return str(current(self._put(put, ABSENT_OR_PAST, {}))["item"]["S"])

    def _put(self, item: Item, condition: str, values: Item) -> Mapping[str, Any]:
        """What stands there afterwards: the item, or the one that the condition protects."""
        try:
            with translated("DynamoDB", "writing a visit"), refusals():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression=condition,
                    ExpressionAttributeValues={":now": number(self._clock.now()), **values},
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except Refused as refused:
            return refused.old
        return item

    def _kept_until(self) -> Item:
        delete_after = int(self._clock.now()) + self._retention * DAY
        return {"delete_after": number(delete_after), "schema_version": number(SCHEMA_VERSION)}

    def _is_kept(self, item: Mapping[str, Any]) -> bool:
        return int(item["delete_after"]["N"]) > self._clock.now()


def _visit_key(scope: str, url: str) -> Item:
    return {"pk": text(f"{VISITS}{digest(scope, url)}"), "sk": text("VISIT")}


def _attributes(visit: Visit) -> Item:
    """What is empty is left out."""
    told = {
        "ref": visit.ref,
        "final_url": _without_secrets(visit.final_url, visit.url),
        "content_type": _whole(visit.content_type),
        "sha256": visit.sha256,
        "before": visit.before,
        **_validators(visit),
    }
    return {
        "task_id": text(visit.task_id),
        "fetched_at": number(visit.fetched_at),
        **{name: text(value) for name, value in told.items() if value},
    }


def _validators(visit: Visit) -> dict[str, str]:
    """Nothing where it is not kept which address they are for: they are told to no other."""
    known = visit.validators
    whose = _without_secrets(known.url, visit.url)
    if known.url and not whose:
        return {}
    return {
        "etag": _whole(known.etag),
        "last_modified": _whole(known.last_modified),
        "validators_url": whose,
    }


def _visit(item: Mapping[str, Any], url: str) -> Visit:
    item = current(item)

    def told(name: str) -> str:
        return str(item.get(name, {}).get("S", ""))

    return Visit(
        url=url,
        task_id=told("task_id"),
        fetched_at=float(item["fetched_at"]["N"]),
        ref=told("ref"),
        final_url=_with_secrets(told("final_url"), url),
        content_type=told("content_type"),
        sha256=told("sha256"),
        before=told("before"),
        validators=Validators(
            etag=told("etag"),
            last_modified=told("last_modified"),
            url=_with_secrets(told("validators_url"), url),
        ),
    )


# An address without its query. "?" at its end stands for the query of the address that was asked.
def _without_secrets(address: str, asked: str) -> str:
    """An address at which redirects ended. A query that one of them brought along may be a secret:
    then the whole address is left out, because without its query it would be another page's.
    """
    ended = _parts(_whole(address))
    if ended.query and ended.query != _parts(asked).query:
        return ""
    bare = ended._replace(query="", fragment="").geturl()
    return f"{bare}?" if ended.query else bare


def _with_secrets(kept: str, url: str) -> str:
    return kept + _parts(url).query if kept.endswith("?") else kept


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # no address that anybody could have been at
        return urlsplit("")


def _whole(value: str) -> str:
    """The value, or nothing: where it is too long, or could be neither kept nor sent again."""
    return value if len(value) <= LONGEST_VALUE and value.isprintable() else ""
