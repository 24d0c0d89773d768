"""Options that several commands share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from console.completing import task_ids
from console.desk import Desk

RequestFile = Annotated[
    Path,
    typer.Argument(
        metavar="REQUEST",
        help="The request, as a JSON file; - reads it from standard input.",
        show_default=False,
    ),
]
TaskId = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="The task's id.", show_default=False, autocompletion=task_ids
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout, and nothing else.")]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Start it anew: its workflow_id gets the time as a suffix."),
]
Follows = Annotated[bool, typer.Option("--follow", help="Watch it to its end.")]
Yes = Annotated[
    bool, typer.Option("--yes", help="Approve its report when it is asked for; follows too.")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="NAME", help="Who decides; you, unless said otherwise."),
]


def desk_of(context: typer.Context) -> Desk:
    desk: Desk = context.obj
    return desk
