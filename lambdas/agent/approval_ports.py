"""What asking a person needs from outside: a state to wake, a secret link, a page, a quota."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lambdas.agent.approval_page import Page, Rendered


class Callbacks(Protocol):
    """Wakes a state that waits on a task token."""

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        """False where nothing waits on that token any more."""


class Chance(Protocol):
    def token(self) -> str:
        """A word that nobody guesses: 43 characters that are safe in an address."""


class Seals(Protocol):
    """Keeps what only the holder of a right may read in places that others may read."""

    def seal(self, plain: str, *, about: str) -> str:
        """`about` is bound to it, and told to the keeper of the key: it is no secret."""

    def unseal(self, sealed: str, *, about: str) -> str:
        """What was sealed; Unexpected where it was not, or is about something else."""


class Invitations(Protocol):
    """Where the link of an approval leads: from the hash of its id to the unit that waits."""

    def keep(self, link: str, *, task_id: str, item: str) -> None:
        """The same again changes nothing. A hash is given to one unit only, and stays its."""

    def find(self, link: str) -> tuple[str, str] | None:
        """The task and the item; None where there is none, or its retention is over."""


class ApprovalPages(Protocol):
    def render(self, page: Page) -> Rendered:
        """The page as HTML."""


class Quota(Protocol):
    """How often somebody may ask for something in a minute."""

    def take(self, who: str) -> bool:
        """False where they have asked too often. One write, whoever it is."""
