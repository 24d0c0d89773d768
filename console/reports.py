"""A report's files on this machine: the published ones, or the revision that waits for a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from console import tasks
from console.account import Account
from console.errors import Refused
from console.sources import artifact
from lambdas.agent.contract import Step
from lambdas.agent.model import Unit
from lambdas.agent.tasks import TaskRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """The HTML comes first. `is_published` is false for what nobody has approved yet."""

    files: tuple[Path, ...]
    revision: int
    is_published: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "files": [str(file) for file in self.files],
            "revision": self.revision,
            "is_published": self.is_published,
        }


def download(account: Account, task: TaskRecord, out: Path) -> Downloaded:
    """Get the files into out/<task>/; what lies there of an earlier revision is replaced."""
    is_published = bool(task.result_uri)
    contents = _published(account, task) if is_published else _pending(account, task)
    folder = out / task.task_id
    folder.mkdir(parents=True, exist_ok=True)
    files = [_write(folder / name, body) for name, body in contents.items() if _is_plain(name)]
    files.sort(key=lambda file: (file.suffix != ".html", file.suffix != ".md", file.name))
    return Downloaded(files=tuple(files), revision=task.revision, is_published=is_published)


def _published(account: Account, task: TaskRecord) -> Mapping[str, bytes]:
    where = urlsplit(task.result_uri)
    prefix = where.path.lstrip("/")
    listed = account.s3.list_objects_v2(Bucket=where.netloc, Prefix=prefix).get("Contents", [])
    if not listed:
        raise Refused(f"The report of {task.task_id} is gone from {task.result_uri}.")
    return {
        found["Key"].removeprefix(prefix): account.s3.get_object(
            Bucket=where.netloc, Key=found["Key"]
        )["Body"].read()
        for found in listed
    }


def _pending(account: Account, task: TaskRecord) -> Mapping[str, bytes]:
    made = Unit(task_id=task.task_id, step=Step.REPORT, item=f"r{task.revision}")
    unit = tasks.unit(account, made) if task.revision else None
    if unit is None or unit.outcome is None or unit.outcome.ref is None:
        raise Refused(_no_report(task))
    refs: dict[str, str] = json.loads(_checked(account, unit.outcome.ref))
    return {name: _checked(account, ref) for name, ref in refs.items()}


def _no_report(task: TaskRecord) -> str:
    if task.status.is_final:
        return f"Task {task.task_id} ended {task.status} without a report: {task.last_error}"
    return (
        f"Task {task.task_id} has no report yet, it is at {task.current_step}: "
        f"follow it with `./ratchet watch {task.task_id}`."
    )


def _checked(account: Account, ref: str) -> bytes:
    """What a person decides on is what was made: its name holds its hash."""
    body = artifact(account, ref)
    if hashlib.sha256(body).hexdigest() != PurePosixPath(ref).name:
        raise Refused(f"The artifact {ref} is not what was written: do not rely on it.")
    return body


def _is_plain(name: str) -> bool:
    """A file of this folder: no way up or down, nothing hidden."""
    return bool(name) and PurePosixPath(name).name == name and not name.startswith(".")


def _write(file: Path, body: bytes) -> Path:
    """Whole or not at all: a browser may be reading the one before."""
    draft = file.with_name(f".{file.name}.part")
    draft.write_bytes(body)
    return draft.replace(file)
