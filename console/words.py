"""What to say of a state that was passed, and of a run that is over: a few words each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from console.executions import Execution, state_of
from console.visits import Visit, message_of
from lambdas.agent import checkup
from lambdas.agent.contract import CONTINUABLE, Status, Step
from lambdas.agent.costs import NOTHING, Cost, Purse
from lambdas.agent.errors import CoverageTooLow
from lambdas.agent.standing import ABANDONED, STUCK
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import TaskRecord

EACH_SOURCE = "EACH_SOURCE"

CUT_OFF = {"States.ServiceRestart": "the sandbox was stopped while it ran"}
"""What a sandbox that starts again says of the executions it cannot go on with."""


def word(visit: Visit, tally: Tally) -> str:
    """What came of it, and how often it was tried if that says something. An error's sentence
    is told once, at the end of the run.
    """
    if visit.kind == "Fail":
        return " ".join(trouble.error for trouble in visit.troubles[-1:])
    if visit.left is None:
        return "broken off"
    if failure := visit.failure:
        return _expired(visit) or f"failed with {failure.error}"
    said = _SAID.get(visit.state, _nothing)(visit.output)
    if visit.state == EACH_SOURCE:
        said = f"{tally.read} read, {tally.aside} set aside"
    tries = len(visit.troubles)
    again = f"tried {tries + 1} times" if tries else ""
    return ", ".join(part for part in (said, again) if part)


def spent(purse: Purse) -> str:
    """What models have taken, and what is held for those at it; no money without a price."""
    if purse.taken == NOTHING:
        return ""
    held = f", {_cost(purse.held)} held" if purse.held != NOTHING else ""
    return f"{_cost(purse.spent)}{held}"


def _cost(cost: Cost) -> str:
    money = f", {cost.micro_usd / 1_000_000:,.4f} USD" if cost.micro_usd else ""
    return f"{cost.tokens:,} tokens{money}"


def decided(decision: object, by: object = "") -> str:
    said = str(decision).replace("_", " ").lower()
    return f"{said} by {by}" if by else said


def ending(task: TaskRecord | None, execution: Execution | None) -> str:
    """The status that stands, without pretending that a run goes on which is over."""
    if task:
        return ABANDONED if is_abandoned(task, execution) else task.status.value
    if execution and not execution.is_running:
        return execution.status
    return Status.PENDING.value


def is_abandoned(task: TaskRecord | None, execution: Execution | None) -> bool:
    return task is not None and checkup.is_abandoned(task, state_of(execution), now=time.time())


def why(task: TaskRecord | None, execution: Execution | None) -> str:
    """What a run failed of, in one paragraph; nothing where it did not fail."""
    if task and task.status.is_final and not task.error_code:
        return ""
    if task and task.error_code:
        return f"{task.error_code}: {task.last_error}"
    if execution is None:
        return "" if task is None or task.status.is_final else "its execution is gone"
    if not execution.error:
        return "" if execution.is_running else f"its execution has ended: {execution.status}"
    said = CUT_OFF.get(execution.error, message_of(execution.cause))
    return f"{execution.error}: {said}"


def way_on(task: TaskRecord | None, status: str) -> str:
    """The command that goes on with a run that failed, or that nobody works on any more."""
    if task is None or task.status not in CONTINUABLE or status not in STUCK:
        return ""
    again = " --retry-set-aside" if task.error_code == CoverageTooLow.code else ""
    return f"./ratchet resume {task.task_id}{again}"


def _expired(visit: Visit) -> str:
    timed_out = visit.failure is not None and visit.failure.error == "States.Timeout"
    return "nobody answered in time" if visit.state == Step.APPROVE and timed_out else ""


def _plan(output: Mapping[str, Any]) -> str:
    if output.get("begin") is False:
        return f"known already: {output.get('stands', '')}"
    if "sources" not in output:
        return "goes on"
    sources = output["sources"]
    left = output.get("left", sources)
    if left == sources:
        return f"{sources} sources"
    if output.get("baseline") and output.get("run") == 1:
        return f"{sources} sources, {sources - left} as they were"
    return f"{left} of {sources} sources left to read"


def _validate(output: Mapping[str, Any]) -> str:
    validated = output.get("validated", {})
    if "sources" not in validated:
        return "goes on"
    return f"{validated.get('read')} of {validated['sources']} sources stand"


def _report(output: Mapping[str, Any]) -> str:
    report = output.get("report", {})
    if "statements" not in report:
        return "goes on"
    said = f"revision {report.get('revision')}, {report.get('statements')} statements"
    return f"{said}, nothing has changed" if report.get("changed") is False else said


def _approve(output: Mapping[str, Any]) -> str:
    answer = output.get("answer", {})
    return decided(answer.get("decision", "answered"))


def _nothing(_: Mapping[str, Any]) -> str:
    return ""


_SAID: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    Step.PLAN: _plan,
    Step.VALIDATE: _validate,
    Step.REPORT: _report,
    Step.APPROVE: _approve,
    Step.EXPIRE: _approve,
    Step.PUBLISH: lambda _: "published",
    Step.COMPLETE: lambda _: "the record is closed",
    Step.RECORD_FAILURE: lambda _: "the failure is recorded",
}
