"""Bodies: endless, packed, packed as bombs, and broken off."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard

from lambdas.adapters.http_encodings import ALWAYS, STEP, offered, unpacked
from tests.adapters.fetching import fetched, field_case, outcome, refused, unavailable
from tests.fakes.raw_site import LONG, Answer, answered, public_web, site

PROJECT = Path(__file__).parents[2]

# Size


def test_a_body_of_exactly_the_limit_is_accepted_and_one_byte_more_is_not() -> None:
    with site(answered(b"x" * 5000)) as server:
        assert len(fetched(server, most_bytes=5000).body) == 5000
        assert refused(server, most_bytes=4999).code == "TOO_LARGE"


def test_an_endless_body_ends_at_the_limit() -> None:
    def endless(_: str) -> Answer:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"a" * 10_000

    with site(endless) as server:
        assert refused(server, most_bytes=100_000).code == "TOO_LARGE"


def test_what_says_to_be_too_large_is_not_waited_for() -> None:
    with site(lambda _: [answered(b"", length=10**12), LONG]) as server:
        assert refused(server).code == "TOO_LARGE"


def test_more_than_the_promised_length_is_not_read() -> None:
    with site(answered(b"0123456789" * 100_000, length=10)) as server:
        assert fetched(server).body == b"0123456789"


def raw_deflate(plain: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packing.compress(plain) + packing.flush()


def test_an_endless_packed_nothing_ends_at_the_limit() -> None:
    def endless(_: str) -> Answer:
        yield b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n"
        while True:
            yield b"\0\0\0\xff\xff" * 2000  # stored blocks of no bytes

    with site(endless) as server:
        assert refused(server, most_bytes=100_000).code == "TOO_LARGE"


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    (
        "GZip",
        lambda plain: (
            gzip.compress(plain[:7], mtime=0) + gzip.compress(plain[7:], mtime=0) + b"\0\0"
        ),
    ),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
    ("zstd", lambda plain: zstandard.compress(plain[:7]) + zstandard.compress(plain[7:])),
    ("identity, gzip", gzip.compress),
]


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_packed_bodies_are_unpacked_up_to_the_limit(
    encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(b"0123456789" * 500)
    with site(answered(packed, f"Content-Encoding: {encoding}")) as server:
        assert fetched(server, most_bytes=5000).body == b"0123456789" * 500
        assert refused(server, most_bytes=4999).code == "TOO_LARGE"


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_packed_bodies_may_come_in_any_pieces(
    encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(b"0123456789" * 500)
    head = answered(b"", f"Content-Encoding: {encoding}", length=len(packed))
    pieces = [part for byte in packed for part in (bytes([byte]), 0.0005)]
    with site(lambda _: [head, *pieces]) as server:
        assert fetched(server, most_bytes=5000).body == b"0123456789" * 500


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_a_bomb_goes_off_in_no_more_than_a_few_times_the_limit(
    encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    limit = 500_000
    bomb = pack(bytes(20_000_000))
    with site(answered(bomb, f"Content-Encoding: {encoding}")) as server:
        tracemalloc.start()
        try:
            assert refused(server, most_bytes=limit).code == "TOO_LARGE"
            assert tracemalloc.get_traced_memory()[1] < 4 * limit
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["compress", "gzip, gzip", "gzip, br", "dcz", "any"])
def test_an_encoding_that_was_not_offered_is_refused(encoding: str) -> None:
    with site(answered(b"any", f"Content-Encoding: {encoding}")) as server:
        assert refused(server).code == "UNSUPPORTED_ENCODING"


def test_twice_packed_in_two_fields_is_refused_too() -> None:
    twice = ("Content-Encoding: gzip", "Content-Encoding: gzip")
    with site(answered(gzip.compress(gzip.compress(b"any", mtime=0), mtime=0), *twice)) as server:
        assert refused(server).code == "UNSUPPORTED_ENCODING"


def test_a_function_without_the_packages_offers_and_takes_only_what_it_has() -> None:
    with site(answered(brotli.compress(b"any"), "Content-Encoding: br")) as server:
        fetcher = public_web(server).fetcher(encodings=ALWAYS)
        assert outcome(fetcher, "http://public.test/") == "UNSUPPORTED_ENCODING"
    assert server.sent("Accept-Encoding") == ["gzip, deflate"]


def test_the_packages_are_imported_where_an_answer_needs_them_and_not_before() -> None:
    script = (
        "import sys, lambdas.adapters.http_fetcher as fetcher\n"
        "fetcher.HttpFetcher(user_agent='any')\n"
        "print({'brotli', 'zstandard', 'email.parser', 'http.client'} & set(sys.modules))"
    )
    told = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=PROJECT)  # noqa: S603 ours
    assert told.strip() == "set()"


def test_what_follows_a_whole_member_and_is_none_is_not_looked_at() -> None:
    packed = gzip.compress(b"whole", mtime=0) + b"\n<!-- added by a careless server -->"
    with site(answered(packed, "Content-Encoding: gzip")) as server:
        assert fetched(server).body == b"whole"


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_no_page_grows_as_much_as_a_bomb_does(encoding: str) -> None:
    pack = dict(PACKED)[encoding]
    with site(answered(pack(bytes(1_500_000)), f"Content-Encoding: {encoding}")) as server:
        error = refused(server)
    assert error.code == "TOO_LARGE"
    assert "grows more than 250 times" in str(error)


def test_a_dense_page_below_the_suspicious_size_is_read() -> None:
    with site(answered(gzip.compress(bytes(900_000), mtime=0), "Content-Encoding: gzip")) as server:
        assert len(fetched(server).body) == 900_000


def zstd_frame(blocks: bytes, window_log: int) -> bytes:
    """By hand, because no packer makes these."""
    return b"\x28\xb5\x2f\xfd" + bytes([0, window_log - 10 << 3]) + blocks


def zstd_run(length: int, *, is_last: bool = False) -> bytes:
    """Four bytes that stand for so many."""
    return (length << 3 | 1 << 1 | is_last).to_bytes(3, "little") + b"a"


def test_zstandards_longest_runs_do_not_fill_the_memory_at_once() -> None:
    runs = zstd_frame(zstd_run(131_072) * 500 + zstd_run(1, is_last=True), 23)
    sizes = [len(step) for step in unpacked("zstd", [runs])]
    assert sum(sizes) == 500 * 131_072 + 1
    assert max(sizes) <= 2 * STEP


def test_zstandards_window_is_as_large_as_http_allows_and_no_larger() -> None:
    for window_log, code in ((23, "ok"), (24, "BROKEN_ENCODING"), (31, "BROKEN_ENCODING")):
        frame = zstd_frame(zstd_run(9, is_last=True), window_log)
        with site(answered(frame, "Content-Encoding: zstd")) as server:
            assert outcome(public_web(server).fetcher(), "http://public.test/") == code


# Half bodies and damaged ones


@pytest.mark.parametrize(
    "answer",
    [
        answered(b"short", length=300),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnumber\r\nabcde\r\n",
        answered(gzip.compress(b"any" * 99, mtime=0)[:-1], "Content-Encoding: gzip"),
        answered(gzip.compress(b"any" * 99, mtime=0)[:-8], "Content-Encoding: gzip"),
        answered(zlib.compress(b"any" * 99)[:-4], "Content-Encoding: deflate"),
        answered(brotli.compress(b"any" * 99)[:-1], "Content-Encoding: br"),
        answered(zstandard.compress(b"any" * 99)[:-1], "Content-Encoding: zstd"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcde\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5" + b";any" * 999 + b"\r\nabcde",
    ],
)
def test_half_a_body_is_not_taken_for_a_whole_one(answer: bytes) -> None:
    with site(answer) as server:
        assert unavailable(server).code == "TRUNCATED"


@pytest.mark.parametrize("encoding", offered())
def test_a_damaged_encoding_is_told_and_may_be_tried_again(encoding: str) -> None:
    with site(answered(b"not packed at all", f"Content-Encoding: {encoding}")) as server:
        assert unavailable(server).code == "BROKEN_ENCODING"


@pytest.mark.parametrize("encoding", offered())
def test_an_empty_body_needs_no_encoding(encoding: str) -> None:
    with site(answered(b"", f"Content-Encoding: {encoding}")) as server:
        assert fetched(server).body == b""


# The field's own inputs


def test_field_case_c07_bombs_stop_and_the_exact_limit_passes() -> None:
    bomb = answered(field_case("C07_bomb_20MB.gz"), "Content-Encoding: gzip")
    with site(bomb) as server:
        assert refused(server, most_bytes=5_000_000).code == "TOO_LARGE"
    exact = answered(field_case("C07_exact_cap.gz"), "Content-Encoding: gzip")
    with site(lambda _: [exact[:-8], 0.05, exact[-8:]]) as server:
        assert len(fetched(server, most_bytes=5000).body) == 5000
        assert refused(server, most_bytes=4999).code == "TOO_LARGE"
