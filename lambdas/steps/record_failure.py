"""RECORD_FAILURE: what failed, where, why, and what to do.

Reads    the task's record and units, the error that Step Functions caught.
Writes   the task's final status with its error.
Effects  none.
Repeats  safely; a stale execution never turns another's success into failure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lambdas.agent import errors
from lambdas.agent.continuing import Continuation, item_of
from lambdas.agent.contract import Status, Step
from lambdas.agent.intake import request_from, task_of
from lambdas.agent.model import WHOLE_TASK, Outcome, Unit
from lambdas.agent.ports import Ports
from lambdas.agent.tasks import Move, TaskRecord
from lambdas.agent.work import Work
from lambdas.entry import step_handler


def identify(event: Mapping[str, Any], ports: Ports) -> Unit:
    """One record of failure for each execution. Before PLAN there is no task id, only a request."""
    state, execution = event["state"], event["context"]["execution"]
    return Unit(
        task_id=state.get("task_id") or _task_named(state["request"], ports),
        step=Step.RECORD_FAILURE,
        item=execution,
        context={"failure": state["failure"], "execution": execution},
    )


def _task_named(typed: Any, ports: Ports) -> str:
    again = Continuation.of(typed)
    return again.task_id if again else task_of(request_from(typed, ports))


def record_failure(work: Work) -> Outcome:
    task = work.ports.ledger.task(work.task_id)
    if task is None or not _is_ours(task, work):
        return Outcome.done(recorded=False)
    fields = _as_recorded(work, task) or _as_caught(work.unit.context["failure"])
    move = Move(to=Step.RECORD_FAILURE, status=Status.FAILED, fields=fields)
    return Outcome.done(move=move, recorded=True, error_code=fields["error_code"])


def _is_ours(task: TaskRecord, work: Work) -> bool:
    return task.execution == work.unit.context["execution"] and not task.status.is_final


def _as_recorded(work: Work, task: TaskRecord) -> dict[str, str]:
    """The unit that failed knows more than the class name that Step Functions has seen."""
    ours = item_of(task.run)
    items = {WHOLE_TASK, ours, f"r{task.revision}", f"r{task.revision + 1}"}
    units = [u for item in sorted(items) for u in work.ports.ledger.units(work.task_id, item=item)]
    begun = (u.updated_at for u in units if (u.step, u.item) == (Step.PLAN, ours))
    since = next(begun, 0.0)  # what an earlier run failed of is told already
    failed = [u for u in units if u.error_code and not u.is_done and u.updated_at >= since]
    if not failed:
        return {}
    last = max(failed, key=lambda unit: unit.updated_at)
    return {"error_code": last.error_code, "last_error": f"{last.step}: {last.last_error}"}


def _as_caught(failure: Mapping[str, Any]) -> dict[str, str]:
    name = str(failure.get("Error", "Unknown"))
    ours = getattr(errors, name, None)
    return {
        "error_code": ours.code if ours else name,
        "last_error": _message(failure) or f"Step Functions caught {name}: see the graph",
    }


def _message(failure: Mapping[str, Any]) -> str:
    try:
        return str(json.loads(str(failure.get("Cause", "")))["errorMessage"])[:1000]
    except (KeyError, TypeError, ValueError):
        return str(failure.get("Cause", ""))[:500]


handler = step_handler(record_failure, identify=identify)
