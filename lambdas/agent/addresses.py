"""The web addresses in a text, whole: with the brackets that belong to them, and without the
punctuation of the sentence around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ADDRESS = re.compile(
    r"(?:(?<!\w)(?:[a-z][a-z0-9+.-]{0,20}://|(?:javascript|vbscript|data|mailto|tel):(?=\S))"
    r"|(?<![\w@.-])www\.)"
    r"[^\s<>\"\u201c\u201d\u00ab\u00bb\u3000-\u303f\uff08\uff09\uff0c]+",
    re.IGNORECASE,
)
TRAILING = ".,;:!?'*_~`|\u2026\u2019"
OPENED = {")": "(", "]": "[", "}": "{"}
GOES_ON = re.compile(r"[\w/?#&=%+-]")
"""What follows a bracket inside an address."""


class Address(NamedTuple):
    start: int
    end: int
    url: str


def addresses(text: str) -> Iterator[Address]:
    at = 0
    while found := ADDRESS.search(text, at):
        url = _trimmed(_to_a_closing_bracket(found[0]))
        yield Address(found.start(), found.start() + len(url), url)
        at = found.start() + max(len(url), 1)


def _to_a_closing_bracket(run: str) -> str:
    """Up to a bracket that closes what was opened before the address, if the text goes on then."""
    opened: list[str] = []
    for at, character in enumerate(run):
        if character in OPENED.values():
            opened.append(character)
        elif character in OPENED:
            if opened and opened[-1] == OPENED[character]:
                opened.pop()
            elif not GOES_ON.match(run, at + 1):
                return run[:at]
    return run


def _trimmed(run: str) -> str:
    while run and (run[-1] in TRAILING or _is_unopened(run)):
        run = run[:-1]
    return run


def _is_unopened(run: str) -> bool:
    last = run[-1]
    return last in OPENED and run.count(last) > run.count(OPENED[last])
