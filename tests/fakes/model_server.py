"""A model on this machine that speaks the protocol of background responses, in good moods and bad.

`python -m tests.fakes.model_server PORT` runs it by itself; `GET /jobs` tells what it was asked.
"""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import MappingProxyType
from typing import Any

Fields = dict[str, Any]
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Mood(StrEnum):
    """How the next request is answered. Jobs are taken in all of them but BUSY and REFUSES."""

    FINE = "fine"
    DIES = "dies"  # takes the job, then breaks the connection without a word
    TIMES_OUT = "times out"  # takes the job, then answers 408
    FAILS = "fails"  # takes the job, then answers 500
    TWICE = "twice"  # says its answer twice
    TRUNCATES = "truncates"  # breaks off in the middle of its answer
    MUMBLES = "mumbles"  # answers with half a JSON document, as if it were whole
    SLOW = "slow"  # answers only when it is stopped
    BUSY = "busy"  # 429 with Retry-After
    REFUSES = "refuses"  # 401
    MOVES = "moves"  # redirects to itself


@dataclass(slots=True, kw_only=True)
class Job:
    key: str
    asked: Fields
    polls: int = 0


@dataclass(slots=True, kw_only=True)
class Model:
    """`end` is the status in which a job ends after `lag` questions; `answer` its words."""

    lag: int = 1
    end: str = "completed"
    answer: Callable[[Fields], str] = field(default_factory=lambda: in_its_form)
    beside: Fields = field(default_factory=dict)
    """What else stands in the answer, or instead of what stands there."""
    jobs: dict[str, Job] = field(default_factory=dict)
    moods: deque[Mood] = field(default_factory=deque)
    seen: list[Fields] = field(default_factory=list)
    """Headers of every request, in lower case."""
    over: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    def mood(self, headers: Fields) -> Mood:
        with self.lock:
            self.seen.append(headers)
            return self.moods.popleft() if self.moods else Mood.FINE

    def begin(self, key: str, asked: Fields) -> Fields:
        """The same key is the same job, as long as it is remembered."""
        with self.lock:
            found = next((each for each, job in self.jobs.items() if key and job.key == key), None)
            job_id = found or f"resp_{len(self.jobs) + 1}"
            self.jobs.setdefault(job_id, Job(key=key, asked=asked))
        return {"id": job_id, "object": "response", "status": "queued"}

    def tell(self, job_id: str) -> Fields | None:
        with self.lock:
            job = self.jobs.get(job_id)
            if job is None:
                return None
            job.polls += 1
            if job.polls <= self.lag:
                return {"id": job_id, "status": "in_progress"}
            said = {"type": "output_text", "text": self.answer(job.asked)}
        thought = {"type": "reasoning", "content": []}
        message = {"type": "message", "content": [said]}
        return {"id": job_id, "status": self.end, "output": [thought, message], **self.beside}

    def forget(self) -> None:
        with self.lock:
            self.jobs.clear()


def in_its_form(asked: Fields) -> str:
    return first_finding(asked) if form_of(asked) == "answer" else first_line(asked)


def form_of(asked: Fields) -> str:
    return str(asked["text"]["format"]["name"])


def first_finding(asked: Fields) -> str:
    """An answer of one sentence: what the first finding says."""
    finding = json.loads(str(asked["input"]).split("\n")[1])
    return json.dumps({"sentences": [{"text": finding["claim"], "cites": [finding["id"]]}]})


def first_line(asked: Fields) -> str:
    """One finding for the first question: the first line of the page that says anything."""
    mark, *lines = str(asked["input"]).split("\n")
    said = [line for line in lines if line != mark and re.search(r"\w+\W+\w+\W+\w+", line)]
    found = [{"question": 0, "claim": line[:200], "quote": line} for line in said[:1]]
    return json.dumps({"findings": found})


@contextmanager
def serving(model: Model, port: int = 0) -> Iterator[str]:
    """The address under which the model answers."""

    class Handler(_Handler):
        told = model

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        model.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    told: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        mood = self._mood()
        if not self._is_sent_away(mood):
            begun = self.told.begin(self.headers.get("Idempotency-Key", ""), asked)
            self._reply(mood, 200, begun)

    def do_GET(self) -> None:
        if self.path == "/jobs":
            asked = [{"key": job.key, "polls": job.polls} for job in self.told.jobs.values()]
            self._send(200, {"jobs": asked})
            return
        mood = self._mood()
        if not self._is_sent_away(mood):
            told = self.told.tell(self.path.rpartition("/")[2])
            self._reply(mood, 200 if told else 404, told or {"error": {"code": "not_found"}})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the parent's name
        """Nothing: what it saw is asked of the model."""

    def _mood(self) -> Mood:
        return self.told.mood({name.lower(): value for name, value in self.headers.items()})

    def _is_sent_away(self, mood: Mood) -> bool:
        answers: dict[Mood, tuple[int, dict[str, str]]] = {
            Mood.BUSY: (429, {"Retry-After": "7"}),
            Mood.REFUSES: (401, {}),
            Mood.MOVES: (307, {"Location": self.path}),
        }
        if mood in answers:
            status, headers = answers[mood]
            self._send(status, {"error": {"code": None, "message": "no"}}, headers=headers)
        return mood in answers

    def _reply(self, mood: Mood, status: int, fields: Fields) -> None:
        if mood is Mood.DIES:
            self.close_connection = True
            return
        if mood is Mood.SLOW:
            self.told.over.wait()
        body = json.dumps(fields).encode()
        if mood is Mood.TRUNCATES:
            self._send(status, fields, promised=len(body) + 100)
        elif mood is Mood.MUMBLES:
            self._send(status, fields, most=len(body) // 2)
        else:
            self._send({Mood.TIMES_OUT: 408, Mood.FAILS: 500}.get(mood, status), fields)
        if mood is Mood.TWICE:
            self._send(status, fields)

    def _send(
        self,
        status: int,
        fields: Fields,
        *,
        promised: int = 0,
        most: int | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        body = json.dumps(fields).encode()[:most]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(promised or len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # who asked has gone
            return


if __name__ == "__main__":
    with serving(Model(), int(sys.argv[1])) as address:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        Event().wait()
