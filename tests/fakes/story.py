"""A run told in this process, state by state, over any ports: what Step Functions does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

from lambdas.agent.contract import Step, budget
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.notices import Notice
from lambdas.agent.ports import Ports
from lambdas.agent.runtime import Ran, run
from tests.fakes.clock import FakeClock

State = dict[str, Any]
WINDOW = 3600
"""Seconds that a report waits for a person."""
_owners = (f"worker-{n}" for n in count(1))


def invoke(step: Step, event: Mapping[str, Any], ports: Ports) -> State:
    """What the step's function answers to this event, or the error it raises."""
    module = importlib.import_module(f"lambdas.steps.{step.value.lower()}")
    identify = getattr(module, "identify", lambda told, _: Unit.from_event(told))
    answer: Callable[[Ran, Unit, Ports], State] = getattr(
        module, "answer", lambda ran, *_: ran.outcome.as_event()
    )
    unit = identify({"step": step.value, "context": {}, **event}, ports)
    execute: Callable[[Any], Outcome] = getattr(module, step.value.lower())
    seconds = budget(step).function
    return answer(run(execute, unit, ports, owner=next(_owners), seconds=seconds), unit, ports)


@dataclass(slots=True, kw_only=True)
class Story:
    """`state` is the state machine's; each verb is one state of it."""

    ports: Ports
    request: Mapping[str, Any]
    execution: str = "run-1"
    state: State = field(default_factory=dict)

    def plan(self) -> State:
        told: State = {"request": dict(self.request)}
        while (told := self.lap(told))["progress"] != "DONE":
            cast("FakeClock", self.ports.clock).pass_seconds(told.get("wait_seconds", 0))
        self.state = told
        return self.state

    def lap(self, told: State) -> State:
        """PLAN once: its answer is what the next lap is told."""
        return self._do(Step.PLAN, {"request": told["request"]})

    def read(self, item: str, url: str) -> State:
        """FETCH, EXTRACT and ANALYZE of one source."""
        page = self.fetch(item, url)
        if "same_as" in page:
            return page
        text = self.extract(item, url, page)
        return self.analyze(item, text)

    def fetch(self, item: str, url: str) -> State:
        event = {"item": item, "args": {"url": url}, "context": self._in_time()}
        return self._again(Step.FETCH, event)

    def extract(self, item: str, url: str, page: State) -> State:
        args = {"url": url, "page": page["ref"], "content_type": page["content_type"]}
        return self._again(Step.EXTRACT, {"item": item, "args": args})

    def analyze(self, item: str, text: State) -> State:
        args = {"text": text["ref"], "request": self.state["request"]}
        event = {"item": item, "args": args, "context": self._in_time()}
        return self._again(Step.ANALYZE, event)

    def set_aside(self, item: str, failure: Mapping[str, str]) -> State:
        return self._do(Step.SET_ASIDE, {"item": item, "context": {"failure": failure}})

    def validate(self) -> State:
        args = {"manifest": self.state["all"], "request": self.state["request"]}
        event = {"item": self.state["validate_as"], "args": args, **self._compared()}
        self.state["validated"] = self._again(Step.VALIDATE, event)
        return dict(self.state["validated"])

    def report(self) -> State:
        args = {"validated": self.state["validated"]["ref"], "request": self.state["request"]}
        while True:
            after = self.state["report"]["revision"]
            context = {**self._compared()["context"], **self._in_time()}
            event = {"after_revision": after, "args": args, "context": context}
            self.state["report"] = self._do(Step.REPORT, event)
            if self.state["report"]["progress"] == "DONE":
                return dict(self.state["report"])

    def approve(self, token: str = "token", **told: Any) -> State:  # noqa: S107  # made up
        context = {"request": self.state["request"], "task_token": token, "window": WINDOW, **told}
        return self._do(Step.APPROVE, {**self._revision(), "context": context})

    def expire(self) -> State:
        return self._do(Step.EXPIRE, self._revision())

    def publish(self) -> State:
        self.state["end"] = self._do(Step.PUBLISH, self._revision())
        return dict(self.state["end"])

    def complete(self, end: str = "SUCCEEDED") -> State:
        event = {"item": self.state["complete_as"], "args": {"end": end}}
        return self._do(Step.COMPLETE, event)

    def tell(self, notice: Notice, channel: str) -> State:
        """TELL until it has ended, and as long as it takes."""
        while (told := self.tell_lap(notice, channel))["progress"] != "DONE":
            cast("FakeClock", self.ports.clock).pass_seconds(told.get("wait_seconds", 0))
        return told

    def tell_lap(self, notice: Notice, channel: str) -> State:
        return self._do(Step.TELL, {"args": notice.told(channel)})

    def record_failure(self, error: str, cause: str = "") -> State:
        before = self.state or {"request": dict(self.request)}
        state = {**before, "failure": {"Error": error, "Cause": cause}}
        return self._do(Step.RECORD_FAILURE, {"state": state})

    def _compared(self) -> State:
        return {"context": {"baseline": self.state["baseline"]}}

    def _in_time(self) -> State:
        return {"until": self.state["until"]}

    def _revision(self) -> State:
        report = self.state["report"]
        return {"revision": report["revision"], "args": {"report": report["ref"]}}

    def _do(self, step: Step, event: Mapping[str, Any]) -> State:
        ids = {name: self.state[name] for name in ("agent_id", "workflow_id") if name in self.state}
        context = {**ids, "execution": self.execution, **event.get("context", {})}
        task = {"task_id": self.state["task_id"]} if self.state else {}
        return invoke(step, {**task, **event, "context": context}, self.ports)

    def _again(self, step: Step, event: Mapping[str, Any]) -> State:
        while (told := self._do(step, event))["progress"] != "DONE":
            pass
        return told
