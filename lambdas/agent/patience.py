"""How often a notice is tried that nobody takes, and how long it waits before it is tried again."""

from __future__ import annotations

WAITS = (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
"""Seconds from one attempt to the next, a day in all: a receiver is deployed anew in half a minute,
and somebody who is called at night mends it in the morning.
"""


def wait_after(attempt: int, *, told: float | None = None) -> int | None:
    """Seconds after the attempt of that number, the first is 1; None after the last.

    `told` is the receiver's own wish, which lengthens a wait and shortens none.
    """
    if attempt > len(WAITS):
        return None
    return int(max(WAITS[attempt - 1], told or 0))
