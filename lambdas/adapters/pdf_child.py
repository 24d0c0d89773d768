"""A process of its own that takes one PDF apart: what hangs or swells in there ends with it.

The PDF comes in on standard input, the limits as the only argument; what was found goes out as
JSON. `lambdas.adapters.pdf_reader` starts it, and nobody imports more of it than the limits.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

READ, ENCRYPTED, DAMAGED, TOO_LARGE = "read", "encrypted", "damaged", "too large"
"""How it ends."""

OUT_OF_MEMORY = 3
"""The exit code where there was none left to say so."""

GRACE = 1.0
"""Seconds that an orphan may outlive its limit."""

DRAWN_BYTES = 1000
"""Of drawing on a page, above which it cannot be blank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one PDF. The function has 1,024 MB, and a process that holds the page beside this one."""

    seconds: float = 30
    """After which the process is killed."""
    last_page: float = 24
    """Seconds after which no further page is begun."""
    memory: int = 512 * 2**20
    """Bytes of address space, where the platform counts them."""
    pages: int = 2000
    characters: int = 2_000_000
    lines: int = 200_000


def main() -> None:
    limits = Limits(**json.loads(sys.argv[1]))
    _bind(limits)
    try:
        said = _taken_apart(sys.stdin.buffer.read(), limits)
        sys.stdout.write(json.dumps(said))
        sys.stdout.flush()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _bind(limits: Limits) -> None:
    """Held by the kernel, so no loop keeps them waiting, and they stay when our parent is killed.

    Not every platform has each of them; the parent's own watch is there in any case.
    """
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + GRACE)
    bounds = {
        resource.RLIMIT_AS: limits.memory,
        resource.RLIMIT_CPU: int(limits.seconds + GRACE) + 1,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for bound, most in bounds.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(bound, (most, most))


def _taken_apart(body: bytes, limits: Limits) -> Mapping[str, Any]:
    """Every page, or why not. It stops by itself where many pages take long; one must be killed."""
    from pypdf import PdfReader

    until = time.monotonic() + limits.last_page
    try:
        document = PdfReader(BytesIO(body))
        if document.is_encrypted and not document.decrypt(""):
            return {"end": ENCRYPTED}
        if (count := len(document.pages)) > limits.pages:
            return {"end": TOO_LARGE, "count": count}
        return {**_facts(document), **_pages(document, limits, until)}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser does with a stranger's file
        return {"end": DAMAGED, "why": type(error).__name__}


def _pages(document: PdfReader, limits: Limits, until: float) -> Mapping[str, Any]:
    pages: list[Mapping[str, Any]] = []
    lines, characters, count = 0, 0, len(document.pages)
    for page in document.pages:
        pages.append(_page(page))
        lines += len(pages[-1]["lines"])
        characters += sum(len(text) for text, *_ in pages[-1]["lines"])
        is_late = time.monotonic() > until and len(pages) < count
        if is_late or characters > limits.characters or lines > limits.lines:
            return {"end": TOO_LARGE, "count": count, "read": len(pages), "late": is_late}
    return {"end": READ, "pages": pages}


def _page(page: PageObject) -> Mapping[str, Any]:
    """Its lines, and whether something is drawn on it that may be words to a person."""
    try:
        return {"lines": _lines(page), "drawn": _is_drawn(page)}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - one damaged page among good ones
        return {"lines": [], "drawn": True, "why": type(error).__name__}


def _lines(page: PageObject) -> list[tuple[Any, ...]]:
    """Text, x, y and size of each line; what the parser did not place stands without a place."""
    pieces: list[tuple[str, float, float, float]] = []

    def see(text: str, cm: list[float], tm: list[float], _: Any, size: float) -> None:
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        area = (tm[0] * tm[3] - tm[1] * tm[2]) * (cm[0] * cm[3] - cm[1] * cm[2])
        pieces.append((text, round(x, 1), round(y, 1), round(abs(size) * abs(area) ** 0.5, 1)))

    text = page.extract_text(visitor_text=see)
    if "".join(piece[0] for piece in pieces) != text:
        return [(line,) for line in text.split("\n") if line.strip()]
    return list(_placed(pieces))


def _placed(pieces: list[tuple[str, float, float, float]]) -> Iterator[tuple[Any, ...]]:
    """A line stands where its first words do, and has the size of its longest piece."""
    line: list[tuple[str, tuple[float, float], float]] = []
    for text, x, y, size in [*pieces, ("\n", 0, 0, 0)]:
        first, *more = text.split("\n")
        line.append((first, (x, y), size))
        for further in more:
            words = [piece for piece in line if piece[0].strip()]
            if words:
                (_, place, _), (_, _, of_longest) = words[0], max(words, key=_length)
                yield ("".join(piece[0] for piece in line), *place, of_longest)
            line = [(further, (x, y), size)]


def _length(piece: tuple[str, tuple[float, float], float]) -> int:
    return len(piece[0])


def _is_drawn(page: PageObject) -> bool:
    """A picture, or letters that were turned into curves; not a blank page with its frame."""
    content = page.get_contents()
    data = content.get_data() if content is not None else b""
    return len(data) > DRAWN_BYTES or any(mark in data.split() for mark in (b"Do", b"BI"))


def _facts(document: PdfReader) -> Mapping[str, str]:
    """What the document says of itself, as far as it says it in text."""
    found: dict[str, Any] = {}
    with suppress(Exception):  # a damaged description is no reason to leave the text
        found.update(document.metadata or {})
    with suppress(Exception):
        found["/Lang"] = document.root_object.get("/Lang")
    names = ("/Title", "/Author", "/CreationDate", "/Lang")
    return {name: found[name][:1000] for name in names if isinstance(found.get(name), str)}


if __name__ == "__main__":
    main()
