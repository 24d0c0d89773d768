"""Whoever is told of things outside: people who subscribe, programs behind an endpoint."""

from __future__ import annotations

from dataclasses import dataclass

from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import StepError
from lambdas.agent.intents import Ability


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    subject: str
    text: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    to: Endpoint
    body: bytes
    key: str


class FakeSubscribers:
    ability = Ability.AT_LEAST_ONCE

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def publish(self, subject: str, text: str, *, key: str) -> str:
        self.messages.append(Message(subject=subject, text=text, key=key))
        return f"message-{len(self.messages)}"

    def noticed(self) -> list[str]:
        return sorted({message.key for message in self.messages})


class FakeWebhooks:
    """`refusals` are raised one after the other before a delivery is taken."""

    ability = Ability.AT_LEAST_ONCE

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        self.refusals: list[StepError] = []

    def post(self, to: Endpoint, body: bytes, *, key: str, seconds: float) -> str:
        assert seconds > 0
        if self.refusals:
            raise self.refusals.pop(0)
        self.deliveries.append(Delivery(to=to, body=body, key=key))
        return "HTTP 204"

    def noticed(self) -> list[tuple[str, bytes]]:
        """A delivery may come twice, but then under the same id and with the same bytes."""
        return sorted({(each.key, each.body) for each in self.deliveries})
