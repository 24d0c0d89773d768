"""What is said when a run is over, or was over before anybody looked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from console import reports, words
from console.account import Account
from console.executions import Execution
from console.screen import plain
from console.show import duration, styled
from lambdas.agent.contract import Status
from lambdas.agent.standing import ABANDONED
from lambdas.agent.tasks import TaskRecord

ANEW = "Start the request anew with --fresh (`make run FRESH=1`)."

_BAD = {Status.FAILED.value, ABANDONED, "TIMED_OUT", "ABORTED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run stands at its end. Rejected and expired are ends of their own, not failures."""

    task_id: str
    status: str
    why: str = ""
    task: TaskRecord | None = None
    files: tuple[Path, ...] = ()

    @property
    def exit_code(self) -> int:
        return 1 if self.status in _BAD else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "task_id": self.task_id,
            "status": self.status,
            "why": self.why,
            "sources": self.task.sources if self.task else 0,
            "read": self.task.read if self.task else 0,
            "files": [str(file) for file in self.files],
        }


def ending_of(task_id: str, task: TaskRecord | None, execution: Execution | None) -> Ending:
    return Ending(
        task_id=task_id,
        status=words.ending(task, execution),
        why=words.why(task, execution),
        task=task,
    )


def with_report(ending: Ending, account: Account, out: Path) -> Ending:
    """The published report's files beside it; what was not published is asked for by name."""
    if ending.task is None or not ending.task.result_uri:
        return ending
    return replace(ending, files=reports.download(account, ending.task, out).files)


def tell(ending: Ending, console: Console) -> None:
    first = styled(ending.status)
    if took := _took(ending.task):
        first.append_text(plain(took, "dim"))
    console.print(first)
    for sentence in _sentences(ending):
        console.print(plain(sentence))
    for file in ending.files:
        console.print(plain(f"  {file}"), soft_wrap=True)


def _took(task: TaskRecord | None) -> str:
    if task is None or not task.status.is_final:
        return ""
    read = f", {task.read} of {task.sources} sources read" if task.read else ""
    return f" in {duration(task.updated_at - task.created_at)}{read}"


def _sentences(ending: Ending) -> list[str]:
    return [sentence for sentence in (ending.why, *_what_to_do(ending)) if sentence]


def _what_to_do(ending: Ending) -> list[str]:
    status = f"./ratchet status {ending.task_id}"
    if ending.exit_code:
        way_on = words.way_on(ending.task, ending.status)
        return [f"What was done is kept: `{status}`.", f"Go on: `{way_on}`." if way_on else ANEW]
    if ending.status == Status.SUCCEEDED:
        aside = ending.task.sources - ending.task.read if ending.task else 0
        return [f"{aside} set aside: `{status}` says why."] if aside else []
    if ending.task is None or not ending.task.revision:
        return []
    return [
        f"Its report was not published: `./ratchet report {ending.task_id}` gets it as it was made."
    ]
