"""The model's adapter against a server on this machine, in all its moods."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from lambdas.adapters.http_json import JsonService
from lambdas.adapters.openai_jobs import OpenAiJobs
from lambdas.agent.errors import ServiceUnavailable, SourceRefused, StepError
from lambdas.agent.forms import ANSWER, FINDINGS, Form
from lambdas.agent.job_state import Phase, Usage
from tests.adapters.talks import PAYLOAD, TO_WRITE
from tests.fakes.model_server import Model, Mood, serving
from tests.fakes.secrets import FakeSecrets

KEY = "f" * 64
LONG, SHORT = 20.0, 0.3
"""Seconds: more than any exchange here takes, and less than a silent server does."""
SECRET = "sk-made-up-key"


@pytest.fixture
def model() -> Model:
    return Model(lag=0)


@pytest.fixture
def address(model: Model) -> Iterator[str]:
    with serving(model) as address:
        yield address


@pytest.fixture
def jobs(address: str) -> OpenAiJobs:
    return OpenAiJobs(
        JsonService(address), model="small-1", secrets=FakeSecrets(SECRET), secret="any"
    )


def submit(jobs: OpenAiJobs, seconds: float = LONG) -> str:
    job_id = jobs.submit(PAYLOAD, key=KEY, seconds=seconds)
    assert isinstance(job_id, str)
    return job_id


def fault(jobs: OpenAiJobs, seconds: float = LONG) -> StepError:
    with pytest.raises(StepError) as raised:
        submit(jobs, seconds)
    return raised.value


@pytest.mark.parametrize(("payload", "form"), [(PAYLOAD, FINDINGS), (TO_WRITE, ANSWER)])
def test_a_job_is_submitted_in_background_with_its_key_and_its_form(
    jobs: OpenAiJobs, model: Model, payload: Mapping[str, Any], form: Form
) -> None:
    job_id = jobs.submit(payload, key=KEY, seconds=LONG)

    (job,) = model.jobs.values()
    assert job.key == KEY
    assert job.asked == {
        "instructions": "read",
        "input": "page",
        "model": "small-1",
        "text": {
            "format": {
                "type": "json_schema",
                "name": form.name,
                "strict": True,
                "schema": form.schema,
            }
        },
        "background": True,
    }
    assert model.seen[0]["authorization"] == f"Bearer {SECRET}"
    assert job_id in model.jobs


def test_an_answer_is_its_words_and_not_what_was_thought(jobs: OpenAiJobs, model: Model) -> None:
    model.answer = lambda _: "größer"

    state = jobs.poll(submit(jobs), seconds=LONG)
    assert (state.phase, state.body.decode()) == (Phase.DONE, "größer")


def test_a_job_under_way_is_running(jobs: OpenAiJobs, model: Model) -> None:
    model.lag = 1
    job_id = submit(jobs)

    phases = [jobs.poll(job_id, seconds=LONG).phase for _ in range(2)]
    assert phases == [Phase.RUNNING, Phase.DONE]


@pytest.mark.promise("R12", "R20")
@pytest.mark.parametrize(
    ("mood", "code"),
    [
        (Mood.DIES, "CONNECT_FAILED"),
        (Mood.TIMES_OUT, "HTTP_408"),
        (Mood.FAILS, "HTTP_500"),
        (Mood.TRUNCATES, "TRUNCATED"),
        (Mood.MUMBLES, "BAD_ANSWER"),
    ],
)
def test_a_job_whose_answer_was_lost_is_found_again_by_its_key(
    jobs: OpenAiJobs, model: Model, mood: Mood, code: str
) -> None:
    model.moods.append(mood)

    lost = fault(jobs)
    assert isinstance(lost, ServiceUnavailable)
    assert (lost.code, lost.wait_seconds) == (code, None)
    assert submit(jobs) in model.jobs
    assert len(model.jobs) == 1


def test_a_server_that_says_its_answer_twice_is_heard_once(jobs: OpenAiJobs, model: Model) -> None:
    model.moods.append(Mood.TWICE)

    assert [submit(jobs), submit(jobs)] == ["resp_1", "resp_1"]


@pytest.mark.promise("R18", "R20")
@pytest.mark.parametrize("seconds", [SHORT, 0.0, -1.0])
def test_a_server_that_never_answers_costs_its_deadline_and_no_more(
    jobs: OpenAiJobs, model: Model, seconds: float
) -> None:
    model.moods.append(Mood.SLOW)

    assert fault(jobs, seconds).code == "DEADLINE"
    assert len(model.seen) <= 1, "one attempt: who is patient is the state machine"


@pytest.mark.promise("R22")
def test_a_busy_server_tells_how_long_to_wait(jobs: OpenAiJobs, model: Model) -> None:
    model.moods.append(Mood.BUSY)

    busy = fault(jobs)
    assert isinstance(busy, ServiceUnavailable)
    assert (busy.code, busy.wait_seconds) == ("HTTP_429", 7)
    assert model.jobs == {}


def test_a_job_that_the_server_forgot_has_vanished(jobs: OpenAiJobs, model: Model) -> None:
    job_id = submit(jobs)
    model.forget()

    assert jobs.poll(job_id, seconds=LONG).code == "JOB_VANISHED"


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("failed", "JOB_FAILED"),
        ("cancelled", "JOB_CANCELLED"),
        ("incomplete", "JOB_INCOMPLETE"),
        ("expired", "JOB_EXPIRED"),
    ],
)
def test_an_end_that_is_none_of_ours_has_a_code_of_its_own(
    jobs: OpenAiJobs, model: Model, end: str, code: str
) -> None:
    model.end = end

    state = jobs.poll(submit(jobs), seconds=LONG)
    assert (state.phase, state.code) == (Phase.FAILED, code)


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("end", "beside", "code"),
    [
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "TRUNCATED"),
        ("incomplete", {"incomplete_details": {"reason": "content_filter"}}, "MODEL_REFUSED"),
        ("failed", {"error": {"code": "context_length_exceeded"}}, "CONTEXT_OVERFLOW"),
        ("failed", {"error": {"code": "server_error"}}, "JOB_FAILED"),
    ],
)
def test_why_it_ended_decides_what_an_answer_is_worth(
    jobs: OpenAiJobs, model: Model, end: str, beside: dict[str, Any], code: str
) -> None:
    model.end, model.beside = end, beside
    state = jobs.poll(submit(jobs), seconds=LONG)

    assert (state.phase, state.code) == (Phase.FAILED, code)


def test_a_refusal_in_the_answers_own_words_for_it_is_one(jobs: OpenAiJobs, model: Model) -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "any"}]}
    model.beside = {"output": [refusal], "usage": {"input_tokens": 9, "output_tokens": 2}}
    state = jobs.poll(submit(jobs), seconds=LONG)

    assert state.code == "MODEL_REFUSED"
    assert state.usage == Usage(input_tokens=9, output_tokens=2)


@pytest.mark.parametrize("usage", [None, [], {"input_tokens": "9"}, {"input_tokens": -9}])
def test_tokens_that_are_no_counts_are_not_counted(
    jobs: OpenAiJobs, model: Model, usage: Any
) -> None:
    model.beside = {"usage": usage}

    assert jobs.poll(submit(jobs), seconds=LONG).usage is None


def test_a_status_that_nobody_knows_is_asked_again(jobs: OpenAiJobs, model: Model) -> None:
    model.end = "reconsidering"
    job_id = submit(jobs)

    with pytest.raises(ServiceUnavailable, match="without a status"):
        jobs.poll(job_id, seconds=LONG)


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("mood", "code"), [(Mood.REFUSES, "MODEL_KEY_REFUSED"), (Mood.MOVES, "MODEL_MOVED")]
)
def test_a_refusal_is_final_and_a_redirect_gets_no_key(
    jobs: OpenAiJobs, model: Model, mood: Mood, code: str
) -> None:
    model.moods.append(mood)

    refused = fault(jobs)
    assert isinstance(refused, SourceRefused)
    assert refused.code == code
    assert len(model.seen) == 1


@pytest.mark.promise("R33")
def test_the_key_stands_in_no_log_and_no_error(
    jobs: OpenAiJobs, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = []
    for mood in Mood:
        if mood is not Mood.SLOW:
            model.moods.append(mood)
            told.append(_whatever_it_says(jobs))

    assert SECRET not in caplog.text + json.dumps(told)
    assert "page" not in caplog.text


def test_without_a_secret_nothing_is_sent_as_a_key(address: str, model: Model) -> None:
    secrets = FakeSecrets()
    submit(OpenAiJobs(JsonService(address), model="m", secrets=secrets, secret=""))

    assert "authorization" not in model.seen[0]
    assert secrets.asked == []


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    "base",
    ["http://model.example", "http://10.0.0.1:8000", "ftp://127.0.0.1", "model.example", ""],
)
def test_a_key_is_sent_over_https_alone(base: str) -> None:
    with pytest.raises(ValueError, match="no https address"):
        JsonService(base)


def test_a_connection_that_is_not_encrypted_gets_no_request(address: str, model: Model) -> None:
    service = JsonService(address.replace("http:", "https:"))
    jobs = OpenAiJobs(service, model="m", secrets=FakeSecrets(), secret="any")

    assert fault(jobs).code == "CONNECT_FAILED"
    assert model.seen == []


def test_nobody_at_home_is_asked_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    jobs = OpenAiJobs(
        JsonService(f"http://127.0.0.1:{port}"), model="m", secrets=FakeSecrets(), secret="any"
    )

    assert fault(jobs).code == "CONNECT_FAILED"


def _whatever_it_says(jobs: OpenAiJobs) -> Any:
    try:
        return submit(jobs)
    except StepError as error:
        return [str(error), repr(error), error.code, error.dependency]
