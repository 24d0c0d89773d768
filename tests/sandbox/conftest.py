"""A checkout of nothing, and the process that will not end by itself."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import processes
from sandbox.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of(tmp_path / "checkout")


@pytest.fixture
def lock(places: Places) -> Iterator[Path]:
    lock = places.lock("any")
    yield lock
    processes.stop(lock, grace=0.0)


def wait_for_the_end_of(pid: int) -> None:
    """A process that ended but was not fetched by its parent yet has ended all the same."""
    while _state(pid) not in {"", "Z"}:
        time.sleep(0.01)


def _state(pid: int) -> str:
    told = subprocess.run(  # noqa: S603 - ps, of a number
        ["/bin/ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return told.stdout.strip()[:1]
