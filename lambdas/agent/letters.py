"""What a notice says: to programs as JSON of a versioned form, to people as a subject and a text.

What is said is put together once, from the record as it stands then, and kept: every later attempt
sends the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.agent.contract import Status
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.notices import Kind, Notice
from lambdas.agent.tasks import TaskRecord

VERSION = 1
"""Of the data of a notice; fields may be added, a change of their meaning is a new version."""
REASON_LIMIT = 300
"""Characters of a failure's sentence that a notice repeats; the record has it whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    kind: Kind
    at: str
    """When what it tells of happened."""
    data: Mapping[str, Any]

    @property
    def body(self) -> bytes:
        """As a webhook carries it, in the form that Standard Webhooks recommends."""
        told = {"type": self.kind.value, "timestamp": self.at, "data": dict(self.data)}
        return canonical(told)

    @classmethod
    def read(cls, body: bytes) -> Letter:
        told = json.loads(body)
        return cls(kind=Kind(told["type"]), at=told["timestamp"], data=told["data"])


def letter(notice: Notice, task: TaskRecord, *, until: str, http_url: str) -> Letter:
    """`until` is the end of the approval's window, empty where the notice is of none."""
    at = task.created_at if notice.kind is Kind.TASK_ACCEPTED else task.updated_at
    data = {
        "version": VERSION,
        "task_id": task.task_id,
        "agent_id": task.agent_id,
        "workflow_id": task.workflow_id,
        "links": {"task": f"{http_url}/tasks/{task.task_id}"},
        **_of_the_kind(notice, task, until),
    }
    return Letter(kind=notice.kind, at=iso(at), data=data)


def _of_the_kind(notice: Notice, task: TaskRecord, until: str) -> dict[str, Any]:
    counts = {"sources": task.sources, "read": task.read}
    match notice.kind:
        case Kind.APPROVAL_REQUESTED | Kind.APPROVAL_REMINDER:
            return {"revision": notice.revision, "until": until, **counts}
        case Kind.REPORT_COMPLETED:
            return {"result_uri": task.result_uri, "revision": task.revision, **counts}
        case Kind.TASK_FAILED:
            return {"run": int(notice.occasion.removeprefix("run")), **_failure(notice, task)}
    return {}


def _failure(notice: Notice, task: TaskRecord) -> dict[str, str]:
    """Nothing where a later run has taken the task on: what it failed of is told no more."""
    if task.status is not Status.FAILED or notice.occasion != f"run{task.run}":
        return {}
    return {"error_code": task.error_code, "reason": task.last_error[:REASON_LIMIT]}


def subject(told: Letter) -> str:
    return f"{_SUBJECTS[told.kind]}: {told.data['agent_id']}, {told.data['workflow_id']}"


def text(told: Letter, *, link: str) -> str:
    """`link` is where the report is decided on; it is in no other notice than these."""
    data, task = told.data, told.data["task_id"]
    whose = f"{data['agent_id']}, workflow {data['workflow_id']}"
    return "\n".join(
        [f"{_SUBJECTS[told.kind]}.", "", whose, *_says(told, link), "", f"Task {task}"]
    )


_SUBJECTS: Mapping[Kind, str] = {
    Kind.TASK_ACCEPTED: "A task was accepted",
    Kind.APPROVAL_REQUESTED: "A report waits for your answer",
    Kind.APPROVAL_REMINDER: "A report still waits for your answer",
    Kind.REPORT_COMPLETED: "A report is published",
    Kind.TASK_FAILED: "A run has failed",
    Kind.TASK_EXPIRED: "Nobody has answered in time",
    Kind.TASK_REJECTED: "A report was rejected",
    Kind.TASK_CANCELLED: "A task was called off",
}


def _says(told: Letter, link: str) -> list[str]:
    data, task = told.data, told.data["task_id"]
    match told.kind:
        case Kind.APPROVAL_REQUESTED | Kind.APPROVAL_REMINDER:
            return [
                f"Revision {data['revision']}, {data['read']} of {data['sources']} sources read.",
                "",
                f"Read it and answer until {data['until']} (UTC):",
                link,
                "",
                "To open it decides nothing. Whoever has the address can decide: keep it.",
            ]
        case Kind.REPORT_COMPLETED:
            return [
                f"{data['read']} of {data['sources']} sources read.",
                "",
                f"Its files: {data['result_uri']}",
                f"Get them: ./ratchet report {task}",
            ]
        case Kind.TASK_FAILED:
            why = [f"{data['error_code']}: {data['reason']}"] if "error_code" in data else []
            return [*why, "", f"What was done is kept. Go on: ./ratchet resume {task}"]
        case Kind.TASK_EXPIRED:
            return ["", f"The report was not published. Get it: ./ratchet report {task}"]
    return []
