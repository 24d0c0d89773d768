"""Which file answers which address, and as what it is sent."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from sandbox.editions import Shown

# Pages say themselves in which character set they are: no type carries one.
_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
    ".md": "text/markdown",
    ".json": "application/json",
}
_INDEX = ("index.html", "index.html.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What is sent: the file as it lies there, under the type and encoding it has on the web."""

    file: Path
    type: str
    compressed: bool

    @property
    def etag(self) -> str:
        """Of the content: after a checkout two editions of a page may be of one time and size."""
        return f'"{sha256(self.file.read_bytes()).hexdigest()[:32]}"'

    @property
    def modified(self) -> int:
        return int(self.file.stat().st_mtime)


def find_page(mounted: Mapping[str, Shown], target: str) -> Page | None:
    """The page at the request's target; None if there is none, or if it lies outside."""
    name, inside = _place(target)
    if name not in mounted or not _is_plain(inside):
        return None
    for folder in map(Path.resolve, mounted[name].folders):
        for candidate in _candidates(folder / inside):
            if candidate.is_file() and candidate.resolve().is_relative_to(folder):
                return _page(candidate)
    return None


def status_instead(mounted: Mapping[str, Shown], target: str) -> HTTPStatus | None:
    """What is answered in place of a page, if this edition says so."""
    name, inside = _place(target)
    return mounted[name].instead.get(inside) if name in mounted else None


def lacks_slash(page: Page, path: str) -> bool:
    """Whether the address names a folder as if it were a file: relative links would lead astray."""
    return page.file.name in _INDEX and not path.endswith((*_INDEX, "/"))


def _place(target: str) -> tuple[str, str]:
    """The name of a mounted folder, and the way inside of it."""
    name, _, inside = unquote(urlsplit(target).path).lstrip("/").partition("/")
    return name, inside


def _is_plain(inside: str) -> bool:
    """No way up, no hidden file, nothing a file system reads otherwise than it is written."""
    return (
        "\0" not in inside
        and "\\" not in inside
        and not any(part.startswith(".") for part in PurePosixPath(inside).parts)
    )


def _candidates(path: Path) -> list[Path]:
    packed = [path.with_name(f"{path.name}.gz")] if path.suffix == ".html" else []
    return [path, *packed, *(path / index for index in _INDEX)]


def _page(file: Path) -> Page:
    compressed = file.name.endswith(".html.gz")
    shown = Path(file.name.removesuffix(".gz")) if compressed else file
    guessed, packed_as = mimetypes.guess_type(shown.name)
    unknown = "application/gzip" if packed_as else guessed or "application/octet-stream"
    return Page(file=file, type=_TYPES.get(shown.suffix, unknown), compressed=compressed)
