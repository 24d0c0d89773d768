"""The kill matrix as a table: `python -m tests.matrix`, with `memory` or `moto` for one of both."""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from tests.matrix.plays import Death, Fate, rehearsal
from tests.matrix.scene import Scene
from tests.matrix.takes import SIDES, STAGES
from tests.steps.test_deaths import SCENES, SWEEP


def main(stages: Sequence[str]) -> None:
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        os.environ.pop(name, None)
    console = Console(width=100)
    deaths: list[Death] = []
    for scene in (*SCENES, SWEEP):
        console.print(f"[dim]{scene}[/]", end=" ")
        deaths += _deaths(scene, stages)
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


def _deaths(scene: Scene, stages: Iterable[str]) -> list[Death]:
    deaths: list[Death] = []
    for stage in stages:
        with STAGES[stage](scene) as take:
            rehearsed = rehearsal(scene, take, SIDES[stage])
            deaths += [death for fate in Fate for death in rehearsed.deaths(fate)]
    return deaths


if __name__ == "__main__":
    main(sys.argv[1:] or list(STAGES))
