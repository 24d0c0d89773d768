"""A model on this machine that answers at once, by Bedrock's Converse and by OpenAI's chat.

What it says is scripted: an answer, a refusal of the HTTP kind, or no word at all.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

Fields = dict[str, Any]
NOTHING = '{"findings":[]}'
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """An answer. `reason` is in the protocol's own words; empty for its ordinary end. `calls` are
    tools that it would use, by their names, beside the one that it is to answer with.
    """

    words: str = NOTHING
    reason: str | None = ""
    refusal: str | None = None
    tokens: tuple[int, int] | None = (120, 34)
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuses:
    """An answer of the HTTP kind; a string is sent as it is."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Dies:
    """The connection is broken when the request is read."""


class Silent:
    """No word until the server is stopped."""


Reply = Says | Refuses | Dies | Silent


@dataclass(slots=True, kw_only=True)
class Talker:
    """Says what is in `script`, one reply for each request, and then `always`: it may follow from
    what there is to read.
    """

    script: deque[Reply] = field(default_factory=deque)
    always: Reply | Callable[[str], Reply] = field(default_factory=Says)
    asked: list[Fields] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[Fields] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def next(self, asked: Fields) -> Reply:
        if self.script:
            return self.script.popleft()
        return self.always(_read(asked)) if callable(self.always) else self.always


@contextmanager
def talking(talker: Talker) -> Iterator[str]:
    """The address under which it answers."""

    class Handler(_Handler):
        told = talker

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        talker.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    told: Talker

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = unquote(self.path)
        self.told.asked.append(asked)
        self.told.paths.append(path)
        self.told.headers.append({name.lower(): value for name, value in self.headers.items()})
        match self.told.next(asked):
            case Says() as said:
                is_converse = path.endswith("/converse")
                self._send(200, _converse(said, asked) if is_converse else _chat(said))
            case Refuses() as no:
                self._send(no.status, no.body, no.headers)
            case Silent():
                self.told.over.wait()
            case _:
                self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Nothing: what it saw is asked of the talker."""

    def _send(self, status: int, body: Any, headers: Mapping[str, str] = NO_HEADERS) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def _read(asked: Fields) -> str:
    """What the last message gives it to read, in either protocol."""
    content = asked["messages"][-1]["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def _converse(said: Says, asked: Fields) -> Fields:
    """In the tool where it is made to use it, and can."""
    given = _given(said.words) if "toolChoice" in asked["toolConfig"] else None
    name = asked["toolConfig"]["tools"][0]["toolSpec"]["name"]
    tool = {"toolUse": {"toolUseId": "t1", "name": name, "input": given}}
    text = [{"text": said.words}] if said.words else []
    content = text if given is None else [{"text": "Let me see."}, tool]
    content += [_use(call, number) for number, call in enumerate(said.calls)]
    ordinary = "end_turn" if given is None else "tool_use"
    answer: Fields = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": ordinary if said.reason == "" else said.reason,
        "metrics": {"latencyMs": 7},
    }
    if said.tokens:
        given_, taken = said.tokens
        answer["usage"] = {
            "inputTokens": given_,
            "outputTokens": taken,
            "totalTokens": given_ + taken,
        }
    return answer


def _use(name: str, number: int) -> Fields:
    given = {"decision": "APPROVED", "url": "https://evil.example/"}
    return {"toolUse": {"toolUseId": f"x{number}", "name": name, "input": given}}


def _given(words: str) -> Any:
    try:
        return json.loads(words)
    except ValueError:
        return None


def _chat(said: Says) -> Fields:
    message: Fields = {"role": "assistant", "content": said.words, "refusal": said.refusal}
    if said.calls:
        message["tool_calls"] = [
            {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
            for name in said.calls
        ]
    reason = "stop" if said.reason == "" else said.reason
    answer: Fields = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if said.tokens:
        answer["usage"] = {"prompt_tokens": said.tokens[0], "completion_tokens": said.tokens[1]}
    return answer
