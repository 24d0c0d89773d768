"""From a start to an end: follow the run if it goes on, tell how it ended if it is over."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from console import asking, screen
from console.account import Account
from console.begin import Begun
from console.ending import Ending, ending_of
from console.views import view_on
from console.watch import Ask, follow


def to_its_end(
    begun: Begun, account: Account, console: Console, *, ask: Ask, pause: Callable[[float], None]
) -> Ending:
    if begun.is_over:
        return ending_of(begun.task_id, begun.task, begun.execution)
    view = view_on(console)
    look = follow(account, begun.task_id, begun.name, view=view, ask=ask, pause=pause)
    return ending_of(begun.task_id, look.task, look.execution)


def whom_to_ask(account: Account, console: Console, *, yes: bool, by: str | None, out: Path) -> Ask:
    """A person is asked where one sits: keyboard and screen are both a terminal."""
    name = by or asking.whoever_types()
    if yes:
        return asking.yes(name)
    if sys.stdin.isatty() and screen.is_live(console):
        return asking.at_the_terminal(console, account, name, out)
    return asking.nobody(screen.stderr())
