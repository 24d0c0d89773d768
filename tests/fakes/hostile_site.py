"""A site where every page is a trap, with the way in which a reader must come out of each.

`python -m tests.fakes.hostile_site PORT CANARY` reads them all from a server on PORT, and tells
what came of it and how much memory it took. What is sent anywhere else reaches CANARY.
"""

from __future__ import annotations

import gzip
import json
import re
import resource
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import brotli
import zstandard

from lambdas.agent.errors import StepError
from tests.fakes.raw_site import (
    LONG,
    OTHER_PUBLIC,
    PUBLIC,
    SHORT,
    Answer,
    InventedWeb,
    answered,
    drip,
    moved,
)

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
TO_THE_METADATA = (
    "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    "//169.254.169.254/",
    "http://169.254.169.254.:80/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xA9.0xFE.0xA9.0xFE/",
    "http://0251.0376.0251.0376/",
    "http://025177524776/",
    "http://0xa9.254.0251.254/",
    "http://169.254.43518/",
    "http://169.16689662/",
    "http://%31%36%39.254.169.254/",
    "http://\uff11\uff16\uff19.254.169.254/",
    "http://\u2460\u2465\u2468.254.169.254/",
    "http://169\u3002254\u3002169\u3002254/",
    "http://public.test@169.254.169.254/",
    "http://169.254.169.254#@public.test/",
    "http://public.test\\@169.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[0:0:0:0:0:ffff:169.254.169.254]/",
    "http://[::169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[fe80::a9fe:a9fe%25eth0]/",
    "http://[fd00:ec2::254]/",
    "http://metadata.test/",
    "http://mapped.test/",
    "http://mixed.test/",
    "http://localhost/",
    "gopher://169.254.169.254:80/_GET",
    "https:169.254.169.254",
)
"""How to say 169.254.169.254, or to lead there or to this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """`ends` are the codes of the outcome, of which any is right."""

    answer: Callable[[str], Answer]
    ends: frozenset[str]
    seconds: float = LONG


def _trap(ends: str, answer: bytes | Callable[[str], Answer], seconds: float = LONG) -> Trap:
    always = (lambda _: [answer]) if isinstance(answer, bytes) else answer
    return Trap(answer=always, ends=frozenset(ends.split()), seconds=seconds)


def _endless(head: bytes, more: bytes) -> Callable[[str], Answer]:
    return lambda _: chain([head], repeat(more))


def _packed(encoding: str, body: bytes) -> bytes:
    return answered(body, f"Content-Encoding: {encoding}")


def _bomb(pack: Callable[[Iterator[bytes]], Iterable[bytes]]) -> bytes:
    """300 MB of nothing, packed."""
    return b"".join(pack(repeat(bytes(1_000_000), 300)))


def _gzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packing = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    yield from (packing.compress(piece) for piece in pieces)
    yield packing.flush()


def _brotlied(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packing = brotli.Compressor(quality=1)
    yield from (packing.process(piece) for piece in pieces)
    yield packing.finish()


def _zstandarded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packing = zstandard.ZstdCompressor(level=1).compressobj()
    yield from (packing.compress(piece) for piece in pieces)
    yield packing.flush()


def _lazily(encoding: str, bomb: Callable[[], bytes]) -> Callable[[str], Answer]:
    return lambda _: [_packed(encoding, bomb())]


def _onward(path: str) -> Answer:
    """/chain/0 leads to /chain/1, and so on."""
    number = int(re.sub(r"\D", "", path) or 0)
    return [moved(f"/chain/{number + 1}") if number < 30 else answered()]


TRAPS: Mapping[str, Trap] = {
    "slow-body": _trap("DEADLINE", drip(OK + b"Content-Length: 999\r\n\r\n", b"x" * 999), SHORT),
    "slow-head": _trap("DEADLINE", drip(OK + b"X-Slow: ", b"x" * 999), SHORT),
    "slow-status": _trap("DEADLINE", drip(b"", OK), SHORT),
    "slow-gzip": _trap(
        "DEADLINE",
        drip(OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"any" * 99, mtime=0)),
        SHORT,
    ),
    "slow-chunks": _trap("DEADLINE", drip(CHUNKED, b"1\r\nx\r\n" * 99), SHORT),
    "slow-interim": _trap("DEADLINE", drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 9), SHORT),
    "silence": _trap("DEADLINE", drip(b"", b""), SHORT),
    "endless-body": _trap("TOO_LARGE", _endless(OK + b"\r\n", bytes(65_536))),
    "endless-chunks": _trap("TOO_LARGE", _endless(CHUNKED, b"ffff\r\n" + bytes(0xFFFF) + b"\r\n")),
    "endless-chunk-size": _trap("TRUNCATED", _endless(CHUNKED, b"0" * 4096)),
    "endless-fields": _trap("BAD_ANSWER", _endless(OK, b"X-Any: x\r\n" * 99)),
    "endless-field": _trap("BAD_ANSWER", _endless(OK + b"X-Any: ", b"x" * 4096)),
    "endless-status": _trap("BAD_ANSWER", _endless(b"HTTP/1.1 200 ", b"x" * 4096)),
    "endless-interim": _trap("BAD_ANSWER", _endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n")),
    "endless-cookies": _trap("BAD_ANSWER", _endless(OK, b"Set-Cookie: a=" + b"x" * 4000 + b"\r\n")),
    "endless-gzip-members": _trap(
        "TOO_LARGE",
        _endless(OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"", mtime=0) * 999),
    ),
    "endless-zstd-frames": _trap(
        "TOO_LARGE",
        _endless(OK + b"Content-Encoding: zstd\r\n\r\n", zstandard.compress(b"") * 999),
    ),
    "ten-gigabytes-declared": _trap("TOO_LARGE", lambda _: [answered(b"x", length=10**10), LONG]),
    "bomb-gzip": _trap("TOO_LARGE", _lazily("gzip", partial(_bomb, _gzipped))),
    "bomb-br": _trap("TOO_LARGE", _lazily("br", partial(_bomb, _brotlied))),
    "bomb-zstd": _trap("TOO_LARGE", _lazily("zstd", partial(_bomb, _zstandarded))),
    "bomb-zstd-window": _trap(
        "BROKEN_ENCODING", _packed("zstd", b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")
    ),
    "bomb-in-a-bomb": _trap(
        "UNSUPPORTED_ENCODING", _packed("gzip, gzip", gzip.compress(b"any", mtime=0))
    ),
    "half-body": _trap("TRUNCATED", answered(b"half", length=999)),
    "half-chunk": _trap("TRUNCATED", CHUNKED + b"ff\r\nhalf"),
    "half-gzip": _trap("TRUNCATED", _packed("gzip", gzip.compress(b"any" * 99, mtime=0)[:-9])),
    "half-br": _trap("TRUNCATED", _packed("br", brotli.compress(b"any" * 99)[:-2])),
    "half-zstd": _trap("TRUNCATED", _packed("zstd", zstandard.compress(b"any" * 99)[:-2])),
    "half-head": _trap("CONNECT_FAILED", OK + b"Content-Length: 4\r\n"),
    "nothing": _trap("CONNECT_FAILED", b""),
    "two-lengths": _trap("BAD_ANSWER", answered(b"any", "Content-Length: 2")),
    "negative-length": _trap("BAD_ANSWER", answered(b"any", length=-3)),
    "negative-chunk": _trap("TRUNCATED", CHUNKED + b"-3\r\nany\r\n0\r\n\r\n"),
    "more-than-promised": _trap("ok", answered(b"any" * 99_999, length=3)),
    "no-head": _trap("BAD_ANSWER", b"<p>HTTP/0.9\r\n"),
    "nul": _trap("BAD_ANSWER", OK + b"X: a\0b\r\n\r\n"),
    "partial": _trap("BAD_ANSWER", answered(status="206 Partial Content")),
    "unasked-304": _trap("BAD_ANSWER", answered(b"", status="304 Not Modified")),
    "storm": _trap("HTTP_429", answered(b"", "Retry-After: 1", status="429 Too Many Requests")),
    "chain": _trap("TOO_MANY_REDIRECTS", _onward),
    "self": _trap("REDIRECT_LOOP", lambda path: [moved(path)]),
    "growing": _trap("TOO_MANY_REDIRECTS", lambda path: [moved(f"{path}/x")]),
    "nowhere": _trap("BAD_REDIRECT", moved("")),
    "rebinding": _trap("BLOCKED_ADDRESS", lambda path: [moved(f"http://rebinding.test{path}/x")]),
    "by-meta": _trap(
        "BLOCKED_ADDRESS",
        answered(
            b"<meta http-equiv=refresh content='0;url=http://169.254.169.254/'>",
            "Content-Type: text/html",
        ),
    ),
    **{
        f"metadata-{number}": _trap("BLOCKED_ADDRESS INVALID_URL UNSUPPORTED_SCHEME", moved(url))
        for number, url in enumerate(TO_THE_METADATA)
    },
}


def answer(path: str) -> Answer:
    """What the server says at /<name of the trap>, and below it."""
    return TRAPS[path.split("/")[1]].answer(path)


class _ChangingWeb(InventedWeb):
    """rebinding.test is public when it is asked for first, and this machine from then on."""

    def resolve(self, host: str) -> Sequence[str]:
        if host == "rebinding.test" and host in self.resolved:
            return ["127.0.0.1"]
        return super().resolve(host)


def read_all(port: int, canary: int) -> dict[str, str]:
    """The outcome of each trap."""
    names = {
        "public.test": [PUBLIC],
        "metadata.test": ["169.254.169.254"],
        "mapped.test": ["::ffff:169.254.169.254"],
        "mixed.test": [OTHER_PUBLIC, "127.0.0.1"],
        "localhost": ["127.0.0.1", "::1"],
        "rebinding.test": [PUBLIC],
    }
    fetcher = _ChangingWeb(names, {PUBLIC: port}, canary).fetcher()

    def outcome(name: str) -> str:
        try:
            fetcher.get(f"http://public.test/{name}", seconds=TRAPS[name].seconds)
        except StepError as error:
            return error.code
        return "ok"

    return {name: outcome(name) for name in TRAPS}


def peak_bytes() -> int:
    """The most memory this process has had, as the kernel counts it."""
    status = Path("/proc/self/status")
    if not status.exists():  # macOS, which counts in bytes; elsewhere this number may be a parent's
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) * 1024


if __name__ == "__main__":
    outcomes = read_all(int(sys.argv[1]), int(sys.argv[2]))
    json.dump({"outcomes": outcomes, "peak": peak_bytes()}, sys.stdout)
