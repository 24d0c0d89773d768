"""moto looks at a condition and writes in two moves: asked by two threads at once, both pass.

DynamoDB takes one write of an item after the other. So here each request of a client is answered
whole before the next; what threads do between their requests stays theirs.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

from moto.core.models import botocore_stubber

Client = TypeVar("Client")

_REQUEST = RLock()


def serialized(client: Client) -> Client:
    """The client, whose every request is answered by moto under one lock."""
    events: Any = client.meta.events  # type: ignore[attr-defined]  # every client of boto3 has them
    # All handlers are asked, not the first that answers: moto's own would do everything twice.
    events.unregister("before-send", botocore_stubber)
    events.register("before-send", _answered)
    return client


def _answered(event_name: str, request: Any, **told: Any) -> Any:
    with _REQUEST:
        return botocore_stubber(event_name, request, **told)
