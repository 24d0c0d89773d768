from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from sandbox import processes
from sandbox.places import Places, write_json
from tests.sandbox.conftest import wait_for_the_end_of

any_port = 4711


def start(places: Places, lock: Path) -> processes.Child:
    log = places.log("any")
    processes.start(
        "tests.sandbox.stubborn",
        environment={"PATH": os.defpath},
        port=any_port,
        lock=lock,
        log=log,
    )
    while not log.read_text():
        time.sleep(0.01)
    child = processes.alive(lock)
    assert child
    return child


def test_a_child_is_found_by_its_lock(places: Places, lock: Path) -> None:
    child = start(places, lock)

    assert child.port == any_port
    assert os.getpgid(child.pid) == child.pid


def test_a_lock_that_was_never_taken_has_no_child(lock: Path) -> None:
    assert processes.alive(lock) is None
    assert processes.last(lock) is None
    assert processes.stop(lock) is False


def test_a_stubborn_child_is_ended_with_all_it_started(places: Places, lock: Path) -> None:
    start(places, lock)
    grandchild = int(places.log("any").read_text())

    assert processes.stop(lock, grace=0.0) is True

    assert processes.alive(lock) is None
    wait_for_the_end_of(grandchild)


def test_a_killed_child_is_noticed_and_its_port_remembered(places: Places, lock: Path) -> None:
    child = start(places, lock)

    os.killpg(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)

    assert processes.alive(lock) is None
    assert processes.last(lock) == child


def test_a_process_id_that_became_somebody_elses_is_left_alone(lock: Path) -> None:
    lock.touch()
    write_json(lock.with_suffix(".json"), {"pid": os.getpid(), "port": any_port})

    assert processes.alive(lock) is None
    assert processes.stop(lock) is False


def test_a_second_child_replaces_the_first(places: Places, lock: Path) -> None:
    first = start(places, lock)
    os.killpg(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)

    second = start(places, lock)

    assert processes.alive(lock) == second
    assert second.pid != first.pid


@pytest.mark.parametrize("note", [{}, {"pid": "many", "port": 1}, {"pid": 1}])
def test_a_note_that_cannot_be_read_names_no_child(lock: Path, note: dict[str, object]) -> None:
    write_json(lock.with_suffix(".json"), note)

    assert processes.last(lock) is None
