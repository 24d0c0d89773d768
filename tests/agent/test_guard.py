"""What the guard lets through: one meaning a URL, and no address that is not public."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import LONGEST_URL, Target, check_addresses, check_url, is_public
from tests.agent.cases import field_case


def refusal(url: str, *, loopback_site: str = "") -> str:
    with pytest.raises(SourceRefused) as refused:
        check_url(url, loopback_site=loopback_site)
    return refused.value.code


def verdict(url: str) -> str:
    try:
        check_url(url)
    except SourceRefused as refused:
        return refused.code
    return "ok"


def test_a_url_becomes_the_one_form_that_is_sent() -> None:
    target = check_url(" HTTPS://Example.COM:443/a b".replace(" b", "?q=1%20x&q=ä#part"))
    assert target == Target(
        scheme="https",
        host="example.com",
        port=443,
        path="/a?q=1%20x&q=%C3%A4",
        is_address=False,
    )
    assert target.url == "https://example.com/a?q=1%20x&q=%C3%A4"


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://a.example", "http://a.example/"),
        ("http://a.example?q=1", "http://a.example/?q=1"),
        ("http://a.example/x?#part", "http://a.example/x?"),
        ("http://a.example/x#part?q=1", "http://a.example/x"),
        ("http://a.example/x??q=/?", "http://a.example/x??q=/?"),
        ("http://a.example:80/x", "http://a.example/x"),
        ("https://a.example:80/x", "https://a.example:80/x"),
        ("http://a.example:8080/x", "http://a.example:8080/x"),
        ("http://a.example./x", "http://a.example/x"),
        ("http://a.example/caf%C3%A9%2Fx%", "http://a.example/caf%C3%A9%2Fx%"),
        ("http://a.example/caf\u00e9", "http://a.example/caf%C3%A9"),
        ("http://my_shop.example/", "http://my_shop.example/"),
        ("http://m\u00fcnchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://xn--mnchen-3ya.example/", "http://xn--mnchen-3ya.example/"),
        ("http://fa\u00df.example/", "http://xn--fa-hia.example/"),
        ("http://\u65e5\u672c\u8a9e\u3002example/", "http://xn--wgv71a119e.example/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:0:0::1111]:8080/", "http://[2606:4700::1111]:8080/"),
    ],
)
def test_what_a_browser_reads_is_read(url: str, sent: str) -> None:
    assert check_url(url).url == sent


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname",
        "FILE:/etc/hostname",
        "  file:///etc/hostname",
        "\x01file:///etc/hostname",
        "local_file:///etc/hostname",
        "ftp://ftp.example/x",
        "gopher://a.example/_x",
        "data:text/html,<p>x</p>",
        "javascript:alert(1)",
        "//a.example/x",
        "about:blank",
        "ws://a.example/",
        "ht\ntp://a.example/",
        "a.example",
        "",
    ],
)
def test_only_http_and_https_are_read(url: str) -> None:
    assert refusal(url) == "UNSUPPORTED_SCHEME"


@pytest.mark.parametrize(
    "url",
    [
        "http:/a.example",
        "http:///x",
        "http://",
        "http://./",
        "http://............127.0.0.1/",
        f"http://{'a' * 64}.example/",
        f"http://{'a.' * 127}example/",
        f"http://a.example/{'x' * LONGEST_URL}",
        "http://exa\u200bmple.com/",
        "http://exam ple.com/",
        "http://a.example/a b",
        "http://a.example/\tx",
        "http://a.example/\r\nHost: b.example",
        "http://a.example/\ud800",
        "http://xn--/",
        "http://xn--abc-/",
        "http://xn--\u00fc/",
        "http://-bad-.com/",
        "http://a%6d.example/",
        "http://a\u2100b.example/",
        "http://[::1/",
        "http://[a.example]/",
        "http://[fe80::1%25eth0]/",
        "http://a.example:99999/",
        "http://a.example:abc/",
        "http://user@a.example/",
        "http://user:secret@a.example/",
        "http://10.0.0.1\\@example.com/",
    ],
)
def test_what_has_two_meanings_or_none_is_refused(url: str) -> None:
    assert refusal(url) == "INVALID_URL"


@pytest.mark.parametrize("number", ["2852039166", "0xa9fea9fe", "0", "017700000001", "0x"])
@pytest.mark.parametrize("before", ["", "0251.254.169.", "127."])
def test_odd_spellings_of_ipv4_are_refused_outright(before: str, number: str) -> None:
    assert refusal(f"http://{before}{number}/") == "INVALID_URL"


@pytest.mark.parametrize("port", [0, 22, 25, 110, 1023])
def test_ports_of_other_services_are_refused(port: int) -> None:
    assert refusal(f"http://a.example:{port}/") == "BLOCKED_PORT"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1.",
        "\uff11\uff12\uff17.0.0.1",
        "0.0.0.0",  # noqa: S104 - to be refused, not bound
        "169.254.169.254",
        "100.100.100.200",
        "192.0.0.192",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fd00:ec2::254]",
        "LOCALHOST",
        "localhost.",
        "any.localhost",
    ],
)
def test_addresses_of_this_machine_and_its_network_are_blocked(host: str) -> None:
    assert refusal(f"http://{host}/latest/meta-data/") == "BLOCKED_ADDRESS"


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.1",
        "10.0.0.5",
        "100.64.0.1",
        "127.0.0.53",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",  # IPv4-compatible
        "::ffff:10.0.0.5",
        "::ffff:0:10.0.0.5",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2001:0:53aa:64c:0:fbff:fefe:fefe",  # Teredo
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "fe80::1%eth0",
        "example.com",
        "",
    ],
)
def test_these_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "1.1.1.1",
        "172.32.0.1",
        "100.128.0.1",
        "2606:2800:220:1:248:1893:25c8:1946",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
        "2002:5db8:d822::1",
    ],
)
def test_these_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_one_private_address_among_public_ones_blocks_the_host() -> None:
    check_addresses("any.example", ["93.184.216.34", "1.1.1.1"])
    with pytest.raises(SourceRefused, match=r"mixed\.example is not on the public internet"):
        check_addresses("mixed.example", ["93.184.216.34", "127.0.0.1"])


def test_the_loopback_site_is_read_and_nothing_else_of_its_machine() -> None:
    site = "127.0.0.1:8477"
    assert check_url(f"http://{site}/a?b", loopback_site=site).url == f"http://{site}/a?b"
    for other in (
        "http://127.0.0.1:8478/",
        "http://127.0.0.1:18477/",
        "http://127.0.0.1/",
        "http://127.0.0.2:8477/",
        "http://localhost:8477/",
        "https://127.0.0.1:8477/",
        "http://[::1]:8477/",
    ):
        assert refusal(other, loopback_site=site) == "BLOCKED_ADDRESS"


def test_a_refusal_says_what_to_do_and_names_the_host_where_there_is_one() -> None:
    with pytest.raises(SourceRefused) as refused:
        check_url("http://10.0.0.5/")
    assert refused.value.dependency == "10.0.0.5"
    assert str(refused.value).startswith("10.0.0.5 ")
    assert str(refused.value).endswith("Name a public page instead.")


@given(st.text() | st.text().map("http://".__add__))
def test_every_string_gets_a_verdict(url: str) -> None:
    assert verdict(url) in {
        "ok",
        "INVALID_URL",
        "UNSUPPORTED_SCHEME",
        "BLOCKED_ADDRESS",
        "BLOCKED_PORT",
    }


@given(st.from_regex(r"https?://[a-z\xdf-\xf6]{1,9}\.[a-z]{2,5}(/[a-z%\xe9]*)?", fullmatch=True))
def test_the_form_that_is_sent_is_its_own_form(url: str) -> None:
    target = check_url(url)
    assert target.url.isascii()
    assert check_url(target.url) == target


@given(st.ip_addresses(v=4).map(str))
def test_wrapping_an_address_changes_no_verdict(address: str) -> None:
    assert is_public(f"::ffff:{address}") == is_public(address)


def test_field_case_c01_literals_are_blocked() -> None:
    chains = field_case("C01_redirects.json")["chains"]
    ends = [
        chain["hops"][-1][1]
        for chain in chains
        if chain["expect"] == "BLOCKED_ADDRESS" and chain["hops"]
    ]
    literals = [url for url in ends if url.startswith("http:")]
    assert [refusal(url) for url in literals] == ["BLOCKED_ADDRESS", "BLOCKED_ADDRESS"]


def test_field_case_c04_odd_spellings_are_refused() -> None:
    case = field_case("C04_ipv4_spellings.json")
    for url in case["all_refused"]:
        assert refusal(url) in {"BLOCKED_ADDRESS", "INVALID_URL"}
    assert not any(is_public(address) for address in case["resolver_for_names"].values())


def test_field_case_c05_schemes() -> None:
    case = field_case("C05_schemes.json")
    for url in case["refused"]:
        assert refusal(url) in {"UNSUPPORTED_SCHEME", "INVALID_URL"}
    for url in case["allowed"]:
        assert check_url(url).host == "a.example"


def test_field_case_c19_hosts_get_a_verdict() -> None:
    for url, expected in field_case("C19_hosts.json")["rows"]:
        if expected.startswith("INVALID_URL"):
            assert refusal(url) == "INVALID_URL"
        else:
            assert check_url(url).host.startswith("xn--")
