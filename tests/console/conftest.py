"""A bench for the command line: an account in moto, and a folder for reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto import mock_aws

from tests.console.bench import Bench, a_bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with mock_aws():
        yield a_bench(tmp_path / "out")


@pytest.fixture
def sandbox_bench(tmp_path: Path) -> Iterator[Bench]:
    """The same, with a sample site: what a request's `{site}` becomes."""
    with mock_aws():
        yield a_bench(tmp_path / "out", site="http://127.0.0.1:8477")
