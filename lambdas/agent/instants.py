"""Points in time, as people and records write them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(epoch_seconds: float) -> str:
    """ISO 8601 in UTC with its zone, to the second."""
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def epoch(told: str) -> float:
    """Epoch seconds of what `iso` has written."""
    return datetime.fromisoformat(told).timestamp()
