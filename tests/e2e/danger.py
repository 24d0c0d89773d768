"""Functions that die on purpose, and a run among them, watched."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lambdas.adapters.chaos import Chaos
from lambdas.agent.contract import MOVES, Door, Status, Step
from lambdas.agent.model import UnitRecord
from lambdas.agent.tasks import TaskRecord
from lambdas.settings import PREFIX
from tests.e2e.account import Account, task_of

Who = Step | Door

LIVES: Mapping[Who, int] = {Step.EXTRACT: 20}
LIFE = 10
"""Seconds a function may run here. Its lease follows from them, so heirs wait less long too."""
AT_ONCE = 8
"""Sources side by side: their leases end in parallel."""
PATIENCE = 600.0
PAUSE = 0.5


@contextmanager
def endangered(account: Account, chaos: Chaos, whose: Collection[Who]) -> Iterator[None]:
    """These functions are told to die, and live short lives, until the block ends."""
    lives = {who: LIVES.get(who, LIFE) for who in whose}
    with short_lived(account, lives, chaos=str(chaos)):
        yield


@contextmanager
def short_lived(account: Account, lives: Mapping[Who, int], *, chaos: str = "") -> Iterator[None]:
    """These functions may run so many seconds until the block ends, and their leases as long."""
    found = account.functions()
    ours = {who: found[who.handler] for who in lives}
    try:
        for who, function in ours.items():
            _tell(account, function, seconds=lives[who], chaos=chaos)
        _settle(account, ours)
        yield
    finally:
        for function in ours.values():
            _tell(account, function, seconds=function["Timeout"], chaos="")
        _settle(account, ours)


def _tell(account: Account, function: Mapping[str, Any], *, seconds: int, chaos: str) -> None:
    variables = function["Environment"]["Variables"]
    account.client("lambda").update_function_configuration(
        FunctionName=function["FunctionName"],
        Timeout=seconds,
        Environment={"Variables": {**variables, f"{PREFIX}CHAOS": chaos}},
    )


def _settle(account: Account, functions: Mapping[Who, Mapping[str, Any]]) -> None:
    updated = account.client("lambda").get_waiter("function_updated_v2")
    for function in functions.values():
        updated.wait(FunctionName=function["FunctionName"], WaiterConfig={"Delay": 1})


@dataclass(slots=True)
class Watched:
    """A task whose records are read again and again; each look is held against the one before."""

    account: Account
    task_id: str
    arn: str
    task: TaskRecord | None = None
    units: dict[tuple[Step, str], UnitRecord] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def look(self) -> TaskRecord | None:
        before, self.task = self.task, self.account.task(self.task_id)
        if before and self.task:
            self._compare_tasks(before, self.task)
        for unit in self.account.units(self.task_id):
            self._compare_units(self.units.get((unit.step, unit.item)), unit)
            self.units[unit.step, unit.item] = unit
        return self.task

    def _compare_tasks(self, before: TaskRecord, now: TaskRecord) -> None:
        if now.status not in {before.status, *MOVES[before.status]}:
            self.faults.append(f"the task went from {before.status} to {now.status}")
        if now.state_version < before.state_version:
            self.faults.append(f"state_version fell to {now.state_version}")

    def _compare_units(self, before: UnitRecord | None, now: UnitRecord) -> None:
        if before and before.is_done and before != now:
            self.faults.append(f"{now.step} of {now.item} was written again after its commit")


def run(account: Account, request: Mapping[str, Any]) -> Watched:
    """Start it, approve it when it asks, and look at its records until it has ended."""
    sfn, deadline = account.client("stepfunctions"), time.monotonic() + PATIENCE
    arn = account.start(request)
    watched, asked, decided = Watched(account, task_of(request), arn), False, False
    while time.monotonic() < deadline:
        task = watched.look()
        asked = asked or bool(task and task.status is Status.WAITING_FOR_APPROVAL)
        if asked and not decided:
            # A door that has died answers with an error, and is asked again until it does not.
            decided = "decision" in account.decide(watched.task_id, "APPROVED")
        if sfn.describe_execution(executionArn=arn)["status"] != "RUNNING":
            watched.look()
            return watched
        time.sleep(PAUSE)
    raise AssertionError(f"{arn} had not ended after {PATIENCE:.0f} s")
