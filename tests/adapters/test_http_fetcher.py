"""The fetcher against servers that mean no good, on this machine and under invented names."""

from __future__ import annotations

import gzip
import json
import os
import socket
import ssl
import tracemalloc
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lambdas.adapters.http_fetcher import HttpFetcher, Limits
from lambdas.adapters.http_wire import addresses_of
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError
from lambdas.agent.model import Page

INPUTS = Path(__file__).parents[2] / ".." / "shared" / "cases" / "inputs"

PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "1.1.1.1"
LONG = 20.0
"""Seconds: more than any exchange here takes."""
SHORT = 0.4
"""Seconds: the whole budget where a server would take for ever."""

Answer = Iterable[bytes | float]
"""What a server sends, with pauses in seconds between."""


class Site:
    """A web server that says exactly what it is told to, byte for byte."""

    def __init__(self, answer: Callable[[str], Answer], tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[str] = []
        self._answer = answer
        self._tls = tls
        self._over = Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.02)
        self.port: int = self._listening.getsockname()[1]
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def paths(self) -> list[str]:
        return [request.split(" ")[1] for request in self.requests]

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listening.accept()
            except TimeoutError:
                continue
            self._threads.append(Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(LONG)
        try:
            with connection:
                if self._tls is None:
                    self._talk(connection)
                else:
                    with self._tls.wrap_socket(connection, server_side=True) as secured:
                        self._talk(secured)
        except OSError:
            return  # the reader went away, as it should

    def _talk(self, connection: socket.socket) -> None:
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            piece = connection.recv(65_536)
            if not piece:
                return
            request += piece
        self.requests.append(request.decode())
        for part in self._answer(self.paths[-1]):
            if isinstance(part, bytes):
                connection.sendall(part)
            elif self._over.wait(part):
                return


@contextmanager
def site(
    answer: Callable[[str], Answer] | bytes, tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    always = (lambda _: [answer]) if isinstance(answer, bytes) else answer
    with closing(Site(always, tls)) as running:
        yield running


def answered(
    body: bytes = b"any body", *headers: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    length = len(body) if length is None else length
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {length}", *headers, "", "")
    return "\r\n".join(lines).encode("latin-1") + body


def moved(location: str, status: str = "302 Found") -> bytes:
    return answered(b"", f"Location: {location}", status=status)


class World:
    """Names, addresses and which server stands behind each address; nothing else exists."""

    def __init__(self, names: dict[str, Sequence[str]], servers: dict[str, Site]) -> None:
        self.names = names
        self.servers = servers
        self.resolved: list[str] = []
        self.connected: list[str] = []

    def resolve(self, host: str) -> Sequence[str]:
        self.resolved.append(host)
        return self.names[host]

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        self.connected.append(f"{address}:{port}")
        if address not in self.servers:
            raise ConnectionRefusedError
        return socket.create_connection(("127.0.0.1", self.servers[address].port), seconds)

    def fetcher(self, **options: Any) -> HttpFetcher:
        return HttpFetcher(
            user_agent="Ratchet/0.1 (+any@a.example)",
            resolve=self.resolve,
            connect=self.connect,
            **options,
        )


def public_world(server: Site) -> World:
    return World({"public.test": [PUBLIC]}, {PUBLIC: server})


def fetched(server: Site, path: str = "/", *, seconds: float = LONG, **limits: Any) -> Page:
    fetcher = public_world(server).fetcher(limits=Limits(**limits))
    return fetcher.get(f"http://public.test{path}", seconds=seconds)


def refused(server: Site, path: str = "/", **options: Any) -> StepError:
    with pytest.raises(SourceRefused) as caught:
        fetched(server, path, **options)
    return caught.value


def unavailable(server: Site, path: str = "/", **options: Any) -> StepError:
    with pytest.raises(SourceUnavailable) as caught:
        fetched(server, path, **options)
    return caught.value


def field_case(name: str) -> bytes:
    path = INPUTS / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this repository: the tests beside this one cover it")
    return path.read_bytes()


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
        "Accept-Encoding: gzip, deflate",
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
        world = World(
            {
                "public.test": [PUBLIC],
                "inner.test": ["10.0.0.5"],
                "mixed.test": [OTHER_PUBLIC, "127.0.0.1"],
            },
            {PUBLIC: server, OTHER_PUBLIC: inner, "10.0.0.5": inner, "127.0.0.1": inner},
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
        ("http://[::1", "BAD_REDIRECT"),
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
        world = World({}, {PUBLIC: server, OTHER_PUBLIC: server})
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
        assert fetcher.get(f"http://{here}/a", seconds=LONG).body == b"home"


def test_nothing_of_this_machine_is_read_but_the_loopback_site() -> None:
    with site(answered()) as home, site(answered()) as other:
        here = f"127.0.0.1:{home.port}"
        fetcher = HttpFetcher(user_agent="any", loopback_site=here)
        for url in (f"http://127.0.0.1:{other.port}/", f"http://localhost:{home.port}/"):
            with pytest.raises(SourceRefused) as caught:
                fetcher.get(url, seconds=LONG)
            assert caught.value.code == "BLOCKED_ADDRESS"
    assert home.requests == other.requests == []


# Redirects


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 T", "308 P"])
@pytest.mark.parametrize("location", ["../c?d=e", "/c?d=e", "//public.test/c?d=e"])
def test_relative_redirects_lead_on(status: str, location: str) -> None:
    with site(lambda p: [answered() if p == "/c?d=e" else moved(location, status)]) as server:
        assert fetched(server, "/a/b").url == "http://public.test/c?d=e"
    assert server.paths == ["/a/b", "/c?d=e"]


def test_a_location_in_bare_utf8_is_read_as_browsers_do() -> None:
    location = "/caf\u00e9".encode().decode("latin-1")
    with site(lambda p: [moved(location) if p == "/" else answered()]) as server:
        assert fetched(server).url == "http://public.test/caf%C3%A9"


def test_circles_end() -> None:
    with site(moved("/a")) as server:
        assert refused(server, "/a").code == "REDIRECT_LOOP"
    with site(lambda p: [moved("/d" if p == "/c" else "/c")]) as server:
        assert refused(server, "/c").code == "REDIRECT_LOOP"
    assert server.paths == ["/c", "/d"]


def test_chains_end_behind_the_fifth_redirect() -> None:
    with site(lambda p: [moved(f"/{int(p[1:]) + 1}") if p != "/5" else answered()]) as server:
        assert fetched(server, "/0").url == "http://public.test/5"
    with site(lambda p: [moved(p + "x")]) as server:
        assert refused(server, "/e?q=").code == "TOO_MANY_REDIRECTS"
    assert len(server.requests) == 6


# Time


def drip(head: bytes, drops: bytes) -> Callable[[str], Answer]:
    def answer(_: str) -> Answer:
        yield head
        for drop in drops:
            yield bytes([drop])
            yield 0.05

    return answer


@pytest.mark.promise("R18")
@pytest.mark.parametrize(
    ("head", "drops"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b"x" * 999),
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 999),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999\r\n\r\n",
            gzip.compress(os.urandom(999)),
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 99),
        (b"", b""),
    ],
    ids=["body", "headers", "gzip", "chunks", "silence"],
)
def test_a_server_that_drips_is_left_at_the_deadline(head: bytes, drops: bytes) -> None:
    def answer(_: str) -> Answer:
        yield from drip(head, drops)(_)
        yield LONG

    with site(answer) as server:
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
    ("GZip", lambda plain: gzip.compress(plain[:7]) + gzip.compress(plain[7:]) + b"\0\0"),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
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


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "any"])
def test_an_encoding_that_was_not_offered_is_refused(encoding: str) -> None:
    with site(answered(b"any", f"Content-Encoding: {encoding}")) as server:
        assert refused(server).code == "UNSUPPORTED_ENCODING"


# Broken answers


@pytest.mark.parametrize(
    "answer",
    [
        answered(b"short", length=300),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnumber\r\nabcde\r\n",
        answered(gzip.compress(b"any" * 99)[:-1], "Content-Encoding: gzip"),
        answered(gzip.compress(b"any" * 99)[:-8], "Content-Encoding: gzip"),
        answered(zlib.compress(b"any" * 99)[:-4], "Content-Encoding: deflate"),
    ],
)
def test_half_a_body_is_not_taken_for_a_whole_one(answer: bytes) -> None:
    with site(answer) as server:
        assert unavailable(server).code == "TRUNCATED"


def test_a_damaged_encoding_is_told_and_may_be_tried_again() -> None:
    with site(answered(b"no gzip at all", "Content-Encoding: gzip")) as server:
        assert unavailable(server).code == "BROKEN_ENCODING"


def test_an_empty_body_needs_no_encoding() -> None:
    with site(answered(b"", "Content-Encoding: gzip")) as server:
        assert fetched(server).body == b""


@pytest.mark.parametrize(
    "status", ["400 B", "401 U", "403 F", "404 N", "410 G", "418 T", "304 N", "300 M"]
)
def test_a_final_status_refuses_the_source(status: str) -> None:
    with site(answered(b"secret words", status=status)) as server:
        error = refused(server)
    assert error.code == f"HTTP_{status[:3]}"
    assert error.dependency == "public.test"
    assert f"public.test answered {status[:3]}: " in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize("status", ["408 T", "425 E", "429 T", "500 I", "502 B", "503 S", "599 N"])
def test_a_passing_status_may_be_tried_again(status: str) -> None:
    with site(answered(status=status)) as server:
        assert unavailable(server).code == f"HTTP_{status[:3]}"


@pytest.mark.parametrize(
    "nonsense", [b"SSH-2.0-any\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 999]
)
def test_what_is_no_http_is_told(nonsense: bytes) -> None:
    with site(nonsense + b"\r\n") as server:
        assert unavailable(server).code == "BAD_ANSWER"


def test_a_connection_that_is_not_taken_or_breaks_is_told() -> None:
    with pytest.raises(SourceUnavailable) as caught:
        World({"public.test": [PUBLIC]}, {}).fetcher().get("http://public.test/", seconds=LONG)
    assert caught.value.code == "CONNECT_FAILED"
    assert caught.value.dependency == "public.test"
    with site(b"") as server:
        assert unavailable(server).code == "CONNECT_FAILED"


def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    with site(answered()) as server:
        world = World({"public.test": [OTHER_PUBLIC, PUBLIC]}, {PUBLIC: server})
        assert world.fetcher().get("http://public.test:8080/", seconds=LONG).body == b"any body"
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


# TLS


@pytest.fixture(scope="module")
def key_and_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for public.test that signs itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "public.test")])
    names = [x509.DNSName("public.test"), x509.IPAddress(ip_address(OTHER_PUBLIC))]
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "public.test.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.fixture
def secured(key_and_certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(key_and_certificate)
    return context


@pytest.fixture
def trust(key_and_certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(key_and_certificate))


def test_the_certificate_is_checked_against_the_name_not_the_address(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    with site(answered(), secured) as server:
        world = World({"public.test": [PUBLIC], "other.test": [PUBLIC]}, {PUBLIC: server})
        fetcher = world.fetcher(trust=trust)
        assert fetcher.get("https://public.test/", seconds=LONG).body == b"any body"
        with pytest.raises(SourceRefused) as caught:
            fetcher.get("https://other.test/", seconds=LONG)
    assert caught.value.code == "BAD_CERTIFICATE"
    assert world.connected == [f"{PUBLIC}:443"] * 2
    assert len(server.requests) == 1


def test_a_certificate_nobody_vouches_for_is_refused(secured: ssl.SSLContext) -> None:
    with site(answered(), secured) as server, pytest.raises(SourceRefused) as caught:
        public_world(server).fetcher().get("https://public.test/", seconds=LONG)
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


def test_a_drip_over_tls_is_left_at_the_deadline(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"
    with site(drip(head, b"x" * 999), secured) as server:
        fetcher = public_world(server).fetcher(trust=trust)
        with pytest.raises(SourceUnavailable) as caught:
            fetcher.get("https://public.test/", seconds=SHORT)
    assert caught.value.code == "DEADLINE"


def test_https_does_not_lead_to_http_but_http_leads_to_https(
    secured: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    with site(moved("http://public.test/x"), secured) as server:
        with pytest.raises(SourceRefused) as caught:
            public_world(server).fetcher(trust=trust).get("https://public.test/", seconds=LONG)
        assert caught.value.code == "INSECURE_REDIRECT"
    with site(answered(), secured) as safe, site(moved("https://1.1.1.1/")) as plain:
        world = World({"public.test": [PUBLIC]}, {PUBLIC: plain, OTHER_PUBLIC: safe})
        page = world.fetcher(trust=trust).get("http://public.test/", seconds=LONG)
    assert page.url == "https://1.1.1.1/"
    assert world.resolved == ["public.test"]


# The field's own inputs


def test_field_case_c01_redirects_end_as_they_must() -> None:
    case = json.loads(field_case("C01_redirects.json"))
    for chain in case["chains"]:
        with site(told_by(chain)) as server, site(answered()) as inner:
            others = dict.fromkeys(["10.0.0.5", "127.0.0.1", "169.254.169.254"], inner)
            world = World(case["resolver"], {PUBLIC: server, **others})
            found = outcome(world.fetcher(), chain["start"])
        assert found == chain["expect"] or (found, chain["hops"]) == ("BAD_REDIRECT", [["302", ""]])
        assert inner.requests == []


def told_by(chain: dict[str, Any]) -> Callable[[str], Answer]:
    """A server that sends its readers from hop to hop."""
    places = [chain["start"], *(text for _, text in chain["hops"])]
    answers = {
        place.removeprefix("http://public.test"): (
            answered(text.encode()) if status == "200" else moved(text, f"{status} Any")
        )
        for place, (status, text) in zip(places, chain["hops"], strict=False)
    }
    return lambda path: [answers[path]]


def outcome(fetcher: HttpFetcher, url: str) -> str:
    try:
        fetcher.get(url, seconds=LONG)
    except StepError as error:
        return error.code
    return "ok"


def test_field_case_c04_names_of_inner_addresses_open_no_connection() -> None:
    case = json.loads(field_case("C04_ipv4_spellings.json"))
    names: dict[str, Sequence[str]] = {
        name: [address] for name, address in case["resolver_for_names"].items()
    }
    world = World(names, {})
    for url in case["all_refused"] + case["names_refused"]:
        assert outcome(world.fetcher(), url) in {"BLOCKED_ADDRESS", "INVALID_URL"}
    assert world.connected == []


@pytest.mark.parametrize("part", [0, 1])
def test_field_case_c06_drips_end_at_the_deadline(part: int) -> None:
    chunks = json.loads(field_case("C06_drip.json"))["parts"][part]["chunks"]
    sent = [item for text, pause in chunks for item in (pause, text.encode())]
    with site(lambda _: sent) as server:
        assert unavailable(server, seconds=SHORT).code == "DEADLINE"


def test_field_case_c07_bombs_stop_and_the_exact_limit_passes() -> None:
    bomb = answered(field_case("C07_bomb_20MB.gz"), "Content-Encoding: gzip")
    with site(bomb) as server:
        assert refused(server, most_bytes=5_000_000).code == "TOO_LARGE"
    exact = answered(field_case("C07_exact_cap.gz"), "Content-Encoding: gzip")
    with site(lambda _: [exact[:-8], 0.05, exact[-8:]]) as server:
        assert len(fetched(server, most_bytes=5000).body) == 5000
        assert refused(server, most_bytes=4999).code == "TOO_LARGE"
