"""A report's files: the published ones, or the revision that was made last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Step
from lambdas.agent.ports import Ports
from lambdas.agent.tasks import TaskRecord

CONTENT_TYPES = {
    "report.html": "text/html; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "report.json": "application/json; charset=utf-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """`keys` is where each file lies. What is not published may still be refused by a person."""

    revision: int
    is_published: bool
    keys: Mapping[str, str]


def report_files(task: TaskRecord, ports: Ports) -> ReportFiles | None:
    """None where no report has been made yet."""
    if task.result_uri:
        folder = urlsplit(task.result_uri).path.lstrip("/")
        keys = {name: f"{folder}{name}" for name in CONTENT_TYPES}
        return ReportFiles(revision=task.revision, is_published=True, keys=keys)
    for unit in ports.ledger.units(task.task_id, item=f"r{task.revision}"):
        if unit.step is Step.REPORT and unit.outcome and unit.outcome.ref:
            listed = fields_of(ports.artifacts.get(unit.outcome.ref))
            return ReportFiles(revision=task.revision, is_published=False, keys=listed)
    return None
