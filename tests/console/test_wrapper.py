"""`./ratchet`, the script: it installs what is not there, says so, and hands on what was typed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from console.account import ROOT

PYTHON = """#!/bin/sh
echo "$@"
"""
MAKE = """#!/bin/sh
echo "make said something"
folder=$3 file=$4
mkdir -p "$folder/.venv/bin" "$folder/node_modules"
cp "$folder/python" "$folder/.venv/bin/python"
touch "$folder/$file"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    shutil.copy(ROOT / "ratchet", folder)
    executable(folder / "python", PYTHON)
    executable(tmp_path / "make", MAKE)
    return folder


def test_installs_first_what_is_not_there_and_keeps_stdout_clean(checkout: Path) -> None:
    result = ratchet(checkout, "list", "--json")

    assert result.stdout == "-P -m console list --json\n"
    assert "running `make .venv/.ready` first" in result.stderr
    assert "make said something" in result.stderr
    assert not (checkout / "node_modules/.ready").exists()


def test_the_sandbox_needs_the_cdk_too(checkout: Path) -> None:
    ratchet(checkout, "sandbox", "up")

    assert (checkout / "node_modules/.ready").exists()


def test_installs_nothing_twice(checkout: Path) -> None:
    ratchet(checkout, "demo", "any.json")

    assert ratchet(checkout, "demo", "any.json").stderr == ""


def test_hands_on_what_was_typed_as_it_was_typed(checkout: Path) -> None:
    ratchet(checkout, "list")

    result = ratchet(checkout, "reject", "task", "--note", "two  spaces")

    assert result.stdout == "-P -m console reject task --note two  spaces\n"


def test_stops_where_nothing_could_be_installed(checkout: Path) -> None:
    executable(checkout.parent / "make", "#!/bin/sh\nexit 2\n")

    result = ratchet(checkout, "list")

    assert result.returncode == 2
    assert result.stdout == ""


def ratchet(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """From another folder, with a `make` of ours leading the PATH."""
    return subprocess.run(  # noqa: S603 - the script under test
        [str(checkout / "ratchet"), *arguments],
        cwd=checkout.parent,
        env={"PATH": f"{checkout.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def executable(file: Path, content: str) -> None:
    file.write_text(content)
    file.chmod(0o755)
