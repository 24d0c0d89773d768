"""docs/failure-windows.md names a proof for each window, and each proof is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambdas.agent.contract import Door, Step
from tests.promises import _proofs
from tests.steps.test_deaths import SCENES, SWEEP

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["step", "window", "what may happen", "what becomes of it", "proved by"]


def rows() -> list[list[str]]:
    page = (ROOT / "docs/failure-windows.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def windows() -> list[list[str]]:
    return rows()[2:]


def proofs() -> list[str]:
    return [proof for row in windows() for proof in re.findall(r"`([^`]+)`", row[-1])]


def test_each_window_has_a_step_and_an_end() -> None:
    head, _, *table = rows()

    assert head == COLUMNS
    assert len(table) >= 20
    for row in table:
        assert len(row) == len(COLUMNS), row
        assert all(row), row


@pytest.mark.promise("R13")
def test_each_window_is_proved_or_says_why_not() -> None:
    unproved = [row for row in windows() if "`" not in row[-1]]

    assert all(row[-1].startswith("not proved: ") for row in unproved)
    assert len(unproved) <= 1


@pytest.mark.promise("R13")
def test_each_proof_is_a_test_or_a_scene_of_the_matrix() -> None:
    scenes = {f"matrix: {scene}" for scene in (*SCENES, SWEEP)}

    unknown = set(proofs()) - scenes - set(_tests())
    assert not unknown


def test_each_test_that_closes_a_window_is_named() -> None:
    """Whoever marks a test with R13 says here which window it closes."""
    closing = {
        f"{name}::{test}"
        for name in sorted({proof.partition("::")[0] for proof in _tests()} - {_own_name()})
        for promise, test in _proofs(ROOT / name)
        if promise == "R13"
    }

    assert closing
    assert not closing - set(proofs())


def test_each_window_is_of_a_step_that_there_is() -> None:
    known = {*Step, *Door, "every step", "every effect"}

    named = {step for row in windows() for step in row[0].split(", ")}
    assert named <= known


def test_each_step_with_effects_outside_has_its_windows() -> None:
    """The steps whose docstring tells of an effect, and whoever starts executions."""
    named = {step for row in windows() for step in row[0].split(", ")}

    assert {step for step in Step if _has_effects(step)} | {Door.SWEEP} <= named


def _has_effects(step: Step) -> bool:
    path = ROOT / f"lambdas/steps/{step.lower()}.py"
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return not re.search(r"^Effects +none( outside)?[.:]|^Effects +none that", told, re.MULTILINE)


def _own_name() -> str:
    return Path(__file__).relative_to(ROOT).as_posix()


def _tests() -> Iterator[str]:
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{name}::{node.name}"
