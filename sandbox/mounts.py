"""Which folder the sample site shows under which name, and the request that names its pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sandbox.errors import NoSuchFolder
from sandbox.places import Places, read_json, write_json

_PAGES = (".html", ".html.gz", ".htm", ".xhtml", ".md", ".txt", ".pdf", ".json", ".xml")


def mounts(places: Places) -> dict[str, Path]:
    """Every `examples/*/site` under its name, then what was mounted by hand."""
    examples = {site.parent.name: site for site in places.root.glob("examples/*/site")}
    added = {name: Path(str(folder)) for name, folder in read_json(places.mounts).items()}
    return examples | added


def mount(places: Places, folder: Path, *, name: str | None = None) -> str:
    """Show the folder too, from the next request on; answers the name it has on the site."""
    folder = folder.expanduser().resolve()
    if not folder.is_dir():
        raise NoSuchFolder(f"{folder} is not a folder. Name the folder whose pages are to be read.")
    name = name or slug(folder.name)
    taken = mounts(places).get(name)
    if taken and taken.resolve() != folder:
        raise NoSuchFolder(f"/{name}/ already shows {taken}. Choose another name for {folder}.")
    write_json(places.mounts, read_json(places.mounts) | {name: str(folder)})
    return name


def write_request(folder: Path, mount: str, questions: Sequence[str], site: str) -> dict[str, Any]:
    """A request to read every page of a mounted folder."""
    pages = sorted({_address(page.relative_to(folder)) for page in _pages(folder)})
    if not pages:
        raise NoSuchFolder(f"{folder} holds no page ({', '.join(_PAGES)}): nothing to read there.")
    return {
        "agent_id": slug(folder.resolve().name),
        "questions": list(questions),
        "sources": [{"url": f"{site}/{quote(mount)}/{page}"} for page in pages],
        "coverage": 0.5,
        "approval": "required",
    }


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "folder"


def _pages(folder: Path) -> list[Path]:
    return [
        page
        for page in folder.rglob("*")
        if page.name.endswith(_PAGES)
        and page.is_file()
        and not any(part.startswith(".") for part in page.relative_to(folder).parts)
    ]


def _address(page: Path) -> str:
    """A page kept compressed has the address it would have on the web."""
    return quote(page.as_posix().removesuffix(".gz"))
