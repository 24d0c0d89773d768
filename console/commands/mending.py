"""What an operator does about a run: `cancel`, `doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from console import asking, checking, resuming, screen, show
from console.commands.options import AsJson, By, TaskId, desk_of

commands = typer.Typer()


@commands.command()
def cancel(context: typer.Context, task: TaskId, by: By = None, as_json: AsJson = False) -> None:
    """Call a task off: it ends as CANCELLED, and its execution is stopped.

    What has been published stays published. A task that has ended stays as it ended.
    """
    desk = desk_of(context)
    name = by or asking.whoever_types()
    done = resuming.cancel(desk.find(), task, by=name, pause=desk.pause)
    if as_json:
        screen.print_json(done.as_json())
    else:
        screen.stdout().print(screen.plain(done))


@commands.command()
def doctor(
    context: typer.Context,
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="The task's id; all that are under way without."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a task's record with its execution, its map runs and its artifacts.

    The exit code is 1 where something does not fit that the run will not mend by itself.
    """
    account = desk_of(context).find()
    found = [checking.checked(account, task)] if task else checking.under_way(account)
    if as_json:
        screen.print_json([each.as_json() for each in found])
    else:
        console = screen.stdout()
        for each in found:
            show.checked(console, each)
        if not found:
            screen.stderr().print(screen.plain(f"No task is under way in {account.name}."))
    raise typer.Exit(0 if all(each.is_sound for each in found) else 1)
