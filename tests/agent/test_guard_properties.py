"""Whatever anybody writes: what the guard lets through leads to a public address, and to the page
that was meant. The judge here is another one than the guard's own.
"""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, unquote_to_bytes, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import Target, check_addresses, check_url

NAT64 = int(IPv6Address("64:ff9b::"))
LARGEST = 2**32 - 1
FULL_WIDTH = {ord(plain): ord(plain) + 0xFEE0 for plain in "0123456789."}
CIRCLED = {ord(plain): 0x2460 + at for at, plain in enumerate("123456789")}
IDEOGRAPHIC = {ord("."): 0x3002}
PLAIN = {odd: plain for table in (FULL_WIDTH, CIRCLED, IDEOGRAPHIC) for plain, odd in table.items()}

INTERESTING = [
    "0.0.0.0",  # noqa: S104 - written, not bound
    "10.0.0.5",
    "100.100.100.200",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "8.8.8.8",
    "93.184.216.34",
]

numbers = st.integers(0, LARGEST) | st.sampled_from([int(IPv4Address(a)) for a in INTERESTING])


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """By the standard library's properties, looking into whatever carries an IPv4 address."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if int(address) >> 32 == NAT64 >> 32:
            inner = IPv4Address(int(address) & LARGEST)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_loopback
        or address.is_link_local
        or address.is_private
        or address.is_unspecified
    )


def packed(target: Target) -> bytes:
    return IPv4Address(target.host).packed


def passed(url: str) -> Target | None:
    """The target, or None for a refusal; anything else that is raised fails the test."""
    try:
        return check_url(url)
    except SourceRefused:
        return None


@st.composite
def ipv4_spellings(draw: st.DrawFn) -> str:
    """One address in one to four parts, each in decimal, octal or hex, with any zeros before."""
    number = draw(numbers)
    count = draw(st.integers(1, 4))
    heads = [number >> (24 - 8 * at) & 0xFF for at in range(count - 1)]
    last = number & (LARGEST >> 8 * (count - 1))
    zeros = draw(st.sampled_from(["", "0", "00000000"]))
    ways = st.sampled_from(["{0}", f"0{zeros}{{0:o}}", f"0x{zeros}{{0:x}}", "0X{0:X}"])
    text = ".".join(draw(ways).format(part) for part in [*heads, last])
    text = text.translate(draw(st.sampled_from([{}, FULL_WIDTH, CIRCLED, IDEOGRAPHIC])))
    first = draw(st.sampled_from([text[0], quote(text[0]), f"%{ord(text[0]) & 0xFF:02x}"]))
    return first + text[1:] + draw(st.sampled_from(["", ".", ".."]))


@st.composite
def ipv6_spellings(draw: st.DrawFn) -> str:
    inner = draw(numbers)
    dotted = str(IPv4Address(inner))
    written = draw(
        st.sampled_from(
            [
                f"::ffff:{dotted}",
                f"::ffff:{inner >> 16:x}:{inner & 0xFFFF:x}",
                f"0:0:0:0:0:FFFF:{dotted}",
                f"::{dotted}",
                f"::ffff:0:{dotted}",
                f"64:ff9b::{dotted}",
                f"64:ff9b:1::{dotted}",
                f"2002:{inner >> 16:x}:{inner & 0xFFFF:x}::1",
                f"2001:0:{inner >> 16:x}:{inner & 0xFFFF:x}::1",
                f"fe80::{dotted}",
                str(draw(st.ip_addresses(v=6))),
            ]
        )
    )
    zone = draw(st.sampled_from(["", "%25eth0", "%1", "%"]))
    return f"[{written}{zone}]"


hosts = st.one_of(
    ipv4_spellings(),
    ipv6_spellings(),
    st.ip_addresses().map(str),
    st.from_regex(r"[a-z0-9.x:\[\]%_-]{1,20}", fullmatch=True),
    st.text(max_size=12),
)
urls = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["http://", "HTTPS://", "http:", "https:/", "http:///", "\\\\", "//", ""]),
    st.sampled_from(["", "", "a.example@", "a:b@", "a.example\\@", "a.example#@", "@"]),
    hosts,
    st.sampled_from(["", "", ":80", ":443", ":8080", ":22", ":0", ":", ":x", ":99999"]),
    st.text(max_size=9) | st.sampled_from(["/", "/a/../b", "?x", "/%2f%2F", "#@a.example"]),
)


@given(urls | st.text())
@example("http://a.example:\u0661/")
@example("http://[::ffff:7f00:1]/")
@example("http://169.254.169.254")
def test_what_is_let_through_is_public_however_it_is_spelled(url: str) -> None:
    target = passed(url)
    if target is not None and target.is_address:
        assert is_public(ip_address(target.host))


@given(ipv4_spellings() | ipv6_spellings())
def test_an_address_that_is_let_through_is_public_whatever_carries_it(host: str) -> None:
    target = passed(f"http://{host}/")
    if target is not None and target.is_address:
        assert is_public(ip_address(target.host))


@given(urls | hosts.map("http://{}/".format))
@example("http://0x7f.1/")
@example("http://127.0.0.1.nip.io/")
def test_what_is_let_through_as_a_name_is_a_number_for_no_resolver(url: str) -> None:
    """Then the addresses are judged that the name has: the system makes none up from the text."""
    target = passed(url)
    if target is not None and not target.is_address:
        with pytest.raises(OSError, match="illegal IP address"):
            socket.inet_aton(target.host)
        with pytest.raises(socket.gaierror):
            socket.getaddrinfo(target.host, None, flags=socket.AI_NUMERICHOST)


@given(ipv4_spellings())
def test_an_ipv4_address_that_is_let_through_is_the_one_that_every_reader_sees(host: str) -> None:
    target = passed(f"http://{host}/")
    if target is not None:
        assert socket.inet_aton(host.translate(PLAIN).removesuffix(".")) == packed(target)
        assert is_public(IPv4Address(target.host))


@given(st.lists(st.ip_addresses().map(str), min_size=1, max_size=4))
def test_a_name_is_let_through_where_all_its_addresses_are_public(addresses: list[str]) -> None:
    try:
        check_addresses("any.example", addresses)
    except SourceRefused:
        return
    assert all(is_public(ip_address(address)) for address in addresses)


@given(urls | st.text() | st.text().map("http://a.example/{}".format))
@example("http://a.example?")
@example("http://a.example/%")
def test_the_form_that_is_sent_is_its_own_form(url: str) -> None:
    target = passed(url)
    if target is not None:
        assert target.url.isascii()
        assert target.url.isprintable()
        assert check_url(target.url) == target


VISIBLE = st.characters(
    exclude_categories=["C", "Z"], exclude_characters="\\#?\u2028\u2029\x7f\xa0"
)
paths = st.text(VISIBLE, max_size=30).map(lambda text: f"/{text}")
queries = st.none() | st.text(VISIBLE | st.just("?"), max_size=30)
fragments = st.none() | st.text(VISIBLE, max_size=9)


@given(paths, queries, fragments, st.sampled_from(["", ":80", ":8080"]))
@example("/a//b/./../c", "a=%26&b=+%2B", None, "")
@example("/", "", "", "")
def test_the_form_that_is_sent_names_the_same_resource(
    path: str, query: str | None, fragment: str | None, port: str
) -> None:
    """Byte for byte the same path and query, with the same delimiters, escaped or bare."""
    end = "" if fragment is None else f"#{fragment}"
    meant = path if query is None else f"{path}?{query}"
    target = check_url(f"http://A.example{port}{meant}{end}")
    assert unquote_to_bytes(target.path) == unquote_to_bytes(meant)
    assert delimiters(target.path) == delimiters(meant)
    assert (target.host, target.scheme) == ("a.example", "http")
    assert target.port == int(port[1:] or 80)
    assert urlsplit(target.url).fragment == ""


def delimiters(text: str) -> list[str]:
    """All that stand bare, and those that were written as an escape and mean something else so."""
    return re.findall(r"[/?:@!$&'()*+,;=]|%(?:2[1346-9A-CFabcf]|3[ABDFabdf]|40)", text)
