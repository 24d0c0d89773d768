"""The agent's heart imports the standard library and itself, and asks the world for nothing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

AGENT = Path(__file__).resolve().parents[2] / "lambdas/agent"
MODULES = sorted(AGENT.glob("*.py"))
OUTSIDE = {"os", "time", "random", "secrets", "socket", "subprocess", "threading", "uuid"}
SPEAKS_HTTP = {"http.client", "http.server", "http.cookiejar"}
"""The names of methods and statuses, which `http` itself has, are only words."""


def imported(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_module_of_the_agent_imports_the_standard_library_and_the_agent(module: Path) -> None:
    foreign = {
        name
        for name in imported(module)
        if not name.startswith("lambdas.agent")
        and name.partition(".")[0] not in sys.stdlib_module_names
    }

    assert foreign == set()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_module_of_the_agent_has_no_clock_no_environment_and_no_network(module: Path) -> None:
    names = set(imported(module))

    assert {name.partition(".")[0] for name in names} & OUTSIDE == set()
    assert names & SPEAKS_HTTP == set()
    assert "datetime.now(" not in module.read_text(encoding="utf-8")


def test_there_is_an_agent_to_look_at() -> None:
    assert len(MODULES) > 10
