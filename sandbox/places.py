"""The folder `.sandbox/` of a checkout: everything the sandbox keeps lies here."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """`root` is the checkout whose app is deployed, `home` the folder that remembers it."""

    root: Path
    home: Path

    @classmethod
    def of(cls, root: Path, home: Path | None = None) -> Self:
        places = cls(root=root.resolve(), home=(home or root / ".sandbox").resolve())
        places.home.mkdir(parents=True, exist_ok=True)
        return places

    @property
    def state(self) -> Path:
        return self.home / "state.json"

    @property
    def mounts(self) -> Path:
        return self.home / "mounts.json"

    @property
    def edition(self) -> Path:
        return self.home / "edition.json"

    @property
    def account(self) -> Path:
        return self.home / "account"

    @property
    def listening(self) -> Path:
        """The id of the process that has the sample site's port."""
        return self.home / "site.listening"

    @property
    def context(self) -> Path:
        return self.home / "context.json"

    @property
    def build(self) -> Path:
        return self.root / ".build"

    def log(self, name: str) -> Path:
        return self.home / f"{name}.log"

    def lock(self, name: str) -> Path:
        return self.home / f"{name}.lock"


def read_json(path: Path) -> dict[str, Any]:
    """What the file says; nothing, if it is missing or was cut short."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, content: object) -> None:
    """Whole or not at all: a reader never sees half a file."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path)
