"""Heads of answers: what they mean, what is wrong with them, and what is no HTTP at all."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BufferedReader, BytesIO

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lambdas.adapters.http_body import body_of
from lambdas.adapters.http_encodings import offered
from lambdas.adapters.http_fetcher import HttpFetcher
from lambdas.adapters.http_framing import read_response
from lambdas.adapters.http_head import BadAnswer
from lambdas.adapters.http_wire import addresses_of
from lambdas.agent.errors import SourceUnavailable, StepError
from tests.adapters.fetching import fetched, field_case, page_of, refused, unavailable
from tests.fakes.raw_site import (
    LONG,
    OTHER_PUBLIC,
    PUBLIC,
    InventedWeb,
    answered,
    public_web,
    site,
)

NOW = datetime(2026, 7, 29, 10, 0, tzinfo=UTC).timestamp()


FINAL = [204, 205, 300, 305, 400, 401, 402, 403, 404, 410, 418, 451, 600, 999]


@pytest.mark.parametrize("status", FINAL)
def test_a_final_status_refuses_the_source(status: int) -> None:
    with site(answered(b"secret words", status=f"{status} Any")) as server:
        error = refused(server)
    assert error.code == f"HTTP_{status}"
    assert error.dependency == "public.test"
    assert f"public.test answered {status}: " in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize("status", ["408 T", "425 E", "429 T", "500 I", "502 B", "503 S", "599 N"])
def test_a_passing_status_may_be_tried_again(status: str) -> None:
    with site(answered(status=status)) as server:
        assert unavailable(server).code == f"HTTP_{status[:3]}"


@pytest.mark.parametrize("status", ["408 T", "425 E", "429 T", "500 I", "503 S", "520 C"])
@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("Wed, 29 Jul 2026 10:00:30 GMT", 30)])
def test_a_busy_source_says_when_to_ask_again(status: str, header: str, seconds: int) -> None:
    answer = answered(b"", f"Retry-After: {header}", status=status)
    assert wait_seconds(answer) == seconds


@pytest.mark.parametrize(("status", "seconds"), [("429 T", 0), ("503 S", 0), ("500 I", None)])
@pytest.mark.parametrize("headers", [[], ["Retry-After: soon"], ["Retry-After: -5"]])
def test_without_a_sensible_hint_a_busy_source_is_told_from_a_broken_one(
    status: str, seconds: int | None, headers: list[str]
) -> None:
    assert wait_seconds(answered(b"", *headers, status=status)) == seconds


def test_two_hints_are_none() -> None:
    twice = answered(b"", "Retry-After: 120", "Retry-After: 60", status="429 T")
    assert wait_seconds(twice) == 0


def test_field_case_c12_a_hint_is_none_or_a_number_up_to_the_limit() -> None:
    case = json.loads(field_case("C12_retry_after.json"))
    for header, _ in case["rows"]:
        waiting = wait_seconds(answered(b"", f"Retry-After: {header}", status="500 I"))
        assert waiting is None or 0 <= waiting <= case["cap_seconds"]


def wait_seconds(answer: bytes) -> float | None:
    with site(answer) as server, pytest.raises(SourceUnavailable) as caught:
        public_web(server).fetcher(now=lambda: NOW).get("http://public.test/", seconds=LONG)
    return caught.value.wait_seconds


# Heads


BODY = b"Content-Length: 3\r\n\r\nabc"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc",
        b"HTTP/1.1 200\r\n" + BODY,
        b"HTTP/1.0 200 OK\r\n" + BODY,
        b"HTTP/1.1 200 caf\xe9 \xff\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nno field at all\r\n: no name\r\nB\xe4d: x\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nX-Folded: a\r\n\tb\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n folded into nothing\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90 + BODY,
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 60_000 + b"\r\n" + BODY,
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n" + BODY,
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\n" + BODY,
        # A length beside chunks does not count.
        CHUNKED + b"Content-Length: 99\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        # Extensions and trailers say nothing of the page.
        CHUNKED + b"\r\n3;any=x\r\nabc\r\n000\r\nX-Sum: any\r\nContent-Length: 0\r\n\r\n",
        CHUNKED + b"\r\n3\nabc\n0\n",
    ],
)
def test_what_browsers_read_is_read(answer: bytes) -> None:
    with site(answer) as server:
        assert fetched(server).body == b"abc"


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-any\r\n",
        b"<p>HTTP/0.9 had no head</p>\r\n\r\n",
        b"HTTP/2 200\r\n" + BODY,
        b"ICY 200 OK\r\n" + BODY,
        b"HTTP/1.1 2000 OK\r\n" + BODY,
        b"HTTP/1.1 099 OK\r\n" + BODY,
        b"HTTP/1.1 -20 OK\r\n" + BODY,
        b"\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: any\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 99,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 101 + BODY,
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 65_536 + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + (b"X: " + b"y" * 50_000 + b"\r\n") * 3 + BODY,
        b"HTTP/1.1 200 " + b"y" * 65_536 + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nX: a\0b\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nX: a\rLocation: /b\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1_0\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\xb2\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n" + BODY,
        b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-2/9\r\n" + BODY,
        b"HTTP/1.1 304 Not Modified\r\n\r\n",  # nobody has asked whether it is
    ],
)
def test_what_is_no_answer_or_could_be_two_is_told(answer: bytes) -> None:
    with site(answer) as server:
        error = unavailable(server)
    assert error.code == "BAD_ANSWER"
    assert "public.test sent something that is no HTTP answer" in str(error)


@pytest.mark.parametrize(
    "half",
    [b"", b"HTTP", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"],
)
def test_half_a_head_is_not_taken_for_a_whole_one(half: bytes) -> None:
    with site(half) as server:
        assert unavailable(server).code == "CONNECT_FAILED"


def test_an_empty_page_is_a_page() -> None:
    """A robots.txt may be one; that there is nothing to read in others is for their reader."""
    with site(answered(b"")) as server:
        assert fetched(server).body == b""


def test_a_body_in_confetti_is_whole() -> None:
    with site(CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n") as server:
        assert fetched(server).body == b"x" * 20_000


WORDS = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 103 Early\r\n\r\n",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    *(f"Content-Encoding: {encoding}\r\n".encode() for encoding in offered()),
    b"\r\n",
    b"3\r\nabc\r\n",
    b"0\r\n\r\n",
    gzip.compress(b"any", mtime=0),
    zstandard.compress(b"any"),
    brotli.compress(b"any"),
]


@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=9)).map(b"".join))
def test_whatever_a_server_sends_is_a_body_or_an_error_of_ours(sent: bytes) -> None:
    try:
        response = read_response(BufferedReader(BytesIO(sent)))
        assert len(body_of(response, "any.test", most=99, offered=offered())) <= 99
    except (BadAnswer, ConnectionError, StepError):
        return


# Connections and names


def test_a_connection_that_is_not_taken_or_breaks_is_told() -> None:
    with pytest.raises(SourceUnavailable) as caught:
        InventedWeb({"public.test": [PUBLIC]}, {}).fetcher().get(
            "http://public.test/", seconds=LONG
        )
    assert caught.value.code == "CONNECT_FAILED"
    assert caught.value.dependency == "public.test"
    with site(b"") as server:
        assert unavailable(server).code == "CONNECT_FAILED"


def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    with site(answered()) as server:
        world = InventedWeb({"public.test": [OTHER_PUBLIC, PUBLIC]}, {PUBLIC: server.port})
        assert page_of(world.fetcher(), "http://public.test:8080/").body == b"any body"
    assert world.connected == [f"{OTHER_PUBLIC}:8080", f"{PUBLIC}:8080"]


@pytest.mark.parametrize("fault", [socket.gaierror("any"), None])
def test_a_name_without_an_address_is_told(fault: OSError | None) -> None:
    def resolve(_: str) -> Sequence[str]:
        if fault:
            raise fault
        return []

    fetcher = HttpFetcher(user_agent="any", resolve=resolve)
    with pytest.raises(
        SourceUnavailable, match=r"name nowhere\.test could not be resolved"
    ) as caught:
        fetcher.get("http://nowhere.test/", seconds=LONG)
    assert caught.value.code == "DNS_FAILED"


def test_the_system_resolver_is_asked_by_default() -> None:
    assert "127.0.0.1" in addresses_of("localhost")
