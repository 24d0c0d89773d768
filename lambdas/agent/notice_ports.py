"""What telling others needs from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lambdas.agent.endpoints import Endpoint
from lambdas.agent.intents import Ability


class Announcer(Protocol):
    """Tells others what has happened. At least once: receivers know a repeat by its id."""

    @property
    def ability(self) -> Ability: ...

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        """Emit the event with `key` as its id, and return the bus's receipt."""


class Webhooks(Protocol):
    """Programs behind an address on the public internet."""

    @property
    def ability(self) -> Ability:
        """What a second delivery of the same key means to its receiver."""

    def post(self, to: Endpoint, body: bytes, *, key: str, seconds: float) -> str:
        """One attempt, signed as of now, with `key` as the notice's id; the receipt.

        Raises ServiceUnavailable where a later attempt may be taken, with `wait_seconds` where the
        receiver says when, and NotTaken where none will be.
        """


class Subscribers(Protocol):
    """People who have asked to be told."""

    @property
    def ability(self) -> Ability: ...

    def publish(self, subject: str, text: str, *, key: str) -> str:
        """To all of them; the receipt. `key` is the notice's id."""
