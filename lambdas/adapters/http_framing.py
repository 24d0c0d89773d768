"""Where the body of an HTTP answer ends: by its length, its chunks or the end of the connection.

What breaks off before, or has sizes that are none, is never taken for whole. The standard library
takes a chunk of negative size for the rest of the connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader

from lambdas.adapters.http_head import BadAnswer, Head, read_head

PIECE = 65_536
LONGEST_SIZE_LINE = 1024
"""A chunk's size, and what a server may add to it and nobody reads."""

_LENGTH = re.compile(r"[0-9]{1,18}")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?\n")
_BODILESS = frozenset({204, 304})


class BrokenOff(Exception):
    """The body ended before its end, or in a way that leaves its end unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """`length` is what the head promises; None where only the body shows its end."""

    head: Head
    length: int | None
    pieces: Iterator[bytes] = field(repr=False)
    """The body as it comes, none of them empty; BrokenOff where it breaks off."""


def read_response(stream: BufferedReader) -> Response:
    head = read_head(stream)
    if _is_chunked(head):  # a length beside it does not count, RFC 9112 has it
        return Response(head=head, length=None, pieces=_chunks(stream))
    length = 0 if head.status in _BODILESS else _length(head)
    pieces = _rest(stream) if length is None else _counted(stream, length)
    return Response(head=head, length=length, pieces=pieces)


def _is_chunked(head: Head) -> bool:
    coding = head.get("Transfer-Encoding").lower()
    if coding not in {"", "identity", "chunked"}:  # no other was offered
        raise BadAnswer
    return coding == "chunked"


def _length(head: Head) -> int | None:
    """Said twice it counts once; two that differ are no length at all, and may be an attack."""
    told = {each.strip() for each in head.get("Content-Length").split(",")}
    if not head.all("Content-Length"):
        return None
    if len(told) > 1 or not _LENGTH.fullmatch(length := told.pop()):
        raise BadAnswer
    return int(length)


def _rest(stream: BufferedReader) -> Iterator[bytes]:
    while piece := stream.read1(PIECE):
        yield piece


def _counted(stream: BufferedReader, length: int) -> Iterator[bytes]:
    left = length
    while left:
        piece = stream.read1(min(PIECE, left))
        if not piece:
            raise BrokenOff
        left -= len(piece)
        yield piece


def _chunks(stream: BufferedReader) -> Iterator[bytes]:
    """Behind the last chunk come trailers, which say nothing of a page: they are not waited for."""
    while size := _size(stream):
        yield from _counted(stream, size)
        if stream.readline(3) not in {b"\r\n", b"\n"}:
            raise BrokenOff


def _size(stream: BufferedReader) -> int:
    size = _SIZE.fullmatch(stream.readline(LONGEST_SIZE_LINE))
    if not size:
        raise BrokenOff
    return int(size[1], 16)
