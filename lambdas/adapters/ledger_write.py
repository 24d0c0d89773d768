"""One conditional write of the ledger, in DynamoDB's expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lambdas.adapters.ledger_items import Item, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One update, conditional unless its counterpart in a transaction is. Attribute names are
    ours, so none needs more than a '#'.
    """

    key: Item
    condition: str = ""
    values: Item = field(default_factory=dict)
    sets: Item = field(default_factory=dict)
    keeps: Item = field(default_factory=dict)
    """Attributes to set only where there are none."""
    removes: Sequence[str] = ()
    adds: Mapping[str, int] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        changed = [*self.sets, *self.keeps, *self.removes, *self.adds]
        asked = [name for name in _ASKED if f"#{name}" in self.condition]
        given = {**self.sets, **self.keeps, **{n: number(by) for n, by in self.adds.items()}}
        condition = {"ConditionExpression": self.condition} if self.condition else {}
        return {
            "Key": self.key,
            "UpdateExpression": " ".join(self._clauses()),
            **condition,
            "ExpressionAttributeNames": {f"#{name}": name for name in (*changed, *asked)},
            "ExpressionAttributeValues": self.values | {f":to_{n}": v for n, v in given.items()},
        }

    def _clauses(self) -> Iterator[str]:
        sets = [f"#{name} = :to_{name}" for name in self.sets]
        sets += [f"#{name} = if_not_exists(#{name}, :to_{name})" for name in self.keeps]
        if sets:
            yield f"SET {', '.join(sets)}"
        if self.removes:
            yield f"REMOVE {', '.join(f'#{name}' for name in self.removes)}"
        if self.adds:
            yield f"ADD {', '.join(f'#{name} :to_{name}' for name in self.adds)}"


_ASKED = ("owner", "version", "progress", "status", "stage", "run")
