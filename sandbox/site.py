"""The sample site as a process: started, found and stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from sandbox import processes
from sandbox.errors import DidNotStart, last_lines
from sandbox.places import Places
from sandbox.ports import LOOPBACK, answers, free_port

_NAME = "site"
_FAVOURITE_PORT = 8477
_PATIENCE = 10.0
_PAUSE = 0.02
_TRIES = 3
"""At a port: another sandbox that starts at the same moment may take it first."""


def start(places: Places, say: Callable[[str], None] = lambda _: None) -> str:
    """Bring it up and answer its address: that of last time, as its pages are known by it."""
    last = processes.last(places.lock(_NAME))
    wanted = last.port if last else _FAVOURITE_PORT
    for _ in range(_TRIES):
        port = free_port(wanted, _FAVOURITE_PORT)
        if port != wanted:
            say(_moved(wanted, port, is_known=last is not None))
        if comes_up(places, port):
            return _address(port)
    log = places.log(_NAME)
    raise DidNotStart(f"The sample site did not come up. The end of {log}:\n{last_lines(log)}")


def comes_up(places: Places, port: int) -> bool:
    """False where somebody else was quicker at that port: what answers there is theirs then."""
    lock = places.lock(_NAME)
    processes.start(
        "sandbox.site_process",
        str(places.root),
        str(places.home),
        str(port),
        environment={"PATH": os.defpath, "LANG": "C.UTF-8"},
        port=port,
        lock=lock,
        log=places.log(_NAME),
    )
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and (child := processes.alive(lock)):
        if listens(places, child.pid):
            return True
        time.sleep(_PAUSE)
    processes.stop(lock)
    return False


def listens(places: Places, pid: int) -> bool:
    """Whether that very process has its port, by its own word."""
    try:
        return places.listening.read_text() == str(pid)
    except FileNotFoundError:
        return False


def address(places: Places) -> str | None:
    """Where the site of this folder answers; None if it is not up."""
    child = processes.alive(places.lock(_NAME))
    return _address(child.port) if child and answers(child.port) else None


def stop(places: Places) -> bool:
    return processes.stop(places.lock(_NAME))


def _moved(wanted: int, port: int, *, is_known: bool) -> str:
    new = ", so to the agent its pages are new ones" if is_known else ""
    return f"port {wanted} is taken, the sample site is at port {port}{new}"


def _address(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"
