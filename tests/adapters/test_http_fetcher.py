"""The fetcher against servers that mean no good, on this machine and under invented names."""

from __future__ import annotations

import gzip
import json
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from lambdas.adapters.http_fetcher import HttpFetcher
from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.pages import Page
from tests.adapters.fetching import (
    fetched,
    field_case,
    outcome,
    page_of,
    refused,
    unavailable,
)
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
    public_web,
    site,
)

# An ordinary page


def test_a_page_arrives_with_its_type_and_its_address() -> None:
    with site(answered(b"<p>hi", "Content-Type: text/html; charset=utf-8")) as server:
        page = fetched(server, "/a?b=c")
    assert page == Page(
        url="http://public.test/a?b=c",
        status=200,
        content_type="text/html; charset=utf-8",
        body=b"<p>hi",
    )


def test_the_request_says_who_asks_and_offers_only_encodings_it_can_bound() -> None:
    with site(answered()) as server:
        fetched(server, "/a#part")
    assert server.requests[0].split("\r\n") == [
        "GET /a HTTP/1.1",
        "Host: public.test",
        "User-Agent: Ratchet/0.1 (+any@a.example)",
        "Accept: text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,*/*;q=0.1",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Connection: close",
        "",
        "",
    ]


def test_chunks_and_a_body_without_a_length_are_whole() -> None:
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    with site(chunked) as server:
        assert fetched(server).body == b"abcde"
    with site(b"HTTP/1.0 200 OK\r\n\r\nabcde") as server:
        assert fetched(server).body == b"abcde"


def test_proxies_of_the_environment_are_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    with site(answered()) as server, site(answered(b"a proxy's")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert fetched(server).body == b"any body"
    assert proxy.requests == []


# The guard, at every hop


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "//169.254.169.254/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://127.0.0.1:8080/admin",
        "http://localhost/",
        "http://inner.test/",
        "//inner.test/x",
        "http://mixed.test/",
    ],
)
def test_a_redirect_to_an_inner_address_never_reaches_it(location: str) -> None:
    with site(moved(location)) as server, site(answered(b"secret")) as inner:
        world = InventedWeb(
            {
                "public.test": [PUBLIC],
                "inner.test": ["10.0.0.5"],
                "mixed.test": [OTHER_PUBLIC, "127.0.0.1"],
            },
            {PUBLIC: server.port},
            canary=inner.port,
        )
        with pytest.raises(SourceRefused) as caught:
            world.fetcher().get("http://public.test/", seconds=LONG)
    assert caught.value.code == "BLOCKED_ADDRESS"
    assert world.connected == [f"{PUBLIC}:80"]
    assert inner.requests == []


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://2852039166/", "INVALID_URL"),
        ("http://0xa9fea9fe/", "INVALID_URL"),
        ("http://0251.254.169.254/", "INVALID_URL"),
        ("http://127.1/", "INVALID_URL"),
        ("http://public.test@169.254.169.254/", "INVALID_URL"),
        ("http://[::1", "INVALID_URL"),
        ("file:///etc/hostname", "UNSUPPORTED_SCHEME"),
        ("ftp://public.test/", "UNSUPPORTED_SCHEME"),
        ("", "BAD_REDIRECT"),
    ],
)
def test_a_redirect_to_no_readable_address_is_refused(location: str, code: str) -> None:
    with site(moved(location)) as server:
        assert refused(server).code == code
    assert len(server.requests) == 1


def test_a_name_is_resolved_once_a_hop_and_connected_to_what_was_checked() -> None:
    answers = iter([[PUBLIC], [OTHER_PUBLIC], ["127.0.0.1"]])
    with site(lambda path: [moved("/b") if path == "/a" else answered()]) as server:
        world = InventedWeb({}, {PUBLIC: server.port, OTHER_PUBLIC: server.port})
        fetcher = HttpFetcher(
            user_agent="any", resolve=lambda _: next(answers), connect=world.connect
        )
        assert fetcher.get("http://rebinding.test/a", seconds=LONG).url.endswith("/b")
        assert world.connected == [f"{PUBLIC}:80", f"{OTHER_PUBLIC}:80"]
        with pytest.raises(SourceRefused) as caught:
            fetcher.get("http://rebinding.test/a", seconds=LONG)
    assert caught.value.code == "BLOCKED_ADDRESS"
    assert len(server.requests) == 2


def test_the_loopback_site_is_read_and_may_be_redirected_to() -> None:
    with site(lambda path: [moved("/b") if path == "/a" else answered(b"home")]) as home:
        here = f"127.0.0.1:{home.port}"
        fetcher = HttpFetcher(user_agent="any", loopback_site=here)
        assert page_of(fetcher, f"http://{here}/a").body == b"home"


def test_nothing_of_this_machine_is_read_but_the_loopback_site() -> None:
    with site(answered()) as home, site(answered()) as other:
        here = f"127.0.0.1:{home.port}"
        fetcher = HttpFetcher(user_agent="any", loopback_site=here)
        for url in (f"http://127.0.0.1:{other.port}/", f"http://localhost:{home.port}/"):
            with pytest.raises(SourceRefused) as caught:
                fetcher.get(url, seconds=LONG)
            assert caught.value.code == "BLOCKED_ADDRESS"
    assert home.requests == other.requests == []


# Time


@pytest.mark.promise("R18")
@pytest.mark.parametrize(
    ("head", "drops"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b"x" * 999),
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 999),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999\r\n\r\n",
            gzip.compress(os.urandom(999), mtime=0),
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 99),
        (b"", b""),
    ],
    ids=["body", "headers", "gzip", "chunks", "silence"],
)
def test_a_server_that_drips_is_left_at_the_deadline(head: bytes, drops: bytes) -> None:
    with site(drip(head, drops)) as server:
        assert unavailable(server, seconds=SHORT).code == "DEADLINE"


@pytest.mark.promise("R18")
def test_all_hops_share_one_deadline() -> None:
    with site(lambda p: [SHORT / 3, moved(p + "x")]) as server:
        assert unavailable(server, seconds=SHORT).code == "DEADLINE"


@pytest.mark.promise("R18")
def test_a_resolver_that_hangs_is_left_at_the_deadline() -> None:
    over = Event()

    def hang(_: str) -> Sequence[str]:
        over.wait(LONG)
        return [PUBLIC]

    fetcher = HttpFetcher(user_agent="any", resolve=hang)
    with pytest.raises(SourceUnavailable) as caught:
        fetcher.get("http://public.test/", seconds=SHORT)
    over.set()
    assert caught.value.code == "DEADLINE"


def test_no_time_at_all_is_a_deadline_and_no_request() -> None:
    with site(answered()) as server:
        assert unavailable(server, seconds=0).code == "DEADLINE"
    assert server.requests == []


def test_an_address_is_given_only_its_share_of_the_time() -> None:
    given: list[float] = []

    def connect(_address: str, _port: int, seconds: float) -> socket.socket:
        given.append(seconds)
        raise TimeoutError

    fetcher = HttpFetcher(
        user_agent="any", resolve=lambda _: [PUBLIC, OTHER_PUBLIC], connect=connect, clock=lambda: 7
    )
    with pytest.raises(SourceUnavailable) as caught:
        fetcher.get("http://public.test/", seconds=8)
    assert given == [5, 5]
    assert caught.value.code == "CONNECT_FAILED"


# TLS


def test_the_certificate_is_checked_against_the_name_not_the_address(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    with site(answered(), secured) as server:
        world = InventedWeb(
            {"public.test": [PUBLIC], "other.test": [PUBLIC]}, {PUBLIC: server.port}
        )
        fetcher = world.fetcher(trust=trust)
        assert page_of(fetcher, "https://public.test/").body == b"any body"
        with pytest.raises(SourceRefused) as caught:
            fetcher.get("https://other.test/", seconds=LONG)
    assert caught.value.code == "BAD_CERTIFICATE"
    assert world.connected == [f"{PUBLIC}:443"] * 2
    assert len(server.requests) == 1


def test_a_certificate_nobody_vouches_for_is_refused(secured: ssl.SSLContext) -> None:
    with site(answered(), secured) as server, pytest.raises(SourceRefused) as caught:
        public_web(server).fetcher().get("https://public.test/", seconds=LONG)
    assert caught.value.code == "BAD_CERTIFICATE"
    assert server.requests == []


@pytest.mark.promise("R18")
def test_a_server_that_never_shakes_hands_is_left_at_the_deadline() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    with listening, pytest.raises(SourceUnavailable) as caught:
        HttpFetcher(
            user_agent="any",
            resolve=lambda _: [PUBLIC],
            connect=lambda *_: socket.create_connection(listening.getsockname()),
        ).get("https://public.test/", seconds=SHORT)
    assert caught.value.code == "DEADLINE"


def test_who_speaks_no_tls_is_told_from_who_is_not_there() -> None:
    with site(b"") as deaf:
        fetcher = public_web(deaf).fetcher()
        assert outcome(fetcher, "https://public.test/", seconds=SHORT) == "DEADLINE"
    for greeting, code in ((b"220 any.test ESMTP\r\n", "TLS_FAILED"), (b"", "CONNECT_FAILED")):
        listening = socket.create_server(("127.0.0.1", 0))
        with listening, ThreadPoolExecutor() as other:
            greeted = other.submit(greet, listening, greeting)
            world = InventedWeb({"public.test": [PUBLIC]}, {PUBLIC: listening.getsockname()[1]})
            assert outcome(world.fetcher(), "https://public.test/") == code
            greeted.result()


def greet(listening: socket.socket, greeting: bytes) -> None:
    """Read what comes, say this whatever it was, and go."""
    connection, _ = listening.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(greeting)


def test_half_a_body_over_tls_is_told(secured: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    with site(answered(b"half", length=99), secured) as server:
        fetcher = public_web(server).fetcher(trust=trust)
        assert outcome(fetcher, "https://public.test/") == "TRUNCATED"


def test_a_drip_over_tls_is_left_at_the_deadline(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"
    with site(drip(head, b"x" * 999), secured) as server:
        fetcher = public_web(server).fetcher(trust=trust)
        with pytest.raises(SourceUnavailable) as caught:
            fetcher.get("https://public.test/", seconds=SHORT)
    assert caught.value.code == "DEADLINE"


def test_https_does_not_lead_to_http_but_http_leads_to_https(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    with site(moved("http://public.test/x"), secured) as server:
        with pytest.raises(SourceRefused) as caught:
            public_web(server).fetcher(trust=trust).get("https://public.test/", seconds=LONG)
        assert caught.value.code == "INSECURE_REDIRECT"
    with site(answered(), secured) as safe, site(moved("https://1.1.1.1/")) as plain:
        ports = {PUBLIC: plain.port, OTHER_PUBLIC: safe.port}
        world = InventedWeb({"public.test": [PUBLIC]}, ports)
        page = world.fetcher(trust=trust).get("http://public.test/", seconds=LONG)
    assert page.url == "https://1.1.1.1/"
    assert world.resolved == ["public.test"]


# The field's own inputs


def test_field_case_c01_redirects_end_as_they_must() -> None:
    case = json.loads(field_case("C01_redirects.json"))
    for chain in case["chains"]:
        with site(told_by(chain)) as server, site(answered()) as inner:
            ports = {PUBLIC: server.port}
            world = InventedWeb(case["resolver"], ports, canary=inner.port)
            found = outcome(world.fetcher(), chain["start"])
        assert found == chain["expect"] or (found, chain["hops"]) == ("BAD_REDIRECT", [["302", ""]])
        assert inner.requests == []


def told_by(chain: dict[str, Any]) -> Callable[[str], Answer]:
    """A server that sends its readers from hop to hop."""
    places = [chain["start"], *(text for _, text in chain["hops"])]
    answers = {
        place.removeprefix("http://public.test"): (
            answered(text.encode()) if status == "200" else moved(text, status=f"{status} Any")
        )
        for place, (status, text) in zip(places, chain["hops"], strict=False)
    }
    return lambda path: [answers[path]]


def test_field_case_c04_names_of_inner_addresses_open_no_connection() -> None:
    case = json.loads(field_case("C04_ipv4_spellings.json"))
    names: dict[str, Sequence[str]] = {
        name: [address] for name, address in case["resolver_for_names"].items()
    }
    world = InventedWeb(names, {})
    for url in case["all_refused"] + case["names_refused"]:
        assert outcome(world.fetcher(), url) in {"BLOCKED_ADDRESS", "INVALID_URL"}
    assert world.connected == []


@pytest.mark.parametrize("part", [0, 1])
def test_field_case_c06_drips_end_at_the_deadline(part: int) -> None:
    chunks = json.loads(field_case("C06_drip.json"))["parts"][part]["chunks"]
    sent = [item for text, pause in chunks for item in (pause, text.encode())]
    with site(lambda _: sent) as server:
        assert unavailable(server, seconds=SHORT).code == "DEADLINE"
