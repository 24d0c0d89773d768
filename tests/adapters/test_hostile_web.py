"""A reader goes through a site where every page is a trap, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.hostile_site import TO_THE_METADATA, TRAPS, answer
from tests.fakes.raw_site import Site, answered, site

PROJECT = Path(__file__).parents[2]
MOST_MEMORY = 128_000_000
"""Bytes of the 512 MB that the function has; it also holds the AWS client and two copies more."""


@pytest.fixture(scope="module")
def canary() -> Iterator[Site]:
    """What stands at every address that is not public, and the proxy of the environment."""
    with site(answered(b"secret")) as running:
        yield running


@pytest.fixture(scope="module")
def told(canary: Site) -> dict[str, Any]:
    """What the reader has told; that it has come to an end is the first thing it shows."""
    proxies = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    told = dict.fromkeys(proxies, f"http://127.0.0.1:{canary.port}")
    with site(answer) as server:
        command = [sys.executable, "-m", "tests.fakes.hostile_site"]
        ports = [str(server.port), str(canary.port)]
        output = subprocess.check_output(  # noqa: S603 ours
            [*command, *ports], env=os.environ | told, cwd=PROJECT, text=True
        )
    found: dict[str, Any] = json.loads(output)
    return found


@pytest.mark.parametrize("name", TRAPS)
def test_the_reader_comes_out_of_each_trap_as_it_should(told: dict[str, Any], name: str) -> None:
    assert told["outcomes"][name] in TRAPS[name].ends


def test_nothing_private_is_touched_and_no_proxy_is_obeyed(
    told: dict[str, Any], canary: Site
) -> None:
    assert told["outcomes"].keys() == TRAPS.keys()
    assert len(TO_THE_METADATA) >= 12
    assert canary.connections == 0


def test_the_memory_stays_small(told: dict[str, Any]) -> None:
    assert told["peak"] < MOST_MEMORY
