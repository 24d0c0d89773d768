"""One contract for the providers of jobs: in memory, a model's server, Textract on moto."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from moto import mock_aws

from lambdas.adapters.http_json import JsonService
from lambdas.adapters.openai_jobs import OpenAiJobs
from lambdas.adapters.textract_jobs import TextractJobs
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.model import Ability
from lambdas.agent.ports import Jobs
from tests.contracts.table import REGION
from tests.fakes.jobs import FakeJobs
from tests.fakes.model_server import Model, serving
from tests.fakes.secrets import FakeSecrets

KEY, OTHER_KEY = "a" * 64, "b" * 64
SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The adapter, something it can be asked for, and what was begun at the other end."""

    jobs: Jobs
    payload: Mapping[str, Any]
    begun: Callable[[], list[str]]
    """The tokens that were sent with each submission, or the jobs' keys where tokens count."""


@pytest.fixture(params=["memory", "openai", "textract"])
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    if request.param == "memory":
        fake = FakeJobs(lag=0)
        yield Provider(jobs=fake, payload={"input": "x"}, begun=fake.noticed)
    elif request.param == "openai":
        model = Model(lag=0, answer=lambda asked: str(asked["input"]))
        with serving(model) as address:
            jobs = OpenAiJobs(
                JsonService(address), model="any-model", secrets=FakeSecrets(), secret="any"
            )
            keys = lambda: [job.key for job in model.jobs.values()]  # noqa: E731  # one word of it
            yield Provider(jobs=jobs, payload={"input": "x"}, begun=keys)
    else:
        with mock_aws():
            client = boto3.client("textract", region_name=REGION)
            tokens: list[str] = []
            client.meta.events.register(
                "provide-client-params.textract.StartDocumentTextDetection",
                lambda params, **_: tokens.append(params["ClientRequestToken"]),
            )
            textract = TextractJobs(client, "artifacts")
            # moto begins a job for every call; AWS begins one for a token. What is sent is seen.
            yield Provider(
                jobs=textract,
                payload={"artifact": "tasks/t/page/hash"},
                begun=lambda: sorted(set(tokens)),
            )


def state_of(provider: Provider, job_id: str) -> JobState:
    return provider.jobs.poll(job_id, seconds=SECONDS)


def submit(provider: Provider, key: str = KEY) -> str:
    return provider.jobs.submit(provider.payload, key=key, seconds=SECONDS)


def test_a_job_is_begun_and_asked_after_until_it_has_a_body(provider: Provider) -> None:
    state = state_of(provider, submit(provider))

    assert state.phase is Phase.DONE
    assert isinstance(state.body, bytes)


@pytest.mark.promise("R12")
def test_the_same_key_begins_one_job(provider: Provider) -> None:
    assert provider.jobs.ability is Ability.TOKEN
    submit(provider)
    again = submit(provider)

    assert provider.begun() == [KEY]
    assert state_of(provider, again).phase is Phase.DONE


def test_another_key_begins_another_job(provider: Provider) -> None:
    assert submit(provider) != submit(provider, OTHER_KEY)
    assert provider.begun() == [KEY, OTHER_KEY]


@pytest.mark.promise("R23")
def test_a_job_that_nobody_knows_has_vanished(provider: Provider) -> None:
    state = state_of(provider, "resp_of_somebody_else")

    assert (state.phase, state.code) == (Phase.FAILED, "JOB_VANISHED")
    assert state.sentence
