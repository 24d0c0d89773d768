"""NOTICE: records have changed; whoever is to be told of it is told by an execution of its own.

Event    records of the ledger's stream, those of tasks that are new, wait for somebody, or ended
Answer   how many executions were begun, and how many had been before
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lambdas.adapters.ledger_stream import Change, changes
from lambdas.agent.notices import notices_of
from lambdas.agent.ports import Ports
from lambdas.entry import door_handler


def notice(event: Mapping[str, Any], ports: Ports, **_: Any) -> dict[str, Any]:
    """A batch that fails in the middle comes again whole: an execution's name follows from the
    notice, so each is begun once.
    """
    begun = [
        ports.tellings.start(*each) for change in changes(event) for each in _told(change, ports)
    ]
    return {"begun": sum(begun), "before": len(begun) - sum(begun)}


def _told(change: Change, ports: Ports) -> Iterator[tuple[str, dict[str, Any]]]:
    task = change.task
    for each in notices_of(task, is_new=change.is_new):
        for channel in ports.directory.channels(each, task.agent_id):
            yield each.execution(channel), each.told(channel)


def told(answer: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "noticed", answer


handler = door_handler(notice, told=told)
