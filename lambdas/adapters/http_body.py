"""The body of an HTTP answer: whole, unpacked, and never more than its limit in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lambdas.adapters.http_encodings import ALWAYS, Damaged, encoding_named, unpacked
from lambdas.adapters.http_framing import BrokenOff, Response
from lambdas.agent.errors import SourceRefused, SourceUnavailable

UNSUSPICIOUS = 1_000_000
"""Up to so many bytes a body may be packed as tightly as it can."""
MOST_RATIO = 250
"""Beyond it no page grows when it is unpacked: tables and lists grow tenfold to fiftyfold."""


def body_of(
    response: Response, host: str, *, most: int, offered: Collection[str] = ALWAYS
) -> bytes:
    """At most so many bytes, on the wire and unpacked.

    SourceRefused where there are more, or where they are packed in a way that was not offered;
    SourceUnavailable where the answer breaks off.
    """
    encoding = encoding_named(response.head.get("Content-Encoding"))
    if encoding and encoding not in offered:
        raise _refused(
            host,
            "UNSUPPORTED_ENCODING",
            f"{host} packed its answer in a way it was not offered. "
            "Name another address of the same page, or remove the source.",
        )
    # What cannot be made smaller grows by its frame: gzip's head and tail, a mark a block.
    wire = _Wire(response, host, most + most // 1000 + 1024 if encoding else most)
    try:
        return _gathered(unpacked(encoding, wire) if encoding else wire, wire, host, most)
    except TimeoutError:
        raise
    except (OSError, BrokenOff):
        raise _unavailable(host, "TRUNCATED", "broke off before its end") from None
    except Damaged:
        raise _unavailable(host, "BROKEN_ENCODING", "is damaged: it cannot be unpacked") from None


class _Wire:
    """The body as it comes, counted."""

    def __init__(self, response: Response, host: str, most: int) -> None:
        self._response = response
        self._host = host
        self._most = most
        self.received = 0

    def __iter__(self) -> Iterator[bytes]:
        if (self._response.length or 0) > self._most:  # it need not be waited for
            raise _too_large(self._host, self._most)
        for piece in self._response.pieces:
            self.received += len(piece)
            if self.received > self._most:
                raise _too_large(self._host, self._most)
            yield piece


def _gathered(steps: Iterable[bytes], wire: _Wire, host: str, most: int) -> bytes:
    plain = bytearray()
    for step in steps:
        plain += step
        if len(plain) > most:
            raise _too_large(host, most)
        if len(plain) > max(UNSUSPICIOUS, MOST_RATIO * wire.received):
            raise _refused(
                host,
                "TOO_LARGE",
                f"The answer of {host} grows more than {MOST_RATIO} times when it is unpacked, as "
                "no page does. Name another address, or remove the source.",
            )
    return bytes(plain)


def _too_large(host: str, most: int) -> SourceRefused:
    return _refused(
        host,
        "TOO_LARGE",
        f"The answer of {host} is larger than {most:,} bytes. "
        "Name a smaller page that holds what you look for.",
    )


def _refused(host: str, code: str, sentence: str) -> SourceRefused:
    return SourceRefused(sentence, code=code, dependency=host)


def _unavailable(host: str, code: str, what: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"The answer of {host} {what}. "
        "It is asked again; if that does not help, see whether the page loads in a browser.",
        code=code,
        dependency=host,
    )
