"""`./ratchet`: every command, and how their failures leave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from console import screen
from console.account import STACK
from console.commands import answers, house, mending, reading, runs, schedule, shell
from console.desk import desk
from console.errors import ConsoleError
from console.faults import told_in_sentences


class Sentences(TyperGroup):
    """Whatever a command refuses leaves as one sentence on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with told_in_sentences():
                return super().invoke(ctx)
        except ConsoleError as error:
            screen.stderr().print(screen.plain(error))
            raise typer.Exit(error.exit_code) from error


app = typer.Typer(
    cls=Sentences,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def ratchet(
    context: typer.Context,
    aws: Annotated[
        bool, typer.Option("--aws", help="Talk to AWS even while a sandbox is up.")
    ] = False,
    stack: Annotated[
        str, typer.Option("--stack", envvar="RATCHET_STACK", help="The stack's name on AWS.")
    ] = STACK,
    home: Annotated[
        Path | None,
        typer.Option(
            "--sandbox-home", envvar="RATCHET_SANDBOX", help="The sandbox's folder, else .sandbox."
        ),
    ] = None,
) -> None:
    """Start research runs, watch them, decide on their reports.

    Commands talk to the sandbox when one is up, else to AWS with your usual credentials. Exit
    codes: 0 done, 1 it failed or was refused, 2 what was typed is wrong, 130 Ctrl-C.
    """
    if context.obj is None:
        context.obj = desk(home=home, stack=stack, prefer_aws=aws)


for _group in (runs, reading, answers, mending):
    app.add_typer(_group.commands)
app.add_typer(schedule.commands, name="schedule")
app.add_typer(house.commands)
app.add_typer(shell.commands)
