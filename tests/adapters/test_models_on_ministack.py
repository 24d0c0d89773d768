"""The shapes that models at once are sent and send, by an emulator that somebody else wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread
from typing import Any

import pytest

from lambdas.agent.errors import SourceRefused
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.model_ports import Jobs
from tests.adapters.talks import CLAUDE, KEY, LONG, PAYLOAD, bedrock, chat

bedrock_runtime: Any = import_module("ministack.services.bedrock_runtime")


class _Emulator(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = bedrock_runtime.handle_request("POST", self.path, dict(self.headers), body, {})
        status, headers, answer = asyncio.run(asked)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(answer))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Emulator)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("make", [bedrock, chat])
def test_a_request_is_taken_and_its_answer_understood(
    address: str, make: Callable[[str], Jobs]
) -> None:
    state = make(address).submit(PAYLOAD, key=KEY, seconds=LONG)

    assert isinstance(state, JobState)
    assert state.phase is Phase.DONE
    assert state.body
    assert state.usage
    assert min(state.usage.input_tokens, state.usage.output_tokens) > 0


@pytest.mark.parametrize("model", [CLAUDE, "amazon.nova-lite-v1:0"])
def test_a_model_goes_by_its_id_or_its_profiles(address: str, model: str) -> None:
    state = bedrock(address, model).submit(PAYLOAD, key=KEY, seconds=LONG)

    assert isinstance(state, JobState)
    assert state.phase is Phase.DONE


def test_a_model_that_is_none_is_refused_for_good(address: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        bedrock(address, "arn:aws:bedrock:eu-west-1:1:any/any").submit(
            PAYLOAD, key=KEY, seconds=LONG
        )

    assert refused.value.code == "MODEL_REQUEST_REFUSED"
