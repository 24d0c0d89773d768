"""Redirects in heads and in pages, and the cookies that some of them wait for."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from lambdas.adapters.http_cookies import Cookies
from lambdas.adapters.http_head import Head
from lambdas.adapters.http_redirects import refresh_of
from lambdas.agent.guard import check_url
from lambdas.agent.pages import Page
from tests.adapters.fetching import fetched, field_case, outcome, refused
from tests.fakes.raw_site import (
    LONG,
    OTHER_PUBLIC,
    PUBLIC,
    InventedWeb,
    answered,
    moved,
    public_web,
    site,
)

# Redirects


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 T", "308 P"])
@pytest.mark.parametrize("location", ["../c?d=e", "/c?d=e", "//public.test/c?d=e"])
def test_relative_redirects_lead_on(status: str, location: str) -> None:
    with site(
        lambda p: [answered() if p == "/c?d=e" else moved(location, status=status)]
    ) as server:
        assert fetched(server, "/a/b").url == "http://public.test/c?d=e"
    assert server.paths == ["/a/b", "/c?d=e"]


def test_a_location_in_bare_utf8_is_read_as_browsers_do() -> None:
    with site(lambda p: [moved("/caf\u00e9") if p == "/" else answered()]) as server:
        assert fetched(server).url == "http://public.test/caf%C3%A9"


def test_a_blank_in_a_location_is_escaped() -> None:
    with site(lambda p: [moved("/a b?c d") if p == "/" else answered()]) as server:
        assert fetched(server).url == "http://public.test/a%20b?c%20d"


def test_a_fragment_is_never_sent_and_makes_no_other_page() -> None:
    with site(lambda p: [moved("/b#part") if p == "/a" else answered()]) as server:
        assert fetched(server, "/a#here").url == "http://public.test/b"
        assert refused(server, "/a", redirects=0).code == "TOO_MANY_REDIRECTS"
    with site(moved("#part")) as server:
        assert refused(server, "/a").code == "REDIRECT_LOOP"
    assert server.paths == ["/a"]


def test_circles_end() -> None:
    with site(moved("/a")) as server:
        assert refused(server, "/a").code == "REDIRECT_LOOP"
    with site(lambda p: [moved("/d" if p == "/c" else "/c")]) as server:
        assert refused(server, "/c").code == "REDIRECT_LOOP"
    assert server.paths == ["/c", "/d"]


def test_chains_end_behind_the_tenth_redirect() -> None:
    with site(lambda p: [moved(f"/{int(p[1:]) + 1}") if p != "/10" else answered()]) as server:
        assert fetched(server, "/0").url == "http://public.test/10"
    with site(lambda p: [moved(p + "x")]) as server:
        assert refused(server, "/e?q=").code == "TOO_MANY_REDIRECTS"
    assert len(server.requests) == 11


def test_a_growing_address_ends_where_addresses_do() -> None:
    with site(lambda p: [moved(p + "x" * 900)]) as server:
        assert refused(server).code == "INVALID_URL"
    assert len(server.requests) == 3


# Cookies


def gate(p: str) -> bytes:
    """Sets a cookie, and sends the reader through itself; whoever has it sees the page."""
    return moved(p, "Set-Cookie: seen=1; Path=/; HttpOnly", "Set-Cookie: other=a=b")


def test_a_redirect_to_itself_that_waits_for_a_cookie_ends_well() -> None:
    answers = iter([gate("/b"), answered(b"inside")])
    with site(lambda _: [next(answers)]) as server:
        assert fetched(server, "/b").body == b"inside"
    assert server.sent("Cookie") == ["", "seen=1; other=a=b"]


def test_a_gate_that_always_closes_is_a_circle() -> None:
    with site(gate("/b")) as server:
        assert refused(server, "/b").code == "REDIRECT_LOOP"
    assert len(server.requests) == 2


def test_cookies_that_never_stay_the_same_end_at_the_limit() -> None:
    with site(lambda _: [moved("/", f"Set-Cookie: at={len(server.requests)}")]) as server:
        assert refused(server).code == "TOO_MANY_REDIRECTS"
    assert server.sent("Cookie")[-1] == "at=10"


def test_cookies_are_kept_within_one_fetch() -> None:
    with site(answered(b"", "Set-Cookie: a=b")) as server:
        fetcher = public_web(server).fetcher()
        for _ in range(2):
            fetcher.get("http://public.test/", seconds=LONG)
    assert server.sent("Cookie") == ["", ""]


def test_cookies_go_to_the_host_that_set_them_and_to_no_other() -> None:
    wide = "Set-Cookie: secret=1; Domain=test"
    with (
        site(lambda p: [moved("http://other.test/", wide) if p == "/" else answered()]) as first,
        site(moved("http://public.test/back", "Set-Cookie: mine=2")) as second,
    ):
        names = {"public.test": [PUBLIC], "other.test": [OTHER_PUBLIC]}
        world = InventedWeb(names, {PUBLIC: first.port, OTHER_PUBLIC: second.port})
        world.fetcher().get("http://public.test/", seconds=LONG)
    assert second.sent("Cookie") == [""]
    assert first.sent("Cookie") == ["", "secret=1"]


TARGET = check_url("https://a.example/shop/item?any")


@pytest.mark.parametrize(
    ("lines", "url", "sent"),
    [
        (["a=1", "b=2"], "https://a.example/shop/", "a=1; b=2"),
        (["a=1", "a=2"], "https://a.example/shop/", "a=2"),
        (["a=1"], "https://a.example/shop", "a=1"),
        (["a=1"], "https://a.example/shopping", ""),
        (["a=1"], "https://a.example/", ""),
        (["a=1; Path=/"], "https://a.example/?x", "a=1"),
        (["a=1; path=/; PATH=no path"], "https://a.example/shop/x", "a=1"),
        (["a=1; Path=/", "b=2; Path=/shop/x"], "https://a.example/shop/x/y", "b=2; a=1"),
        (["a=1; Secure; Path=/"], "http://a.example/", ""),
        (["a=1; Secure; Path=/"], "https://a.example:8443/", "a=1"),
        (["__Host-a=1; Secure; Path=/", "__Secure-b=2"], "https://a.example/shop/", "__Host-a=1"),
        (["a=1", "a=; Max-Age=0"], "https://a.example/shop/", ""),
        (["a=1", "a=2; Max-Age=-9"], "https://a.example/shop/", ""),
        (["a=1", "a=2; Expires=Thu, 01-Jan-1970 00:00:00 GMT"], "https://a.example/shop/", ""),
        (["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT"], "https://a.example/shop/", "a=1"),
        (["a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], TARGET.url, "a=1"),
        (["a=1; Expires=any day"], "https://a.example/shop/", "a=1"),
        (['a="x, y"'], "https://a.example/shop/", 'a="x, y"'),
        (["a", "=1", "", ";", "a b=1", "a=\xe9", "a=\t\x01"], "https://a.example/shop/", ""),
        (["a=" + "x" * 4096], "https://a.example/shop/", ""),
    ],
)
def test_cookies_go_where_they_belong(lines: list[str], url: str, sent: str) -> None:
    cookies = Cookies(lambda: 2e9)
    cookies.take(TARGET, head(lines))
    assert cookies.header(check_url(url)) == sent


def test_a_safe_cookie_is_not_taken_from_an_unsafe_place() -> None:
    cookies = Cookies(lambda: 0)
    cookies.take(check_url("http://a.example/"), head(["a=1; Secure", "__Secure-b=1"]))
    assert not cookies.header(check_url("https://a.example/"))


def test_a_flood_of_cookies_is_cut() -> None:
    cookies = Cookies(lambda: 0)
    cookies.take(TARGET, head([f"{name}={'x' * 1000}" for name in range(99)]))
    assert len(cookies.header(TARGET)) <= 8192
    assert len(cookies.header(TARGET).split("; ")) == 8


def test_no_cookie_is_shown_by_what_holds_it() -> None:
    cookies = Cookies(lambda: 0)
    cookies.take(TARGET, head(["a=secret"]))
    assert "secret" not in repr(cookies) + repr(vars(cookies))


def head(lines: list[str]) -> Head:
    return Head(status=200, fields=tuple(("set-cookie", line) for line in lines))


# Pages that send their readers on


def page(*lines: str, content_type: str = "text/html") -> bytes:
    body = "\n".join(["<!doctype html>", *lines, "<p>any words"]).encode()
    return answered(body, f"Content-Type: {content_type}")


@pytest.mark.parametrize(
    "meta",
    [
        "<meta http-equiv=refresh content='0;url=/g2'>",
        '<META content="0; URL=\'/g2\'" HTTP-EQUIV="Refresh" >',
        '<meta http-equiv="refresh" content="5 , url = &quot;/g2&quot; any">',
        '<meta http-equiv="refresh" content=".5; /g2">',
        "<meta http-equiv=refresh content='0 url=/g2#part'/>",
        "<meta name='a>b' http-equiv=refresh content='1;http://public.test/g2'>",
        "<base href=http://public.test/><meta http-equiv=refresh content='0;g2'>",
        "<!-- any --><script>'<meta>'</script><meta http-equiv=refresh content='0;url=/g2'>",
        "<noscript><p></noscript><meta http-equiv=refresh content='0;url=/g2'>",
    ],
)
def test_a_page_that_sends_on_at_once_is_a_redirect(meta: str) -> None:
    with site(lambda p: [answered(b"there") if p == "/g2" else page(meta)]) as server:
        assert fetched(server, "/g/").body == b"there"
    assert server.paths == ["/g/", "/g2"]


@pytest.mark.parametrize(
    "meta",
    [
        "<meta http-equiv=refresh content='1800;url=/f'>",
        "<meta http-equiv=refresh content='6;url=/else'>",
        "<meta http-equiv=refresh content='99999;url=/else'>",
        "<meta http-equiv=refresh content='0'>",
        "<meta http-equiv=refresh content='0;url='>",
        "<meta http-equiv=refresh content='0;url=/f#part'>",
        "<meta http-equiv=refresh content='url=/else'>",
        "<meta http-equiv=refresh content='-1;url=/else'>",
        "<meta http-equiv=refresh>",
        "<meta http-equiv=refresh content='0;url=any-app://open'>",
        "<meta http-equiv=refresh content='0;url=http://[::1'>",
        "<meta name=refresh content='0;url=/else'>",
        "<noscript><meta http-equiv=refresh content='0;url=/else'></noscript>",
        "<!-- <meta http-equiv=refresh content='0;url=/else'> -->",
        "<script>'<meta http-equiv=refresh content=0;url=/else>'</script>",
        "<textarea><meta http-equiv=refresh content='0;url=/else'>",
        "x" * 20_000 + "<meta http-equiv=refresh content='0;url=/else'>",
    ],
)
def test_a_page_that_stays_is_the_page(meta: str) -> None:
    with site(page(meta)) as server:
        assert b"any words" in fetched(server, "/f").body
    assert server.paths == ["/f"]


def test_only_html_sends_on() -> None:
    meta = "<meta http-equiv=refresh content='0;url=/else'>"
    with site(page(meta, content_type="text/plain")) as server:
        assert fetched(server).url == "http://public.test/"


def test_what_a_page_sends_on_to_goes_through_the_guard_and_counts_as_a_redirect() -> None:
    def refresh(url: str) -> bytes:
        return page(f"<meta http-equiv=refresh content='0;url={url}'>")

    with site(refresh("http://169.254.169.254/latest/")) as server:
        assert refused(server).code == "BLOCKED_ADDRESS"
    with site(lambda p: [refresh("/d" if p == "/c" else "/c")]) as server:
        assert refused(server, "/c").code == "REDIRECT_LOOP"
    with site(lambda p: [refresh(p + "x")]) as server:
        assert refused(server).code == "TOO_MANY_REDIRECTS"


@pytest.mark.parametrize(
    "hostile",
    ["<meta " * 2700, "<!--" * 4000, "<meta a='" * 1800, "<script" * 2300, "<meta" + " a" * 8000],
)
def test_looking_for_a_refresh_takes_no_time_worth_mentioning(hostile: str) -> None:
    """Whoever makes this quadratic or worse will see the test hang."""
    found = Page(
        url="http://public.test/",
        status=200,
        content_type="text/html",
        body=(hostile + "refresh").encode(),
    )
    assert [refresh_of(found) for _ in range(20)] == [""] * 20


# The field's own inputs


def test_field_case_c16_every_source_has_one_end() -> None:
    told = {
        each["name"]: each["expect"] for each in json.loads(field_case("C16_loops.json"))["servers"]
    }
    ends = {name: outcome_of(name) for name in told}
    assert ends == {
        "self": "REDIRECT_LOOP",
        "self until cookie": "ok",
        "ring": "REDIRECT_LOOP",
        "growing": "TOO_MANY_REDIRECTS",
        "meta refresh to self": "ok",
        "meta refresh on": "ok",
        "twenty-one": "TOO_MANY_REDIRECTS",
        "post-redirect 303/308 mix": "ok",
    }


def outcome_of(name: str) -> str:
    start, answer = _LOOPS[name]
    with site(lambda path: [answer(path, server.sent("Cookie")[-1])]) as server:
        return outcome(public_web(server).fetcher(), f"http://public.test{start}")


_LOOPS: dict[str, tuple[str, Callable[[str, str], bytes]]] = {
    "self": ("/a", lambda _, __: moved("/a")),
    "self until cookie": (
        "/b",
        lambda _, cookie: answered() if cookie == "seen=1" else moved("/b", "Set-Cookie: seen=1"),
    ),
    "ring": ("/c", lambda path, _: moved("/d" if path == "/c" else "/c")),
    "growing": ("/e?q=X", lambda path, _: moved(path + "X")),
    "meta refresh to self": (
        "/f",
        lambda _, __: page("<meta http-equiv=refresh content='1800;url=/f'>"),
    ),
    "meta refresh on": (
        "/g",
        lambda path, _: (
            answered() if path == "/g2" else page("<meta http-equiv=refresh content='0;url=/g2'>")
        ),
    ),
    "twenty-one": (
        "/n/0",
        lambda path, _: answered() if path == "/n/21" else moved(f"/n/{int(path[3:]) + 1}"),
    ),
    "post-redirect 303/308 mix": (
        "/h",
        lambda path, _: {
            "/h": moved("/i", status="308 P"),
            "/i": moved("/j", status="303 See Other"),
        }.get(path, answered()),
    ),
}
