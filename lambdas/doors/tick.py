"""TICK: a schedule's clock has struck. The same tick again, however late, is the same task.

Event    {"schedule", "scheduled_time", "overlap": skip | queue, "request"}
Answer   {"schedule", "instant", "task_id", "said": STARTED | ALREADY | QUEUED | SKIPPED | LATE}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lambdas.agent.intake import task_of
from lambdas.agent.ports import Ports
from lambdas.agent.schedules import Turn
from lambdas.agent.scheduling import Overlap, Tick, instant_of, take_turn, workflow_of
from lambdas.entry import door_handler


def tick(event: Mapping[str, Any], ports: Ports, **_: Any) -> dict[str, Any]:
    schedule, instant = str(event["schedule"]), instant_of(event["scheduled_time"])
    typed = {**event["request"], "workflow_id": workflow_of(schedule, instant)}
    task_id = task_of(ports.requests.parse(typed))
    turn = Turn(instant=instant, task_id=task_id, told=ports.inbox.told(typed))
    overlap = Overlap(event.get("overlap", Overlap.SKIP))
    said, stands = take_turn(Tick(schedule=schedule, overlap=overlap, turn=turn), ports)
    return {
        "schedule": schedule,
        "instant": instant,
        "task_id": stands.task_id,
        "said": said.value,
    }


def told(answer: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A line that is counted by what became of the tick."""
    yield "ticked", {**answer, "sign": f"TICK_{answer['said']}"}


handler = door_handler(tick, told=told)
