"""Looking at tasks: `status`, `list`, `report`."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from console import reports, screen, show, tasks
from console.commands.options import AsJson, TaskId, desk_of
from console.completing import task_ids
from console.listing import listed, what_follows
from console.standing import print_standing, standing
from lambdas.agent.api_routes import LISTED

commands = typer.Typer()


@commands.command()
def status(context: typer.Context, task: TaskId, as_json: AsJson = False) -> None:
    """Show where a task stands: its record, each of its sources, the approval."""
    found = standing(desk_of(context).find(), task)
    if as_json:
        screen.print_json(found.as_json())
    else:
        print_standing(found, screen.stdout())


@commands.command("list")
def list_tasks(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many.")] = LISTED,
    before: Annotated[
        str | None,
        typer.Option(
            "--before",
            metavar="TASK",
            help="Those that are older than this task.",
            autocompletion=task_ids,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the tasks, newest first, page by page.

    A page that is full says on stderr how to see the next one.
    """
    account = desk_of(context).find()
    found = listed(account, limit, before=before)
    if as_json:
        screen.print_json([each.as_json() for each in found])
    else:
        console = screen.stdout()
        screen.put(console, show.task_lines(found, console.width))
    if said := what_follows(found, limit, before=before, where=account.name):
        screen.stderr().print(screen.plain(said), soft_wrap=True)


@commands.command()
def report(
    context: typer.Context,
    task: TaskId,
    opens: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Download a task's report into out/TASK/ and print where its files are.

    Before it is published you get the revision that waits for approval.
    """
    desk, notes = desk_of(context), screen.stderr()
    account = desk.find()
    found = reports.download(account, tasks.known_task(account, task), desk.out)
    if as_json:
        screen.print_json(found.as_json())
    else:
        for file in found.files:
            screen.stdout().print(screen.plain(file), soft_wrap=True)
    if not found.is_published:
        notes.print(screen.plain(f"Revision {found.revision} is not published."))
    if opens and not webbrowser.open(found.files[0].resolve().as_uri()):
        notes.print(screen.plain(f"No browser could be opened: open {found.files[0]} by hand."))
