"""What a feed or a sitemap names, as its reader hands it over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An address on a list. `when` it was published or changed, in epoch seconds; 0 undated."""

    url: str
    when: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One list, in its own order.

    pages       what it lists, under absolute addresses
    lists       further lists, where it is an index of lists
    unusable    how many of its entries name no address, or could not be read
    """

    pages: tuple[Listed, ...] = ()
    lists: tuple[Listed, ...] = ()
    unusable: int = 0


def newest_first(listed: Iterable[Listed]) -> tuple[Listed, ...]:
    """What is undated comes behind, in the order it was in."""
    return tuple(sorted(listed, key=lambda each: (not each.when, -each.when)))
