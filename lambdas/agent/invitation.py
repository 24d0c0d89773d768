"""What is handed out to those who may decide: an opaque id that leads to one revision's report.

The ledger keeps the id's hash. The id itself, and the task token of the state that waits, are kept
sealed: a state that is tried again hands out the same id, and a decision finds the token.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from lambdas.agent.approval_ports import Seals
from lambdas.agent.identity import canonical, digest
from lambdas.agent.model import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What opens a waiting state, from inside and from outside."""

    token: str = field(repr=False)
    id: str = field(default="", repr=False)


def link_of(id_: str) -> str:
    """What an id is known by. Nobody finds the id from it."""
    return digest("approval", id_)


def address_of(http_url: str, id_: str) -> str:
    """Where a report is decided on: the one form of such a link, whoever is sent it."""
    return f"{http_url}/approvals/{id_}"


def sealed(held: Held, task_id: str, seals: Seals) -> str:
    return seals.seal(canonical(asdict(held)).decode(), about=task_id)


def opened(asked: Outcome | None, task_id: str, seals: Seals) -> Held | None:
    """None where nobody has been asked: then there is nothing to wake.

    A record from before there were invitations names no link, and its token is not sealed.
    """
    if asked is None or not asked.callback:
        return None
    if "link" not in asked.facts:
        return Held(token=asked.callback)
    return Held(**json.loads(seals.unseal(asked.callback, about=task_id)))
