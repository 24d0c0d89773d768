"""Deaths by chance: `make chaos` runs the sample among them again and again, for some minutes.

Every run draws its deaths from a seed of its own, which is printed; the same seed draws them again.
The first run that can be told from an undisturbed one ends it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from lambdas.adapters.chaos import Chaos
from lambdas.adapters.endangered import markers
from lambdas.agent.contract import Door, Step
from sandbox.life import sandbox
from tests.e2e.account import Account
from tests.e2e.danger import AT_ONCE, Watched, endangered, run
from tests.e2e.events import Events, listening
from tests.e2e.invariants import Aftermath, violations

ROOT = Path(__file__).resolve().parents[1]
MORTAL = (*(step for step in Step if step is not Step.APPROVE), Door.DECIDE)
"""The sandbox's account loses a failing function behind a task token; AWS tries it again."""
RATE = 0.06
EACH = 2


def main() -> int:
    asked = _asked()
    deadline = time.monotonic() + asked.minutes * 60
    with _alone() as (account, home):
        events, undisturbed = listening(account), run(account, _sample(account, "undisturbed"))
        for seed in count(asked.seed):
            faults = _run(account, seed, home / f"kills-{seed}", undisturbed, events)
            if faults:
                _say(*(f"  {fault}" for fault in faults), f"  again: make chaos SEED={seed}")
                return 1
            if time.monotonic() > deadline:
                return 0
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="begin no run after so many")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**6), help="of the first run"
    )
    return parser.parse_args()


@contextmanager
def _alone() -> Iterator[tuple[Account, Path]]:
    """A sandbox of our own, gone with its folder when it ends."""
    with tempfile.TemporaryDirectory(prefix="ratchet-chaos-") as folder:
        home, told = Path(folder), {"sources_at_once": AT_ONCE}
        with sandbox(ROOT, home=home, context=told, say=_say) as running:
            yield Account(running), home


def _run(
    account: Account, seed: int, folder: Path, undisturbed: Watched, events: Events
) -> list[str]:
    """One run among the deaths of a seed; what may not be said of it."""
    folder.mkdir()
    begun = time.monotonic()
    chaos = Chaos(folder=str(folder), seed=seed, rate=RATE, each=EACH)
    with endangered(account, chaos, MORTAL):
        watched = run(account, _sample(account, f"seed-{seed}"))
    deaths = markers(folder, watched.task_id)
    faults = violations(Aftermath.of(watched, deaths), undisturbed, events)
    steps = ", ".join(f"{step} {n}" for step, n in Counter(d.step for d in deaths).items())
    _say(
        f"seed {seed}: {len(deaths)} deaths in {time.monotonic() - begun:.0f} s ({steps}): "
        f"{'not the same run' if faults else 'the same report, each effect once'}"
    )
    return faults


def _sample(account: Account, workflow: str) -> dict[str, Any]:
    text = (ROOT / "examples/acme/request.json").read_text().replace("{site}", account.site)
    # An agent of its own: the next task of the same one would be compared with the first.
    return {**json.loads(text), "agent_id": f"agent-{workflow}", "workflow_id": workflow}


def _say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
