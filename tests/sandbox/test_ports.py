from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from sandbox.ports import LOOPBACK, answers, free_port, is_free


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


def test_the_port_of_last_time_is_taken_again(taken: int) -> None:
    last = free_port()

    assert free_port(None, last, taken) == last


def test_a_port_in_use_is_left_to_whoever_has_it(taken: int) -> None:
    port = free_port(taken)

    assert port != taken
    assert is_free(port)


def test_a_port_that_the_system_keeps_for_itself_is_not_asked_for() -> None:
    assert free_port(0) > 1024


def test_a_server_answers_and_a_free_port_does_not(taken: int) -> None:
    assert answers(taken)
    assert not answers(free_port())
