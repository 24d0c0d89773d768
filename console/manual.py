"""`docs/cli.md`, made from the commands themselves: `python -m console.manual` writes it anew."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, cast

from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from console.account import ROOT
from console.app import app

PAGE = ROOT / "docs" / "cli.md"
_HEAD = """# The command line

Generated from the code by `python -m console.manual`; a test keeps it so.
"""


def manual() -> str:
    """Every command with its arguments and options, whatever the width of anybody's terminal."""
    return "\n".join((_HEAD, *_described("./ratchet", get_command(app), depth=2)))


def _described(name: str, command: Any, *, depth: int) -> Iterator[str]:
    arguments = [p for p in command.params if isinstance(p, TyperArgument)]
    options = [p for p in command.params if isinstance(p, TyperOption)]
    subcommands = command.commands if isinstance(command, TyperGroup) else {}
    usage = [name, *(str(argument.metavar) for argument in arguments)]
    yield f"{'#' * depth} `{' '.join([*usage, 'COMMAND'] if subcommands else usage)}`\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    rows = [*map(_argument, arguments), *map(_option, options)]
    if rows:
        yield "\n".join(("| | |", "| --- | --- |", *rows, ""))
    for sub in cast("Mapping[str, Any]", subcommands).values():
        yield from _described(f"{name} {sub.name}", sub, depth=depth + (depth < 3))


def _argument(argument: TyperArgument) -> str:
    return f"| `{argument.metavar}` | {argument.help} |"


def _option(option: TyperOption) -> str:
    takes = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    notes = [str(option.help)]
    if option.required:
        notes.append("Required.")
    if option.envvar:
        notes.append(f"Or the variable `{option.envvar}`.")
    if option.show_default and option.default not in (None, False, ""):
        notes.append(f"Default: `{option.default}`.")
    return f"| `{', '.join(option.opts)}{takes}` | {' '.join(notes)} |"


if __name__ == "__main__":
    PAGE.write_text(manual(), encoding="utf-8")
