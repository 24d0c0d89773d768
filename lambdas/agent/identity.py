"""Names that follow from what a thing is: tasks, sources, units, effects.

Parts may hold any character. Two different tuples never give one name, and the same data in
another key order gives the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_UNSAFE = re.compile(r"[^a-z0-9]+")


def canonical(value: Any) -> bytes:
    """JSON that is equal for equal data: sorted keys, no spaces, NaN and Infinity refused."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode()


def digest(*parts: Any) -> str:
    """SHA-256 over any JSON values, in hex; the list around them keeps the parts apart."""
    return hashlib.sha256(canonical(list(parts))).hexdigest()


def slug(text: str, most: int) -> str:
    """Letters, digits and hyphens that remind a person of the text. Not unique."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _UNSAFE.sub("-", plain).strip("-")[:most].strip("-")


def task_id(agent_id: str, workflow_id: str) -> str:
    """At most 60 characters of [a-z0-9-]: room for a run number in an execution's name."""
    readable = "-".join(part for part in (slug(agent_id, 22), slug(workflow_id, 22)) if part)
    return "-".join(part for part in (readable, digest(agent_id, workflow_id)[:12]) if part)


def default_workflow_id(request: Mapping[str, Any]) -> str:
    """The same request, started again without a name of its own, is the same workflow."""
    return f"request-{digest(request)[:12]}"


def execution_name(task: str, run: int) -> str:
    return f"{task}-r{run}"


def source_id(url: str) -> str:
    return digest("source", url)[:16]


def effect_key(task: str, step: str, kind: str, subject: str) -> str:
    return digest("effect", task, step, kind, subject)
