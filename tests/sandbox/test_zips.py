from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sandbox.zips import keep_zips

DAY = 86_400


@pytest.fixture
def assemblies(tmp_path: Path) -> list[Path]:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    return folders


def test_what_one_assembly_zips_another_finds(assemblies: list[Path], tmp_path: Path) -> None:
    first, second = assemblies
    keep_zips(first, tmp_path / "build")
    (first / ".cache/any.zip").write_bytes(b"any")

    keep_zips(second, tmp_path / "build")

    assert (second / ".cache/any.zip").read_bytes() == b"any"


def test_a_zip_is_thrown_away_after_a_week(assemblies: list[Path], tmp_path: Path) -> None:
    first, second = assemblies
    zips = keep_zips(first, tmp_path / "build")
    for name, days in (("old.zip", 8), ("young.zip", 6)):
        (zips / name).write_bytes(b"any")
        os.utime(zips / name, (time.time() - days * DAY,) * 2)

    keep_zips(second, tmp_path / "build")

    assert [file.name for file in zips.iterdir()] == ["young.zip"]
