"""The reader of PDFs: their text layer, taken out by pypdf in a process that can be killed.

pypdf runs in our own interpreter, so nothing but its process could stop it where it hangs. The
child has neither our credentials nor anything to write to: it reads what strangers made.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from lambdas.adapters.pdf_child import DAMAGED, ENCRYPTED, OUT_OF_MEMORY, TOO_LARGE, Limits
from lambdas.agent.errors import SourceUnreadable, Unexpected
from lambdas.agent.findings import Text
from lambdas.agent.markdown_blocks import blocks, normalised
from lambdas.agent.pages import Page
from lambdas.agent.printed import Line, markdown_of
from lambdas.agent.scans import NEEDS_OCR

FEWEST_LETTERS = 80
"""Letters and digits, some 15 words, below which a document with pictures has no text layer."""

FEWEST_ON_A_PAGE = 20
"""The same for one page with a picture, on which a stamp or a number may be; and for a document
without any.
"""

LONGEST_TITLE, LONGEST_AUTHOR = 300, 200
SPANS = 12
"""Page ranges that a note spells out."""

_CHILD = ("-m", "lambdas.adapters.pdf_child")
_HANDED_DOWN = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TZ")
_KILLED = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGALRM}
_DAY = re.compile(r"(?:D:)?(\d{4})-?(\d\d)-?(\d\d)")
_FILE_NAME = re.compile(r"untitled.*|.*\.[a-z]{2,5}|\W*", re.IGNORECASE)


class PdfReader:
    """`has_ocr`: somebody reads scans, so a document that mostly is one is left to them."""

    def __init__(
        self,
        *,
        has_ocr: bool = False,
        limits: Limits | None = None,
        child: Sequence[str] = _CHILD,
    ) -> None:
        self._has_ocr = has_ocr
        self._limits = limits or Limits()
        self._child = child

    def read(self, page: Page) -> Text:
        host = urlsplit(page.url).hostname or "the source"
        told = self._taken_apart(page.body, host)
        if told["end"] == ENCRYPTED:
            raise _unreadable(host, "opens with a password only", "PDF_ENCRYPTED")
        if told["end"] == DAMAGED:
            raise _broken(host, told["why"])
        if told["end"] == TOO_LARGE:
            raise _too_large(host, _how_large(told, self._limits))
        return self._text(told, host)

    def _taken_apart(self, body: bytes, host: str) -> Mapping[str, Any]:
        limits = self._limits
        # No site packages beside those on our path, and not the folder we happen to stand in.
        command = [sys.executable, "-S", "-P", *self._child, json.dumps(asdict(limits))]
        try:
            child = subprocess.run(  # noqa: S603  # our own interpreter and module
                command,
                input=body,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # its warnings quote the document
                env=_environment(),
                timeout=limits.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:  # run() has killed it, and waited for its end
            raise _hung(host, limits) from None
        if child.returncode == 0:
            told: Mapping[str, Any] = json.loads(child.stdout)
            return told
        raise _died(host, child.returncode, limits)

    def _text(self, told: Mapping[str, Any], host: str) -> Text:
        pages = [[Line(*line) for line in page["lines"]] for page in told["pages"]]
        damaged = {n: page["why"] for n, page in enumerate(told["pages"], 1) if "why" in page}
        if len(damaged) == len(pages):
            raise _broken(host, damaged.get(1, "no pages"))
        unread = [n for n in _without_text(pages, told["pages"]) if n not in damaged]
        letters = sum(map(_letters, pages))
        fewest = (
            FEWEST_LETTERS if any(page["drawn"] for page in told["pages"]) else FEWEST_ON_A_PAGE
        )
        if letters < fewest or (self._has_ocr and 2 * len(unread) >= len(pages)):
            raise _scan(host, letters, len(pages))
        text = normalised(markdown_of(pages))
        return Text(
            title=_title(told.get("/Title", ""), text) or _first_line(pages),
            text=text,
            blocks=blocks(text),
            language=_language(told.get("/Lang", "")),
            author=_line(told.get("/Author", ""))[:LONGEST_AUTHOR],
            **_published(told.get("/CreationDate", "")),
            notes=tuple(_notes(len(pages), unread, list(damaged))),
        )


def _environment() -> Mapping[str, str]:
    """What an interpreter needs to start as we did, and none of our keys."""
    kept = {name: os.environ[name] for name in _HANDED_DOWN if name in os.environ}
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _letters(page: Sequence[Line]) -> int:
    return sum(sum(map(str.isalnum, line.text)) for line in page)


def _without_text(pages: Sequence[Sequence[Line]], told: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of the pages that show something and say next to nothing."""
    return [
        number
        for number, (lines, page) in enumerate(zip(pages, told, strict=True), 1)
        if page["drawn"] and _letters(lines) < FEWEST_ON_A_PAGE
    ]


def _notes(count: int, unread: Sequence[int], damaged: Sequence[int]) -> list[str]:
    notes = []
    if unread:
        notes.append(f"{_of(unread, count)} no text layer ({_spans(unread)})")
    if damaged:
        notes.append(
            f"{_of(damaged, count)} damage, and nothing was read there ({_spans(damaged)})"
        )
    return notes


def _of(numbers: Sequence[int], count: int) -> str:
    return f"{len(numbers)} of {count} pages {'has' if len(numbers) == 1 else 'have'}"


def _spans(numbers: Sequence[int]) -> str:
    """2, 4-7, 9: numbers in order, runs of them by their ends."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = [("-" if len(run) > 1 else "").join(map(str, run)) for run in runs[:SPANS]]
    return ", ".join([*shown, "..."] if len(runs) > SPANS else shown)


def _title(named: str, text: str) -> str:
    """What the document calls itself, unless that is its file's name; else its first heading."""
    named = _line(named).removeprefix("Microsoft Word - ")
    if named and not _FILE_NAME.fullmatch(named):
        return named[:LONGEST_TITLE]
    return text.partition("\n")[0].lstrip("# ")[:LONGEST_TITLE] if text.startswith("#") else ""


def _first_line(pages: Sequence[Sequence[Line]]) -> str:
    return next((_line(page[0].text)[:LONGEST_TITLE] for page in pages if page), "")


def _line(text: str) -> str:
    return " ".join(normalised(text).split())


def _language(named: str) -> str:
    found = re.match(r"[a-z]{2,3}(?![a-z])", named.strip().lower())
    return found[0] if found else ""


def _published(created: str) -> Mapping[str, str]:
    found = _DAY.match(created)
    try:
        day = date(*map(int, found.groups())) if found else None
    except ValueError:
        day = None
    return {"published": day.isoformat(), "published_by": "pdf CreationDate"} if day else {}


def _how_large(told: Mapping[str, Any], limits: Limits) -> str:
    if "read" not in told:
        return f"has {told['count']:,} pages, and {limits.pages:,} are read at the most"
    done = f"{told['read']:,} of its {told['count']:,} pages"
    if told["late"]:
        return f"takes too long: after {limits.last_page:g} s only {done} were read"
    return f"has more than {limits.characters:,} characters or {limits.lines:,} lines on {done}"


def _died(host: str, code: int, limits: Limits) -> Exception:
    if code == OUT_OF_MEMORY:
        return _too_large(host, f"needs more than {limits.memory // 2**20:,} MB to be read")
    if code in _KILLED:
        return _hung(host, limits)
    if code < 0:
        return _broken(host, signal.Signals(-code).name)
    return Unexpected(
        f"The process that reads PDFs ended with exit code {code}: see that the function's bundle "
        "holds pypdf and cryptography, and deploy it again",
        dependency="pypdf",
    )


def _hung(host: str, limits: Limits) -> SourceUnreadable:
    what = f"was not taken apart within {limits.seconds:g} s: it may be damaged"
    return _unreadable(host, what, "PDF_UNREADABLE")


def _broken(host: str, why: str) -> SourceUnreadable:
    if why == "LimitReachedError":  # pypdf's word for a bomb
        return _too_large(host, "holds more than any document of its size should")
    return _unreadable(host, f"is damaged or cut off ({why})", "PDF_UNREADABLE")


def _scan(host: str, letters: int, count: int) -> SourceUnreadable:
    pages = "1 page" if count == 1 else f"{count} pages"
    return SourceUnreadable(
        f"The PDF at {host} is a scan: its text layer has {letters} letters and digits on {pages}. "
        "Name a copy whose words can be marked and copied, or set `ocr` to true in cdk.json and "
        "deploy: then scans are read.",
        code=NEEDS_OCR,
        dependency=host,
    )


def _unreadable(host: str, what: str, code: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"The PDF at {host} {what}. Name another copy of it, or a page that says the same.",
        code=code,
        dependency=host,
    )


def _too_large(host: str, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"The PDF at {host} {what}. Name a part of it that holds what you look for.",
        code="TOO_LARGE",
        dependency=host,
    )
