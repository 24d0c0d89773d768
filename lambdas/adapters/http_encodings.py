"""How bodies are packed. Each way is undone in steps, so that no step fills the memory.

Brotli and Zstandard are offered where their packages are installed, and imported where an answer
is packed with them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType

from lambdas.adapters.http_framing import BrokenOff

STEP = 262_144
"""Bytes that one step unpacks at the most, or twice as many."""

ALWAYS = ("gzip", "deflate")

_PACKAGES = MappingProxyType({"br": "brotli", "zstd": "zstandard"})
_ALIASES = MappingProxyType({"x-gzip": "gzip", "identity": ""})
_ZLIB, _RAW_DEFLATE, _GZIP = zlib.MAX_WBITS, -zlib.MAX_WBITS, zlib.MAX_WBITS | 16
_GZIP_MARK = b"\x1f"

ZSTD_WINDOW = 8 * 1024 * 1024
"""RFC 9659: over HTTP no more is allowed, so that its readers know what they need."""
ZSTD_SLICE = 16
"""Bytes. Four of them can stand for 128 KiB, and its decoder unpacks all that it is given."""


class Damaged(Exception):
    """A body that is not packed as it says."""


@cache
def offered() -> tuple[str, ...]:
    """What this installation can unpack in bounded memory."""
    return (*ALWAYS, *(name for name, package in _PACKAGES.items() if find_spec(package)))


def encoding_named(header: str) -> str:
    """The one way a body is packed; empty where it is not. Two ways in a row were not offered."""
    named = [name.strip() for name in header.lower().split(",")]
    return ", ".join(filter(None, (_ALIASES.get(name, name) for name in named)))


def unpacked(encoding: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Steps of the plain body. Damaged, or BrokenOff where its end is missing.

    A body of no bytes is whole, however it is said to be packed.
    """
    return _WAYS[encoding](pieces)


def _gunzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Members one after the other. What follows a whole one and is none is not looked at."""
    inflating = zlib.decompressobj(_GZIP)
    is_begun = False
    for piece in pieces:
        data, is_begun = piece, True
        while data:
            if inflating.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                if not data.startswith(_GZIP_MARK):
                    return
                inflating = zlib.decompressobj(_GZIP)
            yield from _inflated(inflating, data)
            data = inflating.unused_data
    if is_begun and not inflating.eof:
        raise BrokenOff


def _undeflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    inflating = None
    for piece in pieces:
        inflating = inflating or zlib.decompressobj(_window(piece))
        yield from _inflated(inflating, piece)
    if inflating is not None and not inflating.eof:
        raise BrokenOff


def _inflated(inflating: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    plain = b""
    while not inflating.eof and (data or len(plain) == STEP):  # a full step may have left some
        try:
            plain = inflating.decompress(data, STEP)
        except zlib.error:
            raise Damaged from None
        data = inflating.unconsumed_tail
        yield plain


def _window(data: bytes) -> int:
    """Some servers send bare DEFLATE where HTTP's "deflate" means zlib's format."""
    is_zlib = data[0] & 15 == 8 and (len(data) == 1 or int.from_bytes(data[:2], "big") % 31 == 0)
    return _ZLIB if is_zlib else _RAW_DEFLATE


def _unbrotlied(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import brotli

    unpacking, is_begun = brotli.Decompressor(), False
    for piece in pieces:
        data, plain, is_begun = piece, b"", True
        # Taking more data does not mean that all is out: a full step may have left some.
        while data or len(plain) >= STEP or not unpacking.can_accept_more_data():
            try:
                plain = unpacking.process(data, output_buffer_limit=STEP)
            except brotli.error:
                raise Damaged from None
            data = b""
            yield plain
        if unpacking.is_finished():
            return
    if is_begun:
        raise BrokenOff


def _unzstandarded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    unpacking = None
    for piece in _slices(pieces):
        data = piece
        while data:
            unpacking = unpacking or frames.decompressobj()
            try:
                yield unpacking.decompress(data)
            except zstandard.ZstdError:
                raise Damaged from None
            data = unpacking.unused_data if unpacking.eof else b""
            unpacking = None if unpacking.eof else unpacking
    if unpacking is not None:
        raise BrokenOff


def _slices(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for at in range(0, len(piece), ZSTD_SLICE):
            yield piece[at : at + ZSTD_SLICE]


_WAYS: Mapping[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = MappingProxyType(
    {"gzip": _gunzipped, "deflate": _undeflated, "br": _unbrotlied, "zstd": _unzstandarded}
)
