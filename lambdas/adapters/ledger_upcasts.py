"""Items that an older version wrote, read as if today's had written them: a function for each step.

An update leaves the version of the item as it was, so an upcast may find newer attributes beside
the older ones: it fills in what is missing and touches nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lambdas.agent.contract import SCHEMA_VERSION
from lambdas.agent.errors import Unexpected

Item = Mapping[str, Any]
Upcast = Callable[[Item], Item]

UPCASTS: Mapping[int, Upcast] = {}
"""By the version they start from; each leads to the next one."""


def current(
    item: Item, *, version: int = SCHEMA_VERSION, upcasts: Mapping[int, Upcast] = UPCASTS
) -> Item:
    """The item as this version writes it. What is newer is not guessed at."""
    written = int(item.get("schema_version", {}).get("N", 1))
    if written > version:
        raise Unexpected(
            f"The ledger holds a record of schema version {written} and this code reads up to "
            f"{version}: deploy the newer version, or wait until its deployment is through",
            code="SCHEMA_TOO_NEW",
            dependency="DynamoDB",
        )
    for older in range(written, version):
        item = upcasts[older](item)
    return {**item, "schema_version": {"N": str(version)}}
