"""The account itself, without an app in it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import account, life, processes, site
from sandbox.errors import DeploymentFailed
from sandbox.places import Places
from sandbox.ports import LOOPBACK

pytestmark = pytest.mark.e2e


@pytest.fixture
def up(places: Places) -> Iterator[str]:
    yield account.start(places)
    account.stop(places)


def test_a_failed_start_leaves_nothing_running(places: Places) -> None:
    with pytest.raises(DeploymentFailed, match=r"There is no .*node_modules"):
        life.up(places.root)

    assert life.running(places.root) is None
    assert processes.alive(places.lock("account")) is None
    assert processes.alive(places.lock("site")) is None


def test_an_account_remembers_what_it_held(places: Places, up: str) -> None:
    account.client("ssm", up).put_parameter(Name="any", Value="kept", Type="String")

    account.stop(places)
    again = account.start(places)

    assert again == up
    assert account.client("ssm", again).get_parameter(Name="any")["Parameter"]["Value"] == "kept"


@pytest.mark.usefixtures("up")
def test_a_killed_account_is_not_taken_for_a_running_one(places: Places) -> None:
    child = processes.alive(places.lock("account"))
    assert child

    os.killpg(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)

    assert account.address(places) is None


def test_two_sandboxes_run_side_by_side(places: Places, up: str, tmp_path: Path) -> None:
    others = Places.of(tmp_path / "other")
    try:
        assert account.start(others) != up
        assert site.start(others) != site.start(places)
        assert account.address(places) == up
    finally:
        account.stop(others)
        site.stop(others)
        site.stop(places)


def test_the_sample_site_keeps_its_port_and_says_where_it_cannot(places: Places) -> None:
    said: list[str] = []
    first = site.start(places, said.append)
    site.stop(places)
    assert site.start(places, said.append) == first
    site.stop(places)
    said.clear()

    port = int(first.rpartition(":")[2])
    try:
        with socket.create_server((LOOPBACK, port)):
            assert site.start(places, said.append) != first
        assert said
        assert f"port {port} is taken" in said[0]
        assert "its pages are new ones" in said[0]
    finally:
        site.stop(places)


def test_stopping_what_is_not_up_says_so(places: Places) -> None:
    assert life.down(places.root) is False
