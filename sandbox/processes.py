"""Long-lived child processes that any later command can find, trust and stop.

A child holds a file lock for as long as it lives. So a process id that the system has given to
somebody else is never mistaken for ours, and a killed child is noticed at once.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.interruptions import held
from sandbox.places import read_json, write_json

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
_PAUSE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    pid: int
    port: int


def start(
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    port: int,
    lock: Path,
    log: Path,
) -> None:
    """Run the module in a session of its own; one that is still there is ended first."""
    stop(lock)
    with lock.open("a") as locked, log.open("wb") as output, held():
        fcntl.flock(locked, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=PACKAGE_ROOT,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=[locked.fileno()],
        )
        write_json(_note(lock), asdict(Child(pid=process.pid, port=port)))
        process.returncode = 0  # it outlives this command: nobody is going to wait for it


def alive(lock: Path) -> Child | None:
    """The child that holds the lock, if one does."""
    try:
        with lock.open("r") as locked:
            fcntl.flock(locked, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return last(lock)
    except FileNotFoundError:
        pass
    return None


def last(lock: Path) -> Child | None:
    """The child of this lock, alive or not: its port is worth asking for again."""
    found = read_json(_note(lock))
    try:
        return Child(pid=int(found["pid"]), port=int(found["port"]))
    except (KeyError, TypeError, ValueError):
        return None


def stop(lock: Path, *, grace: float = 10.0) -> bool:
    """Ask it to end, wait for it, then end its whole session. Says whether one was running."""
    child = alive(lock)
    if child is None:
        return False
    try:
        os.kill(child.pid, signal.SIGTERM)
        _wait(lock, time.monotonic() + grace)
    finally:
        if alive(lock):
            os.killpg(child.pid, signal.SIGKILL)
            _wait(lock, time.monotonic() + 1.0)
    return True


def _wait(lock: Path, deadline: float) -> None:
    while alive(lock) and time.monotonic() < deadline:
        time.sleep(_PAUSE)


def _note(lock: Path) -> Path:
    return lock.with_suffix(".json")
