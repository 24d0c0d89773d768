"""One name for each page: equal where a server is asked for the same thing, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.canonical_url import TRACKING, canonical_url, path_and_query
from lambdas.agent.sources import fault_of

SAME = [
    ("HTTP://Example.COM:80/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com", "http://example.com/"),
    ("http://example.com/%7Euser", "http://example.com/~user"),
    ("http://example.com/%41BC", "http://example.com/ABC"),
    ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
    ("http://example.com/x#top", "http://example.com/x"),
    ("http://example.com/caf%C3%A9", "http://example.com/caf\N{LATIN SMALL LETTER E WITH ACUTE}"),
    (
        "http://m\N{LATIN SMALL LETTER U WITH DIAERESIS}nchen.example/",
        "http://xn--mnchen-3ya.example/",
    ),
]
DIFFERENT = [
    ("http://example.com/a%2Fb", "http://example.com/a/b"),
    ("http://example.com/foo%2376", "http://example.com/foo#76"),
    ("http://example.com/Dia%25", "http://example.com/Dia%"),
    ("http://example.com/?a=1%26b=2", "http://example.com/?a=1&b=2"),
    ("http://example.com/a%3Bb", "http://example.com/a;b"),
    ("http://example.com/A", "http://example.com/a"),
    ("http://example.com/?a=1&a=2", "http://example.com/?a=2&a=1"),
    ("http://example.com/x", "http://example.com/x/"),
    ("http://example.com/?q=a+b", "http://example.com/?q=a%2Bb"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_a_page_are_one(one: str, other: str) -> None:
    """Case C18."""
    assert canonical_url(one) == canonical_url(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_pages_stay_two(one: str, other: str) -> None:
    """Case C18."""
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://a.test:443/x?", "https://a.test/x"),
        ("https://a.test:80/x", "https://a.test:80/x"),
        ("http://a.test:0080/x", "http://a.test/x"),
        ("https://a.test./x", "https://a.test/x"),
        ("https://a.test/#!/news", "https://a.test/"),
        ("https://a.test/a/..", "https://a.test/"),
        ("https://a.test/a/%2e%2E/b/.", "https://a.test/b/"),
        ("https://a.test/../../b", "https://a.test/b"),
        ("https://a.test//a//b", "https://a.test//a//b"),
        ("https://a.test/a/.b/..c", "https://a.test/a/.b/..c"),
        ("https://a.test/?b=2&a=1&&c", "https://a.test/?b=2&a=1&&c"),
        ("https://a.test/?q=%e2%82%ac&r=\N{EURO SIGN}", "https://a.test/?q=%E2%82%AC&r=%E2%82%AC"),
        ("https://a.test/%%34%31", "https://a.test/%%341"),
        ("https://a.test/%4%31~%7e", "https://a.test/%4%31~~"),
        ("https://a.test/%/%41%3", "https://a.test/%/A%3"),
        ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://127.0.0.1:8477/acme/", "http://127.0.0.1:8477/acme/"),
        ("  https://a.test/x  ", "https://a.test/x"),
        ("s3://Bucket/Key?x#y", "s3://Bucket/Key?x#y"),
    ],
)
def test_an_address_is_spelt_in_one_way(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical
    assert canonical_url(canonical) == canonical


@pytest.mark.parametrize("name", ["utm_source", "UTM_Medium", "utm%5Fterm", *sorted(TRACKING)])
def test_what_only_tells_where_a_reader_came_from_is_left_out(name: str) -> None:
    assert canonical_url(f"https://a.test/?{name}=x") == "https://a.test/"
    assert canonical_url(f"https://a.test/?a=1&{name}=x&b=2") == "https://a.test/?a=1&b=2"
    assert canonical_url(f"https://a.test/?{name}") == "https://a.test/"


@pytest.mark.parametrize("name", ["ref", "source", "id", "autm_x", "xfbclid", "si", "page"])
def test_what_may_choose_the_page_stays(name: str) -> None:
    assert canonical_url(f"https://a.test/?{name}=x") == f"https://a.test/?{name}=x"


HOSTS = [
    ("http://............127.0.0.1/", ""),
    (f"http://{'a' * 64}.example/", ""),
    ("http://exa\N{ZERO WIDTH SPACE}mple.com/", ""),
    ("http://fa\N{LATIN SMALL LETTER SHARP S}.example/", "http://xn--fa-hia.example/"),
    (
        "http://m\N{LATIN SMALL LETTER U WITH DIAERESIS}nchen.example/",
        "http://xn--mnchen-3ya.example/",
    ),
    ("http://xn--/", ""),
    ("http://-bad-.com/", ""),
    ("http://[::1/", ""),
    ("http://exam ple.com/", ""),
    ("http://example.com:99999/", ""),
    ("http://example.com:abc/", ""),
    ("http://\u65e5\u672c\u8a9e.example/", "http://xn--wgv71a119e.example/"),
    ("http://./", ""),
]


@pytest.mark.parametrize(("url", "canonical"), HOSTS)
def test_a_host_name_that_cannot_be_is_a_fault_and_no_exception(url: str, canonical: str) -> None:
    """Case C19."""
    assert bool(fault_of(url)) is not bool(canonical)
    assert canonical_url(url) == (canonical or url)


@given(url=st.text(max_size=60) | st.text(max_size=40).map("http://a.test/".__add__))
def test_any_text_has_a_canonical_form_and_that_is_its_own(url: str) -> None:
    once = canonical_url(url)

    assert canonical_url(once) == once


# Pieces that make, hide and break escapes, dots, slashes and parameters, so that two addresses
# are often nearly the same.
PIECES = [
    *("a", "A", "4", "1", ".", "..", "~", "/", "//", "%", "%2", "%2F", "%2f", "%41", "%61", "%7e"),
    *("%2E", "%2e%2e", "%25", "%34", "%31", "+", "%2B", "%20", ";", "%3B", "\u00e9", "%C3%A9"),
    *("%c3%a9", "[", "%5B", '"', "%22", "|"),
]
IN_A_QUERY = [*PIECES, "&", "=", "%26", "%3D", "?", "utm_source=x", "&gclid=1&", "&utm%5Fx&"]
paths = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
queries = st.none() | st.lists(st.sampled_from(IN_A_QUERY), max_size=6).map("".join)
hosts = st.sampled_from(["a.test", "A.test", "b.test", "a.test:80", "a.test:443", "a.test:8080"])
addresses = st.builds(
    lambda scheme, host, path, query, anchor: (
        f"{scheme}://{host}/{path}" + ("" if query is None else f"?{query}") + anchor
    ),
    st.sampled_from(["http", "https", "HTTP"]),
    hosts,
    paths,
    queries,
    st.sampled_from(["", "#", "#top", "#!/a"]),
)


@given(addresses, addresses)
def test_two_addresses_have_one_name_exactly_when_they_mean_one_resource(
    one: str, other: str
) -> None:
    assert (canonical_url(one) == canonical_url(other)) is (_meant(one) == _meant(other))


@given(addresses)
def test_the_name_of_a_page_means_that_page(url: str) -> None:
    canonical = canonical_url(url)

    assert _meant(canonical) == _meant(url)
    assert not fault_of(canonical)


@given(pieces=st.lists(st.sampled_from(["%2f", "%c3%a9", "%7e", "%41", "x", "/", "%25"])))
def test_escapes_in_capitals_are_the_same_page(pieces: list[str]) -> None:
    one, other = ("".join(map(case, pieces)) for case in (_as_it_is, _in_capitals))

    assert canonical_url(f"http://a.test/{one}") == canonical_url(f"http://a.test/{other}")


def test_globs_see_path_and_query() -> None:
    assert path_and_query(canonical_url("https://a.test/docs/x?y=1#z")) == "/docs/x?y=1"
    assert path_and_query(canonical_url("https://a.test")) == "/"


Token = tuple[str, int]


def _meant(url: str) -> tuple[object, ...]:
    """The resource, told in another way: what a server is asked for, token by token.

    A token is a character that stands for itself or an escape that is not the same as one.
    """
    scheme, _, rest = url.partition("://")
    rest = rest.partition("#")[0]
    before, _, query = rest.partition("?")
    authority, _, path = before.partition("/")
    host, _, port = authority.lower().partition(":")
    usual = {"http": "80", "https": "443"}[scheme.lower()]
    pairs = [_tokens(pair) for pair in query.split("&")]
    kept = [pair for pair in pairs if not _tracks(pair)] if any(map(_tracks, pairs)) else pairs
    told = kept if kept not in ([], [()]) else []
    return scheme.lower(), host, port or usual, _resolved(path), tuple(told)


def _resolved(path: str) -> tuple[tuple[Token, ...], ...]:
    stack: list[tuple[Token, ...]] = []
    segments = [_tokens(segment) for segment in path.split("/")]
    one, two = _tokens("."), _tokens("..")
    for segment in segments:
        if segment == two:
            del stack[-1:]
        elif segment != one:
            stack.append(segment)
    return (*stack, ()) if segments[-1] in (one, two) else tuple(stack)


def _tokens(text: str) -> tuple[Token, ...]:
    data, at = text.encode(), 0
    tokens: list[Token] = []
    while at < len(data):
        if _is_escape(data[at : at + 3]):
            tokens.append(("escape", int(data[at + 1 : at + 3], 16)))
            at += 3
        else:
            tokens.append(("plain", data[at]))
            at += 1
    return tuple(_same(tokens, number) for number in range(len(tokens)))


def _same(tokens: list[Token], number: int) -> Token:
    kind, byte = token = tokens[number]
    character = chr(byte)
    if kind == "plain":  # what may not stand there is sent as an escape
        return ("escape", byte) if byte > 0x7F or character in '[]"|' else token
    unreserved = character.isascii() and (character.isalnum() or character in "-._~")
    return ("plain", byte) if unreserved and not _would_join(tokens, number) else token


def _would_join(tokens: list[Token], number: int) -> bool:
    """Whether a digit would become a part of an escape that is none."""
    stray, digits = ("plain", ord("%")), {("plain", ord(c)) for c in "0123456789abcdefABCDEF"}
    before = [*[("", 0)] * 2, *tokens[:number]][-2:]
    follows = before[1] == stray or (before[0] == stray and before[1] in digits)
    return follows and ("plain", tokens[number][1]) in digits


def _tracks(pair: tuple[Token, ...]) -> bool:
    name = "".join(chr(byte) if kind == "plain" else "%" for kind, byte in pair).partition("=")[0]
    return name.startswith("utm_") or name == "gclid"


def _is_escape(piece: bytes) -> bool:
    digits = b"0123456789abcdefABCDEF"
    return len(piece) == 3 and piece[:1] == b"%" and piece[1] in digits and piece[2] in digits


def _as_it_is(piece: str) -> str:
    return piece


def _in_capitals(piece: str) -> str:
    return piece.upper() if piece.startswith("%") else piece
