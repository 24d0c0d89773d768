"""SET_ASIDE: why one source gave nothing; the run goes on without it.

Reads    the source's units: the one that failed knows why.
Writes   the error's code and sentence, in the record.
Effects  none.
Repeats  safely; the first reason stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lambdas.agent.identity import canonical
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.work import Work
from lambdas.entry import step_handler

_KILLED = {
    "Sandbox.Timedout": ("FUNCTION_TIMEOUT", "the function ran into Lambda's own timeout"),
    "States.Timeout": ("STATE_TIMEOUT", "the state's timeout passed without an answer"),
    "Runtime.ExitError": ("FUNCTION_KILLED", "the function's process ended in the middle"),
    "Runtime.OutOfMemory": ("OUT_OF_MEMORY", "the function needed more memory than it has"),
    "Runtime.Unknown": ("FUNCTION_KILLED", "the function's process ended before it was ready"),
    "Lambda.Unknown": ("OUTCOME_UNKNOWN", "Lambda could not say what became of the call"),
}


def set_aside(work: Work) -> Outcome:
    failed = next((u for u in _units(work) if not u.is_done and u.error_code), None)
    why = _as_recorded(failed) if failed else _as_caught(work.unit.context["failure"])
    return Outcome.done(result=canonical(why), error_code=why["error_code"])


def _units(work: Work) -> list[UnitRecord]:
    units = work.ports.ledger.units(work.task_id, item=work.unit.item)
    return [unit for unit in units if unit.step is not work.unit.step]


def _as_recorded(unit: UnitRecord) -> dict[str, str]:
    return {
        "step": unit.step.value,
        "error_code": unit.error_code,
        "reason": unit.last_error,
        "dependency": unit.dependency,
    }


def _as_caught(failure: Mapping[str, Any]) -> dict[str, str]:
    """A function that was killed leaves no reason behind: Step Functions' is the only one."""
    error = str(failure.get("Error", ""))
    code, sentence = _KILLED.get(error, (error or "UNKNOWN", _message(failure)))
    return {"step": "", "error_code": code, "reason": sentence, "dependency": "Lambda"}


def _message(failure: Mapping[str, Any]) -> str:
    try:
        cause = json.loads(failure["Cause"])
        return str(cause["errorMessage"])[:500]
    except (KeyError, TypeError, ValueError):
        return "Step Functions gave no reason: see the state in the execution's graph"


handler = step_handler(set_aside)
