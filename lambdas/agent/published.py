"""Where an agent's reports are published, and under which names the last of them is found."""

from __future__ import annotations

import json

from lambdas.agent.identity import digest, slug


def shelf_of(agent_id: str) -> str:
    """The agent's folder; `latest` in it is its last report."""
    return f"{slug(agent_id, 40) or 'agent'}-{digest(agent_id)[:8]}"


def series_of(agent_id: str, request: bytes) -> str:
    """The name of the agent's last report over the very sources that this request names."""
    return f"{shelf_of(agent_id)}/sources-{digest(sorted(sources_in(request)))[:16]}"


def sources_in(request: bytes) -> frozenset[str]:
    """What a stored request names, each as JSON."""
    return frozenset(json.dumps(each, sort_keys=True) for each in json.loads(request)["sources"])
