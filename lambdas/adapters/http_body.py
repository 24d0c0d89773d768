"""The body of an HTTP answer: whole, decompressed, and never more than its limit in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse

from lambdas.agent.errors import SourceRefused, SourceUnavailable

PIECE = 65_536
_ZLIB, _RAW_DEFLATE, _GZIP = zlib.MAX_WBITS, -zlib.MAX_WBITS, zlib.MAX_WBITS | 16


def body_of(response: HTTPResponse, host: str, *, most: int) -> bytes:
    """At most so many bytes, on the wire and after decompression.

    SourceRefused where there are more, or where they are packed in a way that was not offered;
    SourceUnavailable where the answer breaks off.
    """
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding == "identity":
        return b"".join(_wire(response, host, most))
    if encoding in {"gzip", "x-gzip", "deflate"}:
        # What cannot be made smaller grows by its frame: gzip's head and tail, a mark a block.
        pieces = _wire(response, host, most + most // 1000 + 1024)
        return _inflated(pieces, host, most, is_gzip=encoding != "deflate")
    raise SourceRefused(
        f"{host} packed its answer in a way it was not offered. "
        "Name another address of the same page, or remove the source.",
        code="UNSUPPORTED_ENCODING",
        dependency=host,
    )


def _wire(response: HTTPResponse, host: str, most: int) -> Iterator[bytes]:
    if (response.length or 0) > most:
        raise _too_large(host, most)
    received = 0
    while piece := _piece(response, host):
        received += len(piece)
        if received > most:
            raise _too_large(host, most)
        yield piece
    if response.length:  # what was promised and has not come
        raise _truncated(host)


def _piece(response: HTTPResponse, host: str) -> bytes:
    try:
        return response.read1(PIECE)
    except TimeoutError:
        raise
    except (OSError, HTTPException):
        raise _truncated(host) from None


def _inflated(pieces: Iterator[bytes], host: str, most: int, *, is_gzip: bool) -> bytes:
    plain, inflating = bytearray(), None
    try:
        for piece in pieces:
            data = piece
            while data:
                if inflating is None:
                    inflating = zlib.decompressobj(_GZIP if is_gzip else _window(data))
                # One byte of room beyond the limit tells "exactly" from "more"; 0 is no limit.
                plain += inflating.decompress(data, most + 1 - len(plain))
                if len(plain) > most:
                    raise _too_large(host, most)
                data = inflating.unconsumed_tail
                if inflating.eof:  # gzip may go on with another member, or end with padding
                    data = inflating.unused_data.lstrip(b"\0") if is_gzip else b""
                    inflating = None if data else inflating
    except zlib.error:
        raise SourceUnavailable(
            f"The answer of {host} is damaged: it cannot be decompressed. "
            "It is asked again; if that does not help, remove the source.",
            code="BROKEN_ENCODING",
            dependency=host,
        ) from None
    if inflating is not None and not inflating.eof:
        raise _truncated(host)
    return bytes(plain)


def _window(data: bytes) -> int:
    """Some servers send bare DEFLATE where HTTP's "deflate" means zlib's format."""
    is_zlib = data[0] & 15 == 8 and (len(data) == 1 or int.from_bytes(data[:2], "big") % 31 == 0)
    return _ZLIB if is_zlib else _RAW_DEFLATE


def _too_large(host: str, most: int) -> SourceRefused:
    return SourceRefused(
        f"The answer of {host} is larger than {most:,} bytes. "
        "Name a smaller page that holds what you look for.",
        code="TOO_LARGE",
        dependency=host,
    )


def _truncated(host: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"The answer of {host} broke off before its end. "
        "It is asked again; if that does not help, see whether the page loads in a browser.",
        code="TRUNCATED",
        dependency=host,
    )
