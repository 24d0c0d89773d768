"""One number over all that a deployment is made of: the same number, the same deployment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

_INPUTS = (
    "app.py",
    "cdk.json",
    "package-lock.json",
    "requirements.txt",
    "constraints.txt",
    "stacks",
    "statemachines",
    "lambdas",
)


def digest(root: Path, context: Mapping[str, object]) -> str:
    total = hashlib.sha256(json.dumps(dict(context), sort_keys=True).encode())
    for file in _files(root):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"\n{file.relative_to(root).as_posix()} {content}".encode())
    return total.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for name in _INPUTS:
        path = root / name
        if path.is_file():
            yield path
        yield from sorted(file for file in path.rglob("*") if file.is_file() and _counts(file))


def _counts(file: Path) -> bool:
    return file.suffix != ".pyc" and not file.name.startswith(".")
