"""Who answers when a run asks: a `--yes`, the person at the terminal, or somebody else later."""

from __future__ import annotations

import os
from getpass import getuser
from pathlib import Path

from rich.console import Console
from rich.prompt import Prompt

from console import reports
from console.account import Account
from console.screen import plain
from console.watch import Ask, Look
from lambdas.agent.contract import Decision
from lambdas.agent.verdicts import NOTE_LIMIT, Verdict

_CHOICES = {
    "approve": Decision.APPROVED,
    "changes": Decision.CHANGES_REQUESTED,
    "reject": Decision.REJECTED,
}
LATER = "later"


def yes(by: str) -> Ask:
    return lambda _: Verdict(decision=Decision.APPROVED, by=by)


def nobody(console: Console) -> Ask:
    """Say how it is done, and wait for whoever does it."""

    def ask(look: Look) -> None:
        say_how(console, look.task_id)

    return ask


def at_the_terminal(console: Console, account: Account, by: str, out: Path) -> Ask:
    """The report is here to be read before the question is."""

    def ask(look: Look) -> Verdict | None:
        if look.task:
            page = reports.download(account, look.task, out).files[0]
            console.print(plain(f"Read it: {page}"), soft_wrap=True)
        verdict = _typed(console, by)
        if verdict is None:
            say_how(console, look.task_id)
        return verdict

    return ask


def _typed(console: Console, by: str) -> Verdict | None:
    """Ctrl-D is an answer too: later."""
    choices = [*_CHOICES, LATER]
    console.print(plain(f"{', '.join(_CHOICES)} or {LATER}?"))
    try:
        chosen = Prompt.ask(
            "Your answer", console=console, choices=choices, show_choices=False, default=LATER
        )
        if chosen == LATER:
            return None
        decision = _CHOICES[chosen]
        note = "" if decision is Decision.APPROVED else _note(console)
    except EOFError:
        console.print()
        return None
    return Verdict(decision=decision, by=by, note=note)


def say_how(console: Console, task_id: str) -> None:
    """Commands to copy: the terminal may break their lines, we do not."""
    for command in (
        f"report {task_id}",
        f"approve {task_id}",
        f'changes {task_id} --note "..."',
        f'reject {task_id} --note "..."',
        f"more-time {task_id}",
        f"link {task_id}",
    ):
        console.print(plain(f"  ./ratchet {command}"), soft_wrap=True)


def whoever_types() -> str:
    try:
        return os.environ.get("USER") or getuser()
    except (KeyError, OSError):  # a container's user need not have a name
        return "operator"


def _note(console: Console) -> str:
    note = ""
    while not note:
        note = Prompt.ask("Why, or what should be different?", console=console).strip()
    return note[:NOTE_LIMIT]
