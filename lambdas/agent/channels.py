"""By which ways a notice goes out: the event bus, people who subscribe, programs at an endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lambdas.agent.endpoints import Endpoint
from lambdas.agent.notices import ENDS, Kind, Notice

EVENTS = "events"
SUBSCRIBERS = "subscribers"
WEBHOOK = "webhook."
"""What the names of endpoints' channels begin with."""

TO_THE_BUS = frozenset(Kind) - {Kind.APPROVAL_REMINDER}
TO_PEOPLE = frozenset(
    {
        Kind.APPROVAL_REQUESTED,
        Kind.APPROVAL_REMINDER,
        Kind.REPORT_COMPLETED,
        Kind.TASK_FAILED,
        Kind.TASK_EXPIRED,
    }
)
"""What somebody has to do something about, or waits for; no mail says what its reader has done."""
TO_PROGRAMS = frozenset(ENDS.values())
"""What an endpoint is told that names no events: how a task has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """Whom the deployment tells. `http_url` is the address that links begin with."""

    endpoints: tuple[Endpoint, ...] = ()
    http_url: str = ""

    def channels(self, notice: Notice, agent_id: str) -> Iterator[str]:
        if notice.kind in TO_THE_BUS:
            yield EVENTS
        if notice.kind in TO_PEOPLE:
            yield SUBSCRIBERS
        yield from (
            f"{WEBHOOK}{endpoint.name}"
            for endpoint in self.endpoints
            if _wants(endpoint, notice.kind, agent_id)
        )

    def endpoint(self, channel: str) -> Endpoint | None:
        """None where the deployment names it no longer."""
        name = channel.removeprefix(WEBHOOK)
        return next((each for each in self.endpoints if each.name == name), None)


def _wants(endpoint: Endpoint, kind: Kind, agent_id: str) -> bool:
    kinds = endpoint.events or TO_PROGRAMS
    return kind in kinds and (not endpoint.agents or agent_id in endpoint.agents)
