"""Somebody who calls the API, over a world of fakes in which runs are told state by state."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from lambdas.agent.identity import execution_name, task_id
from lambdas.agent.tasks import ExecutionStatus, TaskRecord
from lambdas.doors.api import door
from tests.doors.http import Answer, a_request
from tests.fakes.outside import FakeExecutions, FakeLinks, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import PAGES, REQUEST, until

TASK = task_id(REQUEST["agent_id"], REQUEST["workflow_id"])
FIRST, SECOND = execution_name(TASK, 1), execution_name(TASK, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What Lambda hands in, as far as we look at it."""

    aws_request_id: str = "any-invocation"

    def get_remaining_time_in_millis(self) -> int:
        return 20_000


@dataclass(slots=True, kw_only=True)
class Caller:
    world: World

    def calls(
        self, method: str, path: str, told: Any = None, *, ports: Any = None, **more: Any
    ) -> Answer:
        """`told` goes as JSON, where it is no text already."""
        body = told if told is None or isinstance(told, str) else json.dumps(told)
        event = a_request(method, path, body=body, content_type="application/json", **more)
        _, _, task, *_ = *path.split("/"), ""
        event |= {"pathParameters": {"task_id": task}} if task else {}
        return Answer.of(door(ports=lambda: ports or self.world)(event, Invocation()))

    def starts(self, ports: Any = None, **fields: Any) -> Answer:
        return self.calls("POST", "/tasks", {**REQUEST, **fields}, ports=ports)

    def looks(self, tag: str = "") -> Answer:
        headers = {"if-none-match": tag} if tag else {}
        return self.calls("GET", f"/tasks/{TASK}", headers=headers)

    def sees(self) -> Any:
        return content(self.looks())

    def tells_until(self, state: str) -> Story:
        """The run that a start has begun, as far as before that state."""
        cast("FakeWeb", self.world.fetcher).pages |= PAGES
        self.executions.standing.setdefault(FIRST, ExecutionStatus.RUNNING)
        return until(Story(ports=self.world, request=REQUEST, execution=FIRST), state)

    def ends(self, how: ExecutionStatus = ExecutionStatus.ABORTED, name: str = FIRST) -> None:
        self.executions.standing[name] = how

    @property
    def executions(self) -> FakeExecutions:
        return cast("FakeExecutions", self.world.executions)

    @property
    def links(self) -> FakeLinks:
        return cast("FakeLinks", self.world.links)

    @property
    def record(self) -> TaskRecord:
        found = self.world.ledger.task(TASK)
        assert found
        return found


def content(answer: Answer) -> Any:
    """Of an answer that went well."""
    assert answer.status < 300, answer
    assert answer.headers["content-type"] == "application/json"
    return json.loads(answer.body)


def problem(answer: Answer, status: int) -> Any:
    """As RFC 9457 has it: the status stands in it too."""
    assert answer.headers["content-type"] == "application/problem+json", answer
    told = json.loads(answer.body)
    assert told["status"] == answer.status == status, told
    assert told.keys() >= {"type", "title", "detail"}
    return told
