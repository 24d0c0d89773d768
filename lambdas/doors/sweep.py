"""SWEEP: finds what nobody works on any more, on a schedule, and sets it going again; and the
tick of a schedule that waited for the run before it.

Event    {"abandoned": "resume" | "park"}: what becomes of a run whose execution is over.
Answer   how many tasks were looked at, how often each sign was found, and what was done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from lambdas.agent.checkup import Finding, Sign, examined
from lambdas.agent.continuing import begin_again
from lambdas.agent.contract import Status
from lambdas.agent.errors import IllegalMove, StepError
from lambdas.agent.ports import Ports
from lambdas.agent.scheduling import begin_what_waits
from lambdas.agent.tasks import Move, TaskRecord
from lambdas.entry import door_handler

RUNS = 4
"""A task in this run, or a later one, is parked: what killed so many is for a person to see."""
MARGIN = 10.0
"""Seconds before its end from which the sweeper takes on no further task."""

Line = dict[str, Any]


def sweep(event: Mapping[str, Any], ports: Ports, *, seconds: float, **_: Any) -> dict[str, Any]:
    """Nothing is remembered between two sweeps, and what one leaves undone the next one does."""
    parks, until = event.get("abandoned") == "park", ports.clock.now() + seconds - MARGIN
    # Ticks first: they are few, and a sweep of many tasks may never be whole.
    looked_at, lines, is_whole = 0, list(_waiting_ticks(ports)), True
    for listed in ports.ledger.under_way():
        if ports.clock.now() >= until:
            is_whole = False
            break
        looked_at += 1
        lines += _swept(listed, ports, parks=parks)
    return {
        "tasks": looked_at,
        "is_whole": is_whole,
        "signs": dict(Counter(line["sign"] for line in lines)),
        "done": dict(Counter(line["done"] for line in lines if line["done"])),
        "findings": lines,
    }


def _swept(listed: TaskRecord, ports: Ports, *, parks: bool) -> list[Line]:
    """One task's trouble is no other's: what fails here is told, and tried again next time."""
    try:
        return list(_lines(listed, ports, parks=parks))
    except StepError as error:
        return [{"task_id": listed.task_id, "sign": "NOT_SWEPT", "subject": error.code, "done": ""}]


def _waiting_ticks(ports: Ports) -> Iterator[Line]:
    for known in ports.schedules.every():
        try:
            done = "started" if begin_what_waits(known, ports) else ""
        except StepError as error:
            yield {"sign": "TICK_NOT_SWEPT", "subject": known.name, "done": "", "why": error.code}
        else:
            if done:
                yield {"sign": "TICK_WAITED", "subject": known.name, "done": done}


def _lines(listed: TaskRecord, ports: Ports, *, parks: bool) -> Iterator[Line]:
    execution = ports.executions.status(listed.execution)
    task = ports.ledger.task(listed.task_id)  # after the execution: it may just have ended well
    if task is None or task.execution != listed.execution:
        return
    units = ports.ledger.units(task.task_id)
    for finding in examined(task, execution, units, now=ports.clock.now()):
        done = _mended(task, ports, parks=parks) if finding.sign is Sign.ABANDONED else ""
        yield _line(finding, done)


def _line(finding: Finding, done: str) -> Line:
    return {**asdict(finding), "sign": finding.sign.value, "done": done}


def _mended(task: TaskRecord, ports: Ports, *, parks: bool) -> str:
    begun = None if parks or task.run >= RUNS else begin_again(task, ports.executions)
    if begun:
        return "resumed" if begun.is_new else "resumed before"
    try:
        ports.ledger.move(task.task_id, _parked(task), run=task.run)
    except IllegalMove:
        return "mended before"
    return "parked"


def _parked(task: TaskRecord) -> Move:
    why = f"run {task.run} was abandoned: see why, then `./ratchet resume {task.task_id}`"
    fields = {"error_code": "ABANDONED", "last_error": why}
    return Move(to=task.current_step, status=Status.FAILED, fields=fields)


def told(answer: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    """A log line for each finding, then the counts."""
    yield from (("found", line) for line in answer["findings"])
    yield "swept", {name: value for name, value in answer.items() if name != "findings"}


handler = door_handler(sweep, told=told)
