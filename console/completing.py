"""What a shell completes: commands and options by Typer, ids of tasks and names of schedules by us.

Ids are looked up in the sandbox alone, which answers at once: nobody waits for AWS at a Tab.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from enum import StrEnum

import typer
from botocore.exceptions import BotoCoreError, ClientError
from typer._completion_classes import completion_init
from typer._completion_shared import get_completion_script

from console import schedules
from console.account import ROOT, Account, of_sandbox
from console.errors import ConsoleError
from lambdas.agent.errors import StepError
from sandbox.life import running

NAME = "ratchet"
VARIABLE = "_RATCHET_COMPLETE"
"""In which the shell's script asks; the wrapper knows it too."""
MOST = 50


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def prepare() -> None:
    """Typer answers a shell only where it is told to; its own option would install nothing that
    finds `./ratchet`.
    """
    completion_init()


def script(shell: Shell) -> str:
    """Typer's, but for the program: that of this checkout, wherever it is called from."""
    prepare()
    written = get_completion_script(prog_name=NAME, complete_var=VARIABLE, shell=shell.value)
    program = shlex.quote(str(ROOT / NAME))
    asks = {
        Shell.BASH: (f"{VARIABLE}=complete_bash $1", f"{VARIABLE}=complete_bash {program}"),
        Shell.ZSH: (f"{VARIABLE}=complete_zsh {NAME}", f"{VARIABLE}=complete_zsh {program}"),
        Shell.FISH: (f"(commandline -cp) {NAME}", f"(commandline -cp) {program}"),
    }
    return written.replace(*asks[shell])


def task_ids(context: typer.Context, incomplete: str) -> list[str]:
    return _beginning(
        context, incomplete, lambda account: [each.task_id for each in account.ledger.newest(MOST)]
    )


def schedule_names(context: typer.Context, incomplete: str) -> list[str]:
    return _beginning(context, incomplete, schedules.names)


def _beginning(
    context: typer.Context, incomplete: str, look: Callable[[Account], Iterable[str]]
) -> list[str]:
    """Whatever fails completes nothing: nobody wants an error in the middle of a word."""
    try:
        account = _account(context)
        found = list(look(account)) if account else []
    except (BotoCoreError, ClientError, ConsoleError, OSError, StepError):
        return []
    return [each for each in found if each.startswith(incomplete)]


def _account(context: typer.Context) -> Account | None:
    root = context.find_root()
    if root.obj is not None:
        account: Account = root.obj.find()
        return account
    sandbox = running(ROOT, home=root.params.get("home"))
    return of_sandbox(sandbox) if sandbox else None
