"""The kill matrix as a table: `python -m tests.matrix`, with `memory` or `moto` for one of both."""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor

from rich.console import Console
from rich.table import Table

from tests.matrix.plays import Death, Fate, rehearsal
from tests.matrix.takes import SIDES, STAGES
from tests.steps.test_deaths import SCENES, SWEEP

EVERY = {scene.name: scene for scene in (*SCENES, SWEEP)}


def main(stages: Sequence[str]) -> None:
    """Plays share nothing, so each processor plays its own; they are told in the story's order."""
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        os.environ.pop(name, None)
    console = Console(width=100)
    deaths: list[Death] = []
    with ProcessPoolExecutor() as players:
        # The last scenes have the longest stories before them: played last, one player had them.
        plays = {
            name: [players.submit(_deaths, name, stage) for stage in reversed(stages)]
            for name in reversed(EVERY)
        }
        for name in EVERY:
            deaths += [death for play in reversed(plays[name]) for death in play.result()]
            console.print(f"[dim]{name}[/]", end=" ")
    console.print()
    console.print(table(deaths))
    distinct = {(death.scene, death.at, death.fate) for death in deaths}
    console.print(
        f"{len(deaths)} deaths over {' and '.join(stages)}, {len(distinct)} of them distinct.\n"
        "Every story came to the same end, no effect came twice."
    )


def table(deaths: Iterable[Death]) -> Table:
    """A row for each call of each step, before and after it together."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for death in deaths:
        row = rows[death.scene, death.at.partition(" ")[2]]
        row.update({death.fate: 1, "replays": death.replays})
        row["effects"] = max(row["effects"], death.effects)
    drawn = Table(box=None, pad_edge=False)
    for name in ("step", "boundary"):
        drawn.add_column(name, no_wrap=True)
    for name in (*Fate, "replays", "effects"):
        drawn.add_column(name, justify="right")
    previous = ""
    for (scene, call), row in rows.items():
        numbers = [str(row[name]) for name in (*Fate, "replays", "effects")]
        drawn.add_row("" if scene == previous else scene, call, *numbers)
        previous = scene
    return drawn


def _deaths(name: str, stage: str) -> list[Death]:
    with STAGES[stage](EVERY[name]) as take:
        rehearsed = rehearsal(EVERY[name], take, SIDES[stage])
        return [death for fate in Fate for death in rehearsed.deaths(fate)]


if __name__ == "__main__":
    main(sys.argv[1:] or list(STAGES))
