"""Fixtures shared by every suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.fakes.clock import FakeClock
from tests.fakes.world import World, a_world

# How long an example takes is no claim of ours: a busy machine is no fault.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


LONGEST = ("tests/e2e/test_chaos.py", "tests/steps/test_deaths.py", "tests/e2e/")
"""Files that take minutes, the longest first; whoever runs them last keeps everybody waiting."""


@pytest.hookimpl(trylast=True)  # after the order was drawn at random
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _turn(item.nodeid))


def _turn(test: str) -> int:
    turns = (turn for turn, prefix in enumerate(LONGEST) if test.startswith(prefix))
    return next(turns, len(LONGEST))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def world(clock: FakeClock) -> World:
    return a_world(clock)


@pytest.fixture(autouse=True)
def made_up_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up ones: a test that forgets its moto fails, and reaches nobody's account."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
