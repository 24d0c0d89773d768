"""Deciding on a report: `approve`, `changes`, `reject`, `more-time`; and `link`, for others to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from console import asking, screen, tasks
from console.approvals import decide
from console.commands.options import AsJson, By, TaskId, desk_of
from console.errors import BadInput
from console.links import approval_link
from lambdas.agent.contract import Decision

commands = typer.Typer()

NEED_A_NOTE = (Decision.CHANGES_REQUESTED, Decision.REJECTED)

Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, or what is to change.")]


@commands.command()
def approve(
    context: typer.Context,
    task: TaskId,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Kept with it.")] = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Approve a report: it is published. A decision that was made before stands."""
    _decide(context, task, Decision.APPROVED, note=note, by=by, as_json=as_json)


@commands.command()
def changes(
    context: typer.Context, task: TaskId, note: Note, by: By = None, as_json: AsJson = False
) -> None:
    """Ask for another revision of a report, and say what is to be different."""
    _decide(context, task, Decision.CHANGES_REQUESTED, note=note, by=by, as_json=as_json)


@commands.command()
def reject(
    context: typer.Context, task: TaskId, note: Note, by: By = None, as_json: AsJson = False
) -> None:
    """Reject a report: the run ends, and nothing is published."""
    _decide(context, task, Decision.REJECTED, note=note, by=by, as_json=as_json)


@commands.command(name="more-time")
def more_time(context: typer.Context, task: TaskId, by: By = None, as_json: AsJson = False) -> None:
    """Let a report wait for another window: as long as the first one, from now on."""
    _decide(context, task, Decision.MORE_TIME, note="", by=by, as_json=as_json)


@commands.command()
def link(context: typer.Context, task: TaskId) -> None:
    """Print the address at which a report is decided on. Whoever has it may decide."""
    account = desk_of(context).find()
    address = approval_link(account, tasks.known_task(account, task))
    screen.stdout().print(screen.plain(address), soft_wrap=True)


def _decide(
    context: typer.Context,
    task_id: str,
    decision: Decision,
    *,
    note: str,
    by: str | None,
    as_json: bool,
) -> None:
    desk = desk_of(context)
    if decision in NEED_A_NOTE and not note.strip():
        raise BadInput("The note is empty: say why, or what is to change.")
    account = desk.find()
    tasks.known_task(account, task_id)
    answer = decide(
        account, task_id, decision, by=by or asking.whoever_types(), note=note, pause=desk.pause
    )
    if as_json:
        screen.print_json(asdict(answer))
    else:
        screen.stdout().print(screen.plain(answer))
    if not answer.heard and not answer.already:
        unheard = "It is recorded, and no run was waiting to hear it"
        screen.stderr().print(screen.plain(f"{unheard}: see `./ratchet status {task_id}`."))
