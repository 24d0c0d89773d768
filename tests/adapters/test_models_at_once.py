"""Bedrock through boto3 and OpenAI's chat over HTTP, against a server that speaks both."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from lambdas.adapters.bedrock_jobs import MOST_TOKENS
from lambdas.agent.errors import ServiceUnavailable, SourceRefused, StepError
from lambdas.agent.forms import ANSWER, FINDINGS, Form
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState, Phase, Usage
from lambdas.agent.model_ports import Jobs
from tests.adapters.talks import CLAUDE, KEY, LONG, PAYLOAD, SHORT, TO_WRITE, bedrock, chat
from tests.fakes.talking_server import NOTHING, Dies, Refuses, Says, Silent, Talker, talking

SECRET_WORDS = "words of the page"


@pytest.fixture
def talker() -> Talker:
    return Talker()


@pytest.fixture
def address(talker: Talker) -> Iterator[str]:
    with talking(talker) as address:
        yield address


@pytest.fixture(params=[bedrock, chat], ids=["bedrock", "chat"])
def jobs(request: pytest.FixtureRequest, address: str) -> Jobs:
    make: Callable[[str], Jobs] = request.param
    return make(address)


def ask(jobs: Jobs, seconds: float = LONG, payload: Mapping[str, Any] = PAYLOAD) -> JobState:
    state = jobs.submit(payload, key=KEY, seconds=seconds)
    assert isinstance(state, JobState)
    return state


def fault(jobs: Jobs, seconds: float = LONG) -> StepError:
    with pytest.raises(StepError) as raised:
        ask(jobs, seconds)
    return raised.value


def test_an_answer_comes_at_once_with_what_it_took(jobs: Jobs, talker: Talker) -> None:
    state = ask(jobs)

    assert (state.phase, json.loads(state.body)) == (Phase.DONE, json.loads(NOTHING))
    assert state.usage == Usage(calls=1, input_tokens=120, output_tokens=34)
    assert len(talker.asked) == 1


def test_a_provider_that_does_not_count_is_not_guessed_at(jobs: Jobs, talker: Talker) -> None:
    talker.script.append(Says(tokens=None))

    assert ask(jobs).usage is None


FORMS = pytest.mark.parametrize(
    ("payload", "form"), [(PAYLOAD, FINDINGS), (TO_WRITE, ANSWER)], ids=["findings", "answer"]
)


@FORMS
def test_bedrock_is_made_to_use_the_tool_that_only_tells(
    address: str, talker: Talker, payload: Mapping[str, Any], form: Form
) -> None:
    ask(bedrock(address), payload=payload)

    (asked,) = talker.asked
    assert talker.paths == [f"/model/{CLAUDE}/converse"]
    assert asked["system"] == [{"text": "read"}]
    assert asked["messages"] == [{"role": "user", "content": [{"text": "page"}]}]
    assert asked["inferenceConfig"] == {"maxTokens": MOST_TOKENS}
    (tool,) = asked["toolConfig"]["tools"]
    assert tool["toolSpec"]["inputSchema"] == {"json": form.schema}
    assert asked["toolConfig"]["toolChoice"] == {"tool": {"name": form.tool}}


@pytest.mark.parametrize(
    "model",
    [
        "meta.llama3-1-8b-instruct-v1:0",
        "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc",
    ],
)
def test_a_model_that_cannot_be_made_to_use_it_may_answer_in_words(
    address: str, talker: Talker, model: str
) -> None:
    state = ask(bedrock(address, model))

    assert "toolChoice" not in talker.asked[0]["toolConfig"]
    assert state.body.decode() == NOTHING


@FORMS
def test_a_chat_is_held_to_the_schema(
    address: str, talker: Talker, payload: Mapping[str, Any], form: Form
) -> None:
    ask(chat(address), payload=payload)

    (asked,) = talker.asked
    assert talker.paths == ["/v1/chat/completions"]
    assert asked["model"] == "small-1"
    assert [each["role"] for each in asked["messages"]] == ["system", "user"]
    assert asked["response_format"]["json_schema"]["schema"] == form.schema
    assert asked["response_format"]["json_schema"]["name"] == form.name
    assert "stream" not in asked
    assert talker.headers[0]["authorization"] == "Bearer sk-made-up-key"


HALF = '{"findings":[{"claim":"Price fell","quote":"fell to 9,400 euro"},{"claim":"Wait is shor'
ENDINGS = [
    ("max_tokens", HALF, "TRUNCATED"),
    ("max_tokens", NOTHING, "TRUNCATED"),
    ("max_tokens", "", "TRUNCATED"),
    ("length", HALF, "TRUNCATED"),
    ("length", NOTHING, "TRUNCATED"),
    ("length", "", "TRUNCATED"),
    ("refusal", "", "MODEL_REFUSED"),
    ("content_filter", '{"findings":[{"cla', "MODEL_REFUSED"),
    ("content_filtered", NOTHING, "MODEL_REFUSED"),
    ("guardrail_intervened", "Sorry.", "MODEL_BLOCKED"),
    ("model_context_window_exceeded", HALF, "CONTEXT_OVERFLOW"),
    ("malformed_tool_use", "", "MODEL_ANSWER_INVALID"),
    ("malformed_model_output", HALF, "MODEL_ANSWER_INVALID"),
    ("", "", "EMPTY_ANSWER"),
    ("", " \n", "EMPTY_ANSWER"),
    ("moonphase", NOTHING, "MODEL_STOP_UNKNOWN"),
]


@pytest.mark.promise("R23")
@pytest.mark.parametrize(("reason", "words", "code"), ENDINGS)
def test_an_answer_counts_only_where_it_came_to_its_end(
    jobs: Jobs, talker: Talker, reason: str, words: str, code: str
) -> None:
    """Cases E01, E02, E03: the ending is looked at before the words."""
    talker.script.append(Says(reason=reason, words=words))

    state = ask(jobs)
    assert (state.phase, state.code) == (Phase.FAILED, code)
    assert state.usage == Usage(input_tokens=120, output_tokens=34), "it was paid for all the same"
    assert len(talker.asked) == 1


def test_an_ending_that_is_not_told_is_not_taken_for_a_whole_answer(
    address: str, talker: Talker
) -> None:
    """Case E01: `stop_reason` is null."""
    talker.script.append(Says(reason=None))

    assert ask(chat(address)).code == "MODEL_STOP_UNKNOWN"


def test_a_refusal_in_its_own_field_is_one(address: str, talker: Talker) -> None:
    talker.script.append(Says(words="", refusal=f"I cannot: {SECRET_WORDS}"))

    state = ask(chat(address))
    assert state.code == "MODEL_REFUSED"
    assert SECRET_WORDS not in state.sentence


TRANSIENT, SPLIT, PERMANENT = "transient", "split", "permanent"
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error"}}
TOO_LONG = "prompt is too long: 226360 tokens > 200000 maximum"
STATUSES: list[tuple[int, Any, str]] = [
    (529, OVERLOADED, TRANSIENT),
    (500, OVERLOADED, TRANSIENT),
    (200, {"stream_event": OVERLOADED}, TRANSIENT),
    (200, OVERLOADED, TRANSIENT),
    (429, {"error": {"type": "rate_limit_error"}}, TRANSIENT),
    (400, {"error": {"type": "invalid_request_error", "message": TOO_LONG}}, SPLIT),
    (400, {"error": {"code": "context_length_exceeded", "message": "no"}}, SPLIT),
    (401, {"error": {"type": "authentication_error"}}, PERMANENT),
    (403, {"message": "AccessDeniedException"}, PERMANENT),
    (404, {"message": "model not found"}, PERMANENT),
    (413, {"error": {"type": "request_too_large"}}, SPLIT),
    (408, {}, TRANSIENT),
    (502, "<html>bad gateway</html>", TRANSIENT),
]


def what_becomes_of(jobs: Jobs) -> str:
    try:
        state = ask(jobs)
    except ServiceUnavailable:
        return TRANSIENT
    except SourceRefused:
        return PERMANENT
    return SPLIT if state.code == "CONTEXT_OVERFLOW" else state.code or state.phase


@pytest.mark.promise("R22", "R23")
@pytest.mark.parametrize(("status", "body", "becomes"), STATUSES)
def test_what_a_chat_server_refuses_is_told_apart(
    address: str, talker: Talker, status: int, body: Any, becomes: str
) -> None:
    """Case E04. A 408 may have been taken: the adapter's ability says what that means."""
    talker.script.append(Refuses(status=status, body=body))

    assert what_becomes_of(chat(address)) == becomes
    assert len(talker.asked) == 1


BEDROCK_FAULTS = [
    (429, "ThrottlingException", "Too many tokens, please wait before trying again.", TRANSIENT),
    (429, "throttlingException", "Too many requests", TRANSIENT),
    (429, "ModelNotReadyException", "", TRANSIENT),
    (408, "ModelTimeoutException", "", TRANSIENT),
    (424, "ModelErrorException", "", TRANSIENT),
    (500, "InternalServerException", "", TRANSIENT),
    (503, "ServiceUnavailableException", "", TRANSIENT),
    (400, "ValidationException", "Input is too long for requested model.", SPLIT),
    (400, "ValidationException", f"The model returned: {TOO_LONG}", SPLIT),
    (400, "ValidationException", "This model doesn't support tool use.", PERMANENT),
    (403, "AccessDeniedException", "You don't have access to the model", PERMANENT),
    (403, "ExpiredTokenException", "", PERMANENT),
    (404, "ResourceNotFoundException", "Could not resolve", PERMANENT),
]


@pytest.mark.promise("R22", "R23")
@pytest.mark.parametrize(("status", "name", "message", "becomes"), BEDROCK_FAULTS)
def test_what_bedrock_refuses_is_told_apart(
    address: str, talker: Talker, status: int, name: str, message: str, becomes: str
) -> None:
    """Case E05, over the wire."""
    headers = {"x-amzn-ErrorType": f"{name}:http://internal.amazon.com/coral/"}
    talker.script.append(Refuses(status=status, body={"message": message}, headers=headers))

    assert what_becomes_of(bedrock(address)) == becomes
    assert len(talker.asked) == 1, "the client tries once: who tries again is the state machine"


@pytest.mark.promise("R22")
@pytest.mark.parametrize("name", ["ThrottlingException", "ModelNotReadyException"])
def test_who_is_busy_says_for_how_long(jobs: Jobs, talker: Talker, name: str) -> None:
    headers = {"x-amzn-ErrorType": name, "Retry-After": "7"}
    for asked in (headers, {"x-amzn-ErrorType": name}):
        talker.script.append(Refuses(status=429, body={"message": "busy"}, headers=asked))

    waits = []
    for _ in range(2):
        busy = fault(jobs)
        assert isinstance(busy, ServiceUnavailable)
        waits.append(busy.wait_seconds)
    assert waits == [7, 0]


@pytest.mark.promise("R18", "R20")
@pytest.mark.parametrize("seconds", [SHORT, 1.0])
def test_a_model_that_never_answers_costs_its_deadline_and_one_attempt(
    jobs: Jobs, talker: Talker, seconds: float
) -> None:
    """Case E06."""
    talker.always = Silent()

    silent = fault(jobs, seconds)
    assert isinstance(silent, ServiceUnavailable)
    assert silent.wait_seconds is None
    assert len(talker.asked) == 1


@pytest.mark.promise("R20")
@pytest.mark.parametrize("reply", [Dies(), Refuses(status=200, body='{"output": {"mess')])
def test_an_answer_that_breaks_off_is_none(
    jobs: Jobs, talker: Talker, reply: Dies | Refuses
) -> None:
    talker.script.append(reply)

    assert isinstance(fault(jobs), ServiceUnavailable)


@pytest.mark.promise("R12")
def test_nobody_knows_a_repeat_so_an_answer_that_was_lost_is_asked_for_again(
    jobs: Jobs, talker: Talker
) -> None:
    talker.script.append(Dies())

    assert jobs.ability is Ability.AT_LEAST_ONCE
    fault(jobs)
    assert ask(jobs).phase is Phase.DONE
    assert len(talker.asked) == 2


def test_two_answers_of_a_tool_stay_two(address: str, talker: Talker) -> None:
    tool = {"toolUse": {"toolUseId": "t", "name": FINDINGS.tool, "input": {"findings": []}}}
    message = {"role": "assistant", "content": [tool, tool]}
    body = {"output": {"message": message}, "stopReason": "tool_use"}
    talker.script.append(Refuses(status=200, body=body))

    assert ask(bedrock(address)).body == b'{"findings":[]}\n{"findings":[]}'


def test_a_tool_that_was_not_offered_is_passed_over(jobs: Jobs, talker: Talker) -> None:
    talker.script.append(Says(calls=("publish", "approve")))

    assert json.loads(ask(jobs).body) == json.loads(NOTHING)


@pytest.mark.promise("R33")
def test_neither_keys_nor_words_leave_by_an_error_or_a_log(
    jobs: Jobs, talker: Talker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    said = {"error": {"message": SECRET_WORDS, "type": SECRET_WORDS}, "message": SECRET_WORDS}
    headers = {"x-amzn-ErrorType": "ValidationException"}
    for status in (400, 401, 403, 404, 422, 429, 500):
        talker.script.append(Refuses(status=status, body=said, headers=headers))

    told = [fault(jobs) for _ in range(7)]
    everything = [*(f"{each} {each!r} {each.code}" for each in told), caplog.text]
    assert not any(SECRET_WORDS in each or "sk-made-up" in each for each in everything)


def test_a_job_that_answers_at_once_is_nothing_to_ask_after(jobs: Jobs, talker: Talker) -> None:
    assert jobs.find(KEY, seconds=LONG) is None
    assert jobs.poll("any", seconds=LONG).code == "JOB_VANISHED"
    assert talker.asked == []
