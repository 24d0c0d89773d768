"""Events on EventBridge. At least once: `event_id` tells a repeat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lambdas.adapters.aws_faults import translated
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.identity import canonical
from lambdas.agent.intents import Ability

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

SOURCE = "ratchet"


class EventBridgeAnnouncer:
    ability = Ability.AT_LEAST_ONCE

    def __init__(self, client: EventBridgeClient, bus: str) -> None:
        self._client = client
        self._bus = bus

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        with translated("EventBridge", f"announcing {kind}"):
            answer = self._client.put_events(
                Entries=[
                    {
                        "EventBusName": self._bus,
                        "Source": SOURCE,
                        "DetailType": kind,
                        "Detail": canonical({**detail, "event_id": key}).decode(),
                    }
                ]
            )
        entry = answer["Entries"][0]
        if "ErrorCode" in entry:
            raise ServiceUnavailable(
                f"EventBridge did not take {kind} ({entry['ErrorCode']}): it is tried again",
                dependency="EventBridge",
            )
        return entry["EventId"]
