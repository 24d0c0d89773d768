"""Where a task stands: its record, its execution, its sources and what people said to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console, RenderableType

from console import approvals, executions, show, tasks, words
from console.account import Account
from console.approvals import Asked
from console.asking import say_how
from console.executions import Execution
from console.screen import plain, put
from console.sources import SourceLine, State, source_lines
from lambdas.agent.contract import Status
from lambdas.agent.costs import Purse
from lambdas.agent.standing import ABANDONED
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`link` leads to the execution's graph; the sandbox has no page for it."""

    task: TaskRecord
    execution: Execution | None
    sources: tuple[SourceLine, ...]
    purse: Purse
    asked: tuple[Asked, ...]
    link: str

    @property
    def status(self) -> str:
        return words.ending(self.task, self.execution)

    @property
    def why(self) -> str:
        return words.why(self.task, self.execution)

    def as_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "why": self.why,
            "record": asdict(self.task),
            "execution": _execution_as_json(self.execution),
            "sources": [asdict(source) for source in self.sources],
            "spent": asdict(self.purse.spent),
            "held": asdict(self.purse.held),
            "approvals": [asdict(each) for each in self.asked],
            "link": self.link,
        }


def standing(account: Account, task_id: str) -> Standing:
    """The execution is asked before the record: once it is over, the record is as it stays."""
    execution = executions.find(account, tasks.known_task(account, task_id).execution)
    units = list(account.ledger.units(task_id))
    return Standing(
        execution=execution,
        task=tasks.known_task(account, task_id),
        sources=tuple(source_lines(account, units)),
        purse=account.ledger.purse(task_id),
        asked=tuple(approvals.asked(units)),
        link="" if account.site or execution is None else executions.console_link(execution),
    )


def print_standing(standing: Standing, console: Console) -> None:
    console.print(plain(standing.task.task_id, "bold"))
    put(console, show.fields(_fields(standing)))
    if standing.sources:
        console.print()
        put(console, show.source_lines(standing.sources, console.width))
    if standing.task.status is Status.WAITING_FOR_APPROVAL and standing.status != ABANDONED:
        console.print()
        console.print(plain("Read it and answer:"))
        say_how(console, standing.task.task_id)
    if way_on := words.way_on(standing.task, standing.status):
        console.print()
        console.print(plain("Mend what it failed of, and go on:"))
        console.print(plain(f"  {way_on}"), soft_wrap=True)


def _fields(standing: Standing) -> Iterator[tuple[str, RenderableType]]:
    task = standing.task
    yield "status", show.styled(standing.status)
    if standing.why:
        yield "why", plain(standing.why)
    yield "step", plain(task.current_step)
    yield "agent", plain(task.agent_id)
    yield "workflow", plain(task.workflow_id)
    yield "sources", plain(_sources(standing))
    if task.budget:
        yield "budget", plain(task.budget)
    if spent := words.spent(standing.purse):
        yield "spent", plain(spent)
    if standing.asked:
        yield "approval", show.approval(standing.asked)
    if task.result_uri:
        yield "report", plain(task.result_uri)
    elif task.revision:
        yield "report", plain(f"revision {task.revision}, not published")
    yield "created", plain(show.moment(task.created_at))
    yield "updated", plain(_updated(task))
    yield "execution", plain(f"{task.execution}, run {task.run}")
    if standing.link:
        yield "graph", plain(standing.link)
    yield "record", plain(f"version {task.state_version}, schema {task.schema_version}")
    yield "input", plain(f"{task.input_id[:16]}…")


def _sources(standing: Standing) -> str:
    states = [source.state for source in standing.sources]
    counted = (f"{states.count(state)} {state}" for state in State if state in states)
    return f"{standing.task.sources}: {', '.join(counted)}" if states else "not planned yet"


def _updated(task: TaskRecord) -> str:
    after = show.duration(task.updated_at - task.created_at)
    return f"{show.moment(task.updated_at)}, {after} after"


def _execution_as_json(execution: Execution | None) -> dict[str, Any] | None:
    if execution is None:
        return None
    return {
        "arn": execution.arn,
        "status": execution.status,
        "started_at": execution.started.isoformat(),
        "stopped_at": execution.stopped.isoformat() if execution.stopped else None,
        "error": execution.error,
        "cause": execution.cause,
    }
