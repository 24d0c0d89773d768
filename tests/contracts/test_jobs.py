"""One contract for the providers of jobs: in memory, models' servers, Textract on moto."""

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
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.model_ports import Jobs
from tests.adapters.talks import PAYLOAD, bedrock, chat
from tests.contracts.table import REGION
from tests.fakes.jobs import FakeJobs
from tests.fakes.model_server import Model, serving
from tests.fakes.secrets import FakeSecrets
from tests.fakes.talking_server import Talker, talking

KEY, OTHER_KEY = "a" * 64, "b" * 64
SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The adapter, something it can be asked for, and what was begun at the other end."""

    jobs: Jobs
    payload: Mapping[str, Any]
    begun: Callable[[], list[str]]
    """The tokens that were sent with each submission, or the jobs' keys where tokens count."""


@pytest.fixture(params=["memory", "memory at once", "openai", "chat", "bedrock", "textract"])
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    if request.param == "memory":
        fake = FakeJobs(lag=0)
        yield Provider(jobs=fake, payload={"input": "x"}, begun=fake.noticed)
    elif request.param == "memory at once":
        fake = FakeJobs(ability=Ability.AT_LEAST_ONCE, at_once=True)
        yield Provider(jobs=fake, payload={"input": "x"}, begun=lambda: list(fake.jobs.values()))
    elif request.param in {"chat", "bedrock"}:
        talker = Talker()
        with talking(talker) as address:
            at_once = chat(address) if request.param == "chat" else bedrock(address)
            # What Converse is sent holds no key: requests are counted.
            keys = lambda: [each.get("idempotency-key", "") for each in talker.headers]  # noqa: E731
            yield Provider(jobs=at_once, payload=PAYLOAD, begun=keys)
    elif request.param == "openai":
        model = Model(lag=0, answer=lambda asked: str(asked["input"]))
        with serving(model) as address:
            jobs = OpenAiJobs(
                JsonService(address), model="any-model", secrets=FakeSecrets(), secret="any"
            )
            keys = lambda: [job.key for job in model.jobs.values()]  # noqa: E731  # one word of it
            yield Provider(jobs=jobs, payload=PAYLOAD, begun=keys)
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


def submit(provider: Provider, key: str = KEY) -> str | JobState:
    return provider.jobs.submit(provider.payload, key=key, seconds=SECONDS)


def end_of(provider: Provider, begun: str | JobState) -> JobState:
    if isinstance(begun, JobState):
        return begun
    return provider.jobs.poll(begun, seconds=SECONDS)


def answers_at_once(provider: Provider) -> bool:
    return provider.jobs.ability is Ability.AT_LEAST_ONCE


def test_a_job_is_begun_and_asked_after_until_it_has_a_body(provider: Provider) -> None:
    begun = submit(provider)
    state = end_of(provider, begun)

    assert isinstance(begun, JobState) is answers_at_once(provider)
    assert state.phase is Phase.DONE
    assert isinstance(state.body, bytes)


@pytest.mark.promise("R12")
def test_the_same_key_begins_one_job_where_the_provider_knows_a_token(provider: Provider) -> None:
    submit(provider)
    again = submit(provider)

    assert len(provider.begun()) == (2 if answers_at_once(provider) else 1)
    assert len(set(provider.begun())) == 1
    assert end_of(provider, again).phase is Phase.DONE


def test_another_key_begins_another_job(provider: Provider) -> None:
    first, other = submit(provider), submit(provider, OTHER_KEY)

    assert len(provider.begun()) == 2
    assert answers_at_once(provider) or first != other
    assert answers_at_once(provider) or provider.begun() == [KEY, OTHER_KEY]


@pytest.mark.promise("R23")
def test_a_job_that_nobody_knows_has_vanished(provider: Provider) -> None:
    state = provider.jobs.poll("resp_of_somebody_else", seconds=SECONDS)

    assert (state.phase, state.code) == (Phase.FAILED, "JOB_VANISHED")
    assert state.sentence
