"""The editions of the sample sites: as they were last week, and as they are this week.

The first edition of an example is its folder `site/`. A later one, `edition-2/`, holds what is
different: files in `site/`, and in `statuses.json` pages that answer with a status, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from sandbox.mounts import mounts
from sandbox.places import Places, read_json, write_json

FIRST = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown under one name: a page is the one in the first folder that has it."""

    folders: tuple[Path, ...]
    instead: Mapping[str, HTTPStatus] = field(default_factory=dict)


def show(places: Places, edition: int) -> None:
    """Show this edition under the same addresses, from the next request on."""
    write_json(places.edition, {"edition": edition})


def shown(places: Places) -> dict[str, Shown]:
    """Every mounted folder by its name, in the edition that is shown where it has that."""
    edition = read_json(places.edition).get("edition", FIRST)
    return {name: _in(edition, folder) for name, folder in mounts(places).items()}


def editions(places: Places, names: Iterable[str]) -> list[int]:
    """Those that the sites of these names have, together."""
    sites = mounts(places)
    later = {number for name in names if name in sites for number in _later(sites[name])}
    return sorted({FIRST, *later})


def _in(edition: int, folder: Path) -> Shown:
    later = folder.parent / f"edition-{edition}"
    if edition not in _later(folder):
        return Shown(folders=(folder,))
    statuses = read_json(later / "statuses.json")
    return Shown(
        folders=(later / "site", folder),
        instead={page: HTTPStatus(status) for page, status in statuses.items()},
    )


def _later(folder: Path) -> list[int]:
    """The numbers of an example's later editions; other folders have none."""
    if folder.name != "site":
        return []
    found = (re.fullmatch(r"edition-(\d+)", path.name) for path in folder.parent.glob("*"))
    return sorted(int(each[1]) for each in found if each)
