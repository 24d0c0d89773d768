"""A task's record, execution, map runs and artifacts, laid side by side: what does not fit."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from console import executions, tasks
from console.account import Account
from console.executions import MapRun
from console.sources import artifact
from lambdas.agent.checkup import Finding, Sign, examined, missing
from lambdas.agent.model import UnitRecord
from lambdas.agent.tasks import TaskRecord

_LISTS = ("report-list", "validated")
"""Artifacts that name others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """`unrecorded` counts artifacts that no record names: a worker died before it could."""

    task: TaskRecord
    execution: str
    map_runs: tuple[MapRun, ...]
    units: int
    artifacts: int
    unrecorded: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """An expired lease alone mends itself: the next attempt takes over."""
        return all(finding.sign is Sign.EXPIRED_LEASE for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        return {
            "task_id": self.task.task_id,
            "status": self.task.status.value,
            "run": self.task.run,
            "execution": {"name": self.task.execution, "status": self.execution},
            "map_runs": [asdict(run) for run in self.map_runs],
            "units": self.units,
            "artifacts": {"stored": self.artifacts, "unrecorded": self.unrecorded},
            "is_sound": self.is_sound,
            "findings": [asdict(finding) for finding in self.findings],
        }


def checked(account: Account, task_id: str) -> Checked:
    execution = executions.find(account, tasks.known_task(account, task_id).execution)
    units = list(account.ledger.units(task_id))
    task = tasks.known_task(account, task_id)  # after the execution: it may just have ended
    stored = set(_stored(account, task_id))
    named = dict(_named(account, task, units, stored))
    status = executions.state_of(execution)
    return Checked(
        task=task,
        execution=status.value,
        map_runs=tuple(executions.map_runs(account, execution)) if execution else (),
        units=len(units),
        artifacts=len(stored),
        unrecorded=len(stored - named.keys()),
        findings=(
            *examined(task, status, units, now=time.time()),
            *missing(task_id, named, stored),
        ),
    )


def under_way(account: Account) -> list[Checked]:
    return [checked(account, task.task_id) for task in tasks.under_way(account)]


def _stored(account: Account, task_id: str) -> Iterator[str]:
    pages = account.s3.get_paginator("list_objects_v2").paginate(
        Bucket=account.resources.artifact_bucket, Prefix=f"tasks/{task_id}/"
    )
    return (each["Key"] for page in pages for each in page.get("Contents", []))


def _named(
    account: Account, task: TaskRecord, units: Iterable[UnitRecord], stored: set[str]
) -> Iterator[tuple[str, str]]:
    """Every artifact that the records name, and that a named list names, with who names it."""
    seen = set[str]()
    todo = [(task.request, "the task")] if task.request else []
    todo += [(ref, f"{unit.step} of {unit.item}") for unit in units for ref in _refs(unit)]
    while todo:
        ref, by = todo.pop()
        if ref in seen:
            continue
        seen.add(ref)
        yield ref, by
        if ref in stored and ref.split("/")[2] in _LISTS:
            body = json.loads(artifact(account, ref))
            todo += [(inner, by) for inner in _listed(body, task.task_id)]


def _refs(unit: UnitRecord) -> Iterator[str]:
    if unit.outcome:
        kept = (unit.outcome.ref, unit.outcome.result_ref, unit.outcome.cursor.get("part"))
        told = (*kept, *unit.outcome.facts.values())
        yield from (ref for ref in told if isinstance(ref, str) and ref.startswith("tasks/"))


def _listed(body: Mapping[str, Any], task_id: str) -> Iterator[str]:
    found = (value for value in body.values() if isinstance(value, str))
    return (value for value in found if value.startswith(f"tasks/{task_id}/"))
