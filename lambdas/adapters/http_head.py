"""The head of an HTTP/1 answer: lenient where browsers are and no harm is in it, strict elsewhere.

The standard library's reader takes half a head for a whole one, loses every field behind a line
that is none, and of the interim answers it knows "100 Continue" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedIOBase

LONGEST_LINE = 65_536
LONGEST_HEAD = 131_072
MOST_FIELDS = 100
MOST_INTERIM = 8
"""Answers that announce the answer, such as 103 Early Hints."""

_STATUS = re.compile(rb"HTTP/1\.\d +([1-9]\d\d)(?: .*)?")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class BadAnswer(Exception):
    """What came back is no HTTP answer, or could be read in two ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """`fields` are names in lower case and values, in the order in which they came."""

    status: int
    fields: tuple[tuple[str, str], ...] = ()

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.fields if known == name.lower()]

    def get(self, name: str) -> str:
        """The values of all fields of that name, as if it were one; empty where there is none."""
        return ", ".join(self.all(name))


def read_head(stream: BufferedIOBase) -> Head:
    """The head of the final answer. BadAnswer, or ConnectionError where it breaks off before."""
    for _ in range(MOST_INTERIM + 1):
        status = _STATUS.fullmatch(_line(stream))
        if not status or status[1] == b"101":  # nobody asked for another protocol
            raise BadAnswer
        fields = tuple(_fields(_lines(stream)))
        if int(status[1]) >= 200:
            return Head(status=int(status[1]), fields=fields)
    raise BadAnswer


def _lines(stream: BufferedIOBase) -> list[bytes]:
    """The lines up to the empty one."""
    lines: list[bytes] = []
    room = LONGEST_HEAD
    while line := _line(stream):
        lines.append(line)
        room -= len(line)
        if room < 0 or len(lines) > MOST_FIELDS:
            raise BadAnswer
    return lines


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise BadAnswer
    if not line.endswith(b"\n"):
        raise ConnectionResetError
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\0" in line or b"\r" in line:  # some see the end of a line there, and others do not
        raise BadAnswer
    return line


def _fields(lines: list[bytes]) -> Iterator[tuple[str, str]]:
    """A line that is no field is passed over."""
    for line in _unfolded(lines):
        name, colon, value = line.partition(b":")
        if colon and _NAME.fullmatch(name.rstrip()):
            yield name.rstrip().decode("ascii").lower(), value.strip(b" \t").decode("latin-1")


def _unfolded(lines: list[bytes]) -> Iterator[bytes]:
    """A line that begins with a blank goes on with the one before."""
    whole = b""
    for line in lines:
        if line.startswith((b" ", b"\t")):
            whole += b" " + line.strip(b" \t")
        else:
            yield whole
            whole = line
    yield whole
