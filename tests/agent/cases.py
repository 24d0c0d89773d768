"""The field's cases, where they lie beside this repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

INPUTS = Path(__file__).resolve().parents[3] / "shared/cases/inputs"


def field_case(name: str) -> Any:
    """Its JSON; skips with the reason where it is absent."""
    return json.loads(field_bytes(name))


def field_bytes(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: its rows stand in the tests here too")
    return path.read_bytes()
