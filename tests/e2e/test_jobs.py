"""Runs whose sources are read by a model on this machine, with its key from Secrets Manager; and
sources that lie in a bucket.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from lambdas.agent.contract import Step
from sandbox.life import sandbox
from tests.adapters.pdfs import drawn, lines, pdf
from tests.e2e.account import Account, Ended, task_of
from tests.e2e.conftest import PRICING, ROOT, Publish
from tests.fakes.model_server import Model, Mood, form_of, serving

pytestmark = pytest.mark.e2e

KEY = "sk-made-up-for-the-sandbox"
FILINGS = "filings-of-acme"
AT_ONCE = 12
"""Sources that wait for the model's answers side by side."""
STATES_OF_A_SOURCE = 8
"""FETCH, EXTRACT, ANALYZE, a choice behind each, TWIN? and SOURCE_READ."""


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
        told = {
            "model_url": address,
            "model_name": "small-1",
            "model_secret": "ratchet/model",
            "source_bucket": FILINGS,
            "sources_at_once": AT_ONCE,
        }
        with sandbox(ROOT, home=home, context=told, say=print) as up:
            account = Account(up)
            secrets = account.client("secretsmanager")
            secrets.create_secret(Name="ratchet/model", SecretString=KEY)
            account.client("s3").create_bucket(Bucket=FILINGS)
            yield account


@pytest.mark.promise("R12", "R20")
def test_a_model_that_loses_its_answers_and_is_busy_gets_one_job_for_each_source_and_answer(
    account: Account, model: Model, a_request: Callable[..., dict[str, Any]]
) -> None:
    model.moods.extend([Mood.DIES, Mood.FAILS, Mood.BUSY, Mood.TIMES_OUT, Mood.TRUNCATES])
    request, before = a_request(), set(model.jobs)

    ended = account.run(request)

    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    begun = [form_of(model.jobs[job].asked) for job in model.jobs.keys() - before]
    assert sorted(begun) == ["answer", "findings", "findings"]
    assert all(job.asked["model"] == "small-1" for job in model.jobs.values())
    assert {seen["authorization"] for seen in model.seen} == {f"Bearer {KEY}"}
    task = account.task(task_of(request))
    assert task is not None
    assert task.read == 2


@pytest.mark.promise("R34")
def test_objects_of_the_named_bucket_are_read_and_those_of_another_are_set_aside(
    account: Account, a_request: Callable[..., dict[str, Any]]
) -> None:
    said = [
        f"The Team plan costs 4{n} euros a month for each seat in the year 202{n}." for n in "678"
    ]
    filing = pdf(drawn(lines(*said)))
    account.client("s3").put_object(Bucket=FILINGS, Key="2026/q3 report.pdf", Body=filing)
    request = a_request(
        f"s3://{FILINGS}/2026/q3 report.pdf",
        f"s3://{FILINGS}/2026/q4.pdf",
        "s3://somebody-elses/secret.pdf",
        analyst="extractive",
    )

    ended = account.run(request)

    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    task = task_of(request)
    record = account.task(task)
    assert record is not None
    assert record.read == 3
    aside = [unit for unit in account.units(task) if unit.step is Step.SET_ASIDE]
    codes = {unit.outcome.facts["error_code"] for unit in aside if unit.outcome}
    # AWS does not say that a key is missing to whoever may not list the bucket; ministack does.
    assert codes - {"ACCESS_DENIED", "NO_SUCH_KEY"} == {"BUCKET_NOT_READ"}
    assert len(codes) == 2


@pytest.mark.promise("R4", "R16")
def test_a_hundred_unchanged_sources_cost_no_model_call_and_next_to_no_states(
    account: Account, model: Model, site: Publish
) -> None:
    at = site({f"shop-{n}.html": PRICING.replace("Every plan", f"Plan {n}") for n in range(100)})
    request = {
        "agent_id": f"watcher-{uuid4().hex[:8]}",
        "questions": ["How much does the Team plan cost?"],
        "sources": [{"url": f"{at}/shop-{n}.html"} for n in range(100)],
        "baseline": "previous",
        "approval": "on_change",
    }
    first = account.run({**request, "workflow_id": "week-1"})
    jobs = len(model.jobs)
    second = account.ended(account.start({**request, "workflow_id": "week-2"}))

    assert (first.status, second.status) == ("SUCCEEDED", "SUCCEEDED")
    assert jobs >= 100
    assert len(model.jobs) == jobs
    assert states_entered(account, second) < states_entered(account, first) / 4
    task = account.task(task_of({**request, "workflow_id": "week-2"}))
    assert task is not None
    keys = account.keys(task.result_uri.split("/", 3)[3])
    report = json.loads(account.body(next(key for key in keys if key.endswith(".json"))))
    assert report["coverage"] == {"read": 100, "sources": 100, "is_partial": False}
    assert (report["changes"]["unchanged"], report["changes"]["is_short"]) == (100, True)


def states_entered(account: Account, ended: Ended) -> int:
    """What AWS counts and bills. Of the sources' own executions ministack tells no states, so each
    counts with the fewest in which a source is read.
    """
    run = sum(1 for event in account.history(ended.arn) if "StateEntered" in event["type"])
    return run + STATES_OF_A_SOURCE * len(account.children(ended.arn))
