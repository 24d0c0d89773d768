"""A run whose sources are read by a model on this machine, with its key from Secrets Manager."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.life import sandbox
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import ROOT
from tests.fakes.model_server import Model, Mood, serving

pytestmark = pytest.mark.e2e

KEY = "sk-made-up-for-the-sandbox"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(lag=1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("model")


@pytest.fixture(scope="module")
def account(model: Model, home: Path) -> Iterator[Account]:
    """A sandbox of its own: what a deployment names cannot be changed while others use it."""
    with serving(model) as address:
        told = {"model_url": address, "model_name": "small-1", "model_secret": "ratchet/model"}
        with sandbox(ROOT, home=home, context=told, say=print) as up:
            account = Account(up)
            secrets = account.client("secretsmanager")
            secrets.create_secret(Name="ratchet/model", SecretString=KEY)
            yield account


@pytest.mark.promise("R12", "R20")
def test_a_model_that_loses_its_answers_and_is_busy_gets_one_job_for_each_source(
    account: Account, model: Model, a_request: Callable[..., dict[str, Any]]
) -> None:
    model.moods.extend([Mood.DIES, Mood.FAILS, Mood.BUSY, Mood.TIMES_OUT, Mood.TRUNCATES])
    request = a_request()

    ended = account.run(request)

    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    assert len(model.jobs) == 2
    assert all(job.asked["model"] == "small-1" for job in model.jobs.values())
    assert {seen["authorization"] for seen in model.seen} == {f"Bearer {KEY}"}
    task = account.task(task_of(request))
    assert task is not None
    assert task.read == 2
