"""The Retry-After header: seconds, or an HTTP date; anything else says nothing."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST = 900


def seconds_of(header: str, now: float) -> float | None:
    """Seconds to wait, never more than LONGEST; None where the header gives no sensible hint."""
    told = header.strip()
    if told.isascii() and told.isdigit():
        return float(min(int(told[:12]), LONGEST))
    try:
        at = parsedate_to_datetime(told)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, at.timestamp() - now), LONGEST)
