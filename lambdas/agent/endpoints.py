"""Programs of somebody else's that are told what becomes of tasks.

The deployment names them, and no request can: what it reads can never choose where it is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Who is told by a webhook.

    name    what records, logs and the console call it
    url     where it is posted to; it may hold a key, so only the connection gets to see it
    secret  the name of the secret by which it knows that a notice is ours, never the secret
    events  kinds of notices; empty: how tasks have ended
    agents  whose tasks; empty: everybody's
    """

    name: str
    url: str
    secret: str
    events: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


def written(endpoints: Iterable[Endpoint]) -> str:
    """As a function's environment carries them; empty where there is none."""
    listed = [asdict(each) for each in endpoints]
    return json.dumps(listed, separators=(",", ":")) if listed else ""


def read(text: str) -> tuple[Endpoint, ...]:
    return tuple(
        Endpoint(
            name=one["name"],
            url=one["url"],
            secret=one["secret"],
            events=tuple(one["events"]),
            agents=tuple(one["agents"]),
        )
        for one in json.loads(text or "[]")
    )
