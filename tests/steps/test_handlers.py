"""The handlers as Lambda imports them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lambdas.agent.contract import Door, Step

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["boto3", "pydantic", "jinja2", "trafilatura", "lxml", "aws_xray_sdk", "urllib3"]

LOOK = """
import importlib, json, sys
module, _, name = sys.argv[1].rpartition(".")
assert callable(getattr(importlib.import_module(module), name))
print(json.dumps([each for each in json.loads(sys.argv[2]) if each in sys.modules]))
"""


@pytest.mark.parametrize("handler", [each.handler for each in (*Step, *Door)])
def test_importing_a_handler_builds_nothing_and_imports_nothing_heavy(handler: str) -> None:
    told = subprocess.run(  # noqa: S603  # our own interpreter, a fixed program
        [sys.executable, "-c", LOOK, handler, json.dumps(HEAVY)],
        cwd=ROOT,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(told.stdout) == []
