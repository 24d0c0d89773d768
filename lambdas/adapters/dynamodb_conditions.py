"""Conditions of writes to DynamoDB, and what is heard where one does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of
from lambdas.adapters.ledger_items import Item
from lambdas.agent.errors import ServiceUnavailable

ABSENT = "attribute_not_exists(pk)"
# DynamoDB deletes days after its TTL: what is past it counts as absent, here and in every read.
ABSENT_OR_PAST = f"{ABSENT} OR delete_after <= :now"

CONFLICT = "TRANSACTION_CONFLICT"
"""The code where two transactions wanted the same item at the same moment: both may be tried."""


class Refused(Exception):
    """A condition did not hold. `old` is the first such item as it stands, `place` its number."""

    def __init__(self, old: Item, place: int = 0) -> None:
        super().__init__("a condition did not hold")
        self.old = old
        self.place = place


@contextmanager
def refusals() -> Iterator[None]:
    """Raise Refused where DynamoDB says that a condition did not hold."""
    try:
        yield
    except ClientError as error:
        if code_of(error) == "ConditionalCheckFailedException":
            raise Refused(_plain(error.response.get("Item"))) from None
        if code_of(error) == "TransactionCanceledException":
            raise _cancelled(error) from None
        raise


def _cancelled(error: ClientError) -> Exception:
    reasons: list[Any] = list(error.response.get("CancellationReasons", []))
    for place, reason in enumerate(reasons):
        if reason.get("Code") == "ConditionalCheckFailed":
            return Refused(_plain(reason.get("Item")), place)
    codes = ", ".join(str(reason.get("Code")) for reason in reasons)
    return ServiceUnavailable(
        f"DynamoDB cancelled a transaction ({codes}): it is tried again",
        code=CONFLICT if "TransactionConflict" in codes else "",
        dependency="DynamoDB",
    )


def _plain(item: Any) -> Item:
    return dict(item or {})
