"""The bundles' zips, kept for the next deployment: to make them takes most of one's time."""

from __future__ import annotations

import time
from pathlib import Path

_KEPT = 7 * 86_400.0
"""Seconds after which a zip is thrown away, to be made anew if somebody should need it."""


def keep_zips(assembly: Path, build: Path) -> Path:
    """Give this assembly the zips of all others, as the CDK looks for them in a folder of its own.

    A zip's name stands for what went into it, and it has the name only when it is whole: several
    deployments may use the folder at once.
    """
    zips = build / "zips"
    zips.mkdir(parents=True, exist_ok=True)
    for file in zips.iterdir():
        if time.time() - file.stat().st_mtime > _KEPT:
            file.unlink(missing_ok=True)
    (assembly / ".cache").symlink_to(zips.resolve(), target_is_directory=True)
    return zips
