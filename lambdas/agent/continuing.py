"""A task taken on by another execution, under a later run number.

What is done answers from the ledger; only what is left is read. Run numbers are the fence: a
task belongs to the highest that took it on, and nothing of an earlier run can take it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from lambdas.agent.contract import CONTINUABLE, Step
from lambdas.agent.errors import InvalidRequest
from lambdas.agent.identity import execution_name
from lambdas.agent.model import WHOLE_TASK, Outcome, UnitRecord
from lambdas.agent.ports import Executions
from lambdas.agent.request import Source
from lambdas.agent.sources import place_of
from lambdas.agent.tasks import ExecutionStatus, TaskRecord

LOST_RUNS = 20
"""Executions in a row that may have ended before their PLAN took the task on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """The input of an execution that goes on with a task."""

    task_id: str
    run: int
    retry_set_aside: bool = False

    @classmethod
    def of(cls, typed: Any) -> Self | None:
        """None where this is no continuation, but a request."""
        if not isinstance(typed, dict) or set(typed) != {"resume"}:
            return None
        match typed["resume"]:
            case {"task_id": str(task_id), "run": int(run), **rest} if task_id and run > 1:
                again = rest.get("retry_set_aside") is True
                return cls(task_id=task_id, run=run, retry_set_aside=again)
        raise InvalidRequest(
            "A continuation names its task and a run from 2 on: `./ratchet resume TASK` writes it"
        )

    def as_input(self) -> dict[str, Any]:
        return {"resume": asdict(self)}

    @property
    def item(self) -> str:
        return item_of(self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The execution that goes on with a task; not `is_new` where somebody else had started it."""

    name: str
    run: int
    is_new: bool


def begin_again(
    task: TaskRecord, executions: Executions, *, retry_set_aside: bool = False
) -> Begun | None:
    """Start the next run, whose name follows from its number: two at once start one.

    A run whose execution ended before PLAN took the task on has used up its name, so the one
    after it is next. None where LOST_RUNS have: something kills every execution at once.
    """
    for run in range(task.run + 1, task.run + 1 + LOST_RUNS):
        name = execution_name(task.task_id, run)
        status = executions.status(name)
        if status is ExecutionStatus.ABSENT:
            again = Continuation(task_id=task.task_id, run=run, retry_set_aside=retry_set_aside)
            return Begun(name=name, run=run, is_new=executions.start(name, again.as_input()))
        if not status.is_over:
            return Begun(name=name, run=run, is_new=False)
    return None


def refusal(task: TaskRecord | None, task_id: str, run: int) -> str:
    """Why this run may not take the task on."""
    if task is None:
        return f"There is no task {task_id}, or not any more: start its request"
    if task.status not in CONTINUABLE:
        return f"Task {task_id} has ended as {task.status}: start the request anew"
    return (
        f"Task {task_id} is in run {task.run} already and run {run} cannot take it on: "
        f"see `./ratchet status {task_id}`"
    )


def item_of(run: int) -> str:
    """The item of a unit that belongs to one run of the task."""
    return WHOLE_TASK if run == 1 else f"run{run}"


def run_of(item: str) -> int:
    return 1 if item == WHOLE_TASK else int(item.removeprefix("run"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """All sources of the task, and those that are still to be read."""

    every: tuple[Source, ...]
    left: tuple[Source, ...]


def divided(
    sources: Sequence[Source], units: Iterable[UnitRecord], *, run: int, retry_set_aside: bool
) -> Division:
    """A source that is tried again gets a place of its own in records and artifacts.

    So it is fetched again whatever had become of it, and keeps both its reasons.
    """
    units = [unit for unit in units if unit.is_done]
    done = {(unit.step, unit.item) for unit in units}
    # What has the same bytes as another source is read with that one, and done once it is fetched.
    twins = {u.item for u in units if u.step is Step.FETCH and u.outcome and _has_twin(u.outcome)}

    def is_aside(source: Source) -> bool:
        return (Step.SET_ASIDE, source.item) in done and (Step.ANALYZE, source.item) not in done

    aside = {source.item for source in sources if is_aside(source)}
    again = aside if retry_set_aside else set[str]()
    every = tuple(_tried_again(s, run) if s.item in again else s for s in sources)
    finished = {item for step, item in done if step is Step.ANALYZE} | aside | twins
    return Division(every=every, left=tuple(s for s in every if s.item not in finished))


def _has_twin(fetched: Outcome) -> bool:
    return "same_as" in fetched.facts


def _tried_again(source: Source, run: int) -> Source:
    return replace(source, item=f"{place_of(source)}.{run}")
