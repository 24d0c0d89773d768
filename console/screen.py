"""Where output goes, data to stdout and the rest to stderr; and strangers' text made harmless."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

WIDE = 1000
"""Columns where nobody looks: a pipe gets whole lines."""

# Tab and newline aside, control characters could move the cursor or rename the window.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def stdout() -> Console:
    return _console(stderr=False)


def stderr() -> Console:
    return _console(stderr=True)


def is_live(console: Console) -> bool:
    """Whether a line may be drawn over: a terminal that can, and somebody before it."""
    return console.file.isatty() and not console.is_dumb_terminal


def plain(said: object, style: str = "") -> Text:
    """Text as it is: no markup, no control characters."""
    return Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(said)), style=style)


def put(console: Console, what: RenderableType) -> None:
    """Print it; in a pipe without the blanks that fill up a table's last column."""
    if is_live(console):
        console.print(what)
        return
    with console.capture() as captured:
        console.print(what)
    for line in captured.get().splitlines():
        console.file.write(f"{line.rstrip()}\n")
    console.file.flush()


def print_json(document: Any, *, indent: int | None = 2) -> None:
    sys.stdout.write(json.dumps(document, indent=indent) + "\n")
    sys.stdout.flush()


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)
