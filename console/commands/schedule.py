"""Runs by the clock: `schedule list`, `run-now`, `pause`, `resume`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import RenderableType

from console import schedules, screen, show
from console.commands.options import AsJson, desk_of
from console.completing import schedule_names
from console.schedules import OFF, ON, ScheduleLine

commands = typer.Typer(
    no_args_is_help=True, help="Runs by the clock, as `schedules` in cdk.json names them."
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The schedule's name.",
        show_default=False,
        autocompletion=schedule_names,
    ),
]
_SAID = {
    "STARTED": "started",
    "ALREADY": "was started before",
    "QUEUED": "waits for the run before it",
    "SKIPPED": "is not started: the run before it is under way",
    "LATE": "is not started: a later one has had its turn",
}
_UNTIL_DEPLOYED = "The next deployment sets it as cdk.json says."


@commands.command(name="list")
def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List the schedules, each with its last run."""
    found = schedules.listed(desk_of(context).find())
    if as_json:
        screen.print_json([asdict(each) for each in found])
        return
    console = screen.stdout()
    if not found:
        console.print("There are no schedules: name some as `schedules` in cdk.json, and deploy.")
    for number, each in enumerate(found):
        if number:
            console.print()
        console.print(screen.plain(each.name, "bold"))
        screen.put(console, show.fields(_fields(each)))


@commands.command(name="run-now")
def run_now(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Start a schedule's run now, unless the one before it is under way."""
    answer = schedules.run_now(desk_of(context).find(), name)
    if as_json:
        screen.print_json(answer)
        return
    line = f"{answer['task_id']} {_SAID[answer['said']]}"
    screen.stdout().print(screen.plain(line), soft_wrap=True)


@commands.command()
def pause(context: typer.Context, name: Name) -> None:
    """Let a schedule strike no more. What is under way goes on, and so does a tick that waits."""
    _switch(context, name, OFF, "paused")


@commands.command()
def resume(context: typer.Context, name: Name) -> None:
    """Let a paused schedule strike again. What it has missed is not made up for."""
    _switch(context, name, ON, "going")


def _switch(context: typer.Context, name: str, state: str, word: str) -> None:
    is_new = schedules.switch(desk_of(context).find(), name, state)
    already = "" if is_new else "already "
    screen.stdout().print(screen.plain(f"{name} is {already}{word}. {_UNTIL_DEPLOYED}"))


def _fields(each: ScheduleLine) -> Iterator[tuple[str, RenderableType]]:
    yield "strikes", screen.plain(f"{each.expression} {each.time_zone}")
    yield "state", screen.plain("going" if each.state == ON else "paused")
    yield "overlap", screen.plain(each.overlap)
    if each.last:
        yield "last", screen.plain(f"{each.last} {each.status or 'started'}")
        yield "task", screen.plain(each.task_id)
    if each.queued:
        yield "queued", screen.plain(each.queued)
    if each.skips:
        yield "skipped", screen.plain(f"{each.skips}, the last one {each.skipped}")
