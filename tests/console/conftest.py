"""A bench for the command line: an account in moto, and a folder for reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto import mock_aws

from tests.console.bench import Bench, a_bench


@pytest.fixture(autouse=True)
def nobodys_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """How wide the terminal is from which the tests are run says nothing about a pipe."""
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with mock_aws():
        yield a_bench(tmp_path / "out")


@pytest.fixture
def sandbox_bench(tmp_path: Path) -> Iterator[Bench]:
    """The same, with a sample site: what a request's `{site}` becomes."""
    with mock_aws():
        yield a_bench(tmp_path / "out", site="http://127.0.0.1:8477")
