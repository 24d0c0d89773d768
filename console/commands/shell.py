"""Your shell: `completion`."""

from __future__ import annotations

from typing import Annotated

import typer

from console.completing import Shell, script

commands = typer.Typer()


@commands.command()
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print what lets your shell complete commands, options, and ids of tasks in the sandbox.

    In bash and zsh: `eval "$(./ratchet completion bash)"`, in fish: `./ratchet completion fish |
    source`; in your shell's start-up file with the path of this checkout.
    """
    typer.echo(script(shell))
