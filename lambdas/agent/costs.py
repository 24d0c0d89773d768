"""What calls to models cost: tokens, and money in millionths of a dollar, which are whole numbers.

A task has one purse. What a call may cost at the most is held in it before the call is made, and
given back for what it did cost once that is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    tokens: int = 0
    micro_usd: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(tokens=self.tokens + other.tokens, micro_usd=self.micro_usd + other.micro_usd)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(tokens=self.tokens - other.tokens, micro_usd=self.micro_usd - other.micro_usd)


NOTHING = Cost()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """In dollars for a million tokens, which is millionths of a dollar for one."""

    input: Decimal
    output: Decimal

    @classmethod
    def of(cls, told: str) -> Self | None:
        """From "INPUT/OUTPUT", as a deployment's settings have it; None where they have none."""
        if not told:
            return None
        given, taken = told.split("/")
        return cls(input=Decimal(given), output=Decimal(taken))

    def micro_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Rounded up, so that no call is free."""
        exact = input_tokens * self.input + output_tokens * self.output
        return int(exact.to_integral_value(ROUND_CEILING))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may spend; None where there is no limit."""

    tokens: int | None = None
    micro_usd: int | None = None

    def room_for(self, cost: Cost) -> Limits:
        """What may be taken already where this is to be taken too; below zero it is too much."""
        return Limits(
            tokens=None if self.tokens is None else self.tokens - cost.tokens,
            micro_usd=None if self.micro_usd is None else self.micro_usd - cost.micro_usd,
        )

    def admit(self, cost: Cost) -> bool:
        left = self.room_for(cost)
        return all(each is None or each >= 0 for each in (left.tokens, left.micro_usd))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What a call may cost at the most, and the limits that it must not pass with all others."""

    cost: Cost
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Purse:
    """What a task has spent, and what is held for calls that are not through."""

    held: Cost = NOTHING
    spent: Cost = NOTHING

    @property
    def taken(self) -> Cost:
        return self.held + self.spent


EMPTY = Purse()
