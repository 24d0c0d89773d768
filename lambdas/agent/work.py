"""A unit of work in a worker's hands: what it is, what time it has, where it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lambdas.agent.contract import budget
from lambdas.agent.job_state import NOTHING_USED, Usage
from lambdas.agent.model import Unit, UnitRecord
from lambdas.agent.ports import Ports


@dataclass(slots=True, kw_only=True)
class Work:
    """A unit this worker holds, as a step sees it."""

    unit: Unit
    ports: Ports
    held: UnitRecord
    deadline: float
    usage: Usage = field(default=NOTHING_USED)
    """What models have taken in this invocation; the log tells it, also of one that fails."""
    reused: int = 0
    """Answers of models that were had before, in this invocation."""

    @property
    def task_id(self) -> str:
        return self.unit.task_id

    @property
    def args(self) -> Mapping[str, Any]:
        return self.unit.args

    @property
    def cursor(self) -> Mapping[str, Any]:
        """Where the lap before left off; empty at the first."""
        return self.held.cursor

    def result_so_far(self) -> bytes | None:
        return stored_result(self.ports, self.held)

    def read(self, ref: str) -> bytes:
        return self.ports.artifacts.get(ref)

    def write(self, kind: str, body: bytes) -> str:
        return self.ports.artifacts.put(self.task_id, kind, body)

    def is_time_up(self) -> bool:
        return self.ports.clock.now() >= self.deadline

    def call_seconds(self) -> float:
        """Seconds the next outside call may take and still leave time to commit."""
        left = self.deadline - self.ports.clock.now()
        return max(0.0, min(left, budget(self.unit.step).call))


def stored_result(ports: Ports, record: UnitRecord) -> bytes | None:
    """A unit's result, wherever it lies."""
    if record.outcome is None:
        return None
    if record.outcome.result_ref:
        return ports.artifacts.get(record.outcome.result_ref)
    return record.outcome.result
