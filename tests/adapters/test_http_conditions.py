"""Whether a page is as it was: what is asked with, where, and what an answer may say to it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lambdas.adapters.http_conditions import condition, validators_of
from lambdas.adapters.http_fetcher import Limits
from lambdas.adapters.http_head import Head
from lambdas.agent.pages import Page, Unchanged, Validators
from tests.adapters.fetching import asked, fetched, unavailable
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

HERE = "http://public.test/"
LONG_AGO = "Sun, 06 Nov 1994 08:49:37 GMT"
LATER = "Mon, 07 Nov 1994 08:49:37 GMT"
KNOWN = Validators(etag='"a"', last_modified=LONG_AGO, url=HERE)
NOW = datetime(2026, 7, 29, tzinfo=UTC).timestamp()
NOTHING = "HTTP/1.1 304 Not Modified"


def unmodified(*headers: str) -> bytes:
    return "\r\n".join([NOTHING, *headers, "", ""]).encode()


def test_a_page_comes_with_what_its_server_said_of_it() -> None:
    headers = ('ETag: "a"', f"Last-Modified: {LONG_AGO}")
    with site(lambda p: [moved("/") if p == "/a" else answered(b"x", *headers)]) as server:
        assert fetched(server, "/a").validators == KNOWN
    with site(answered()) as server:
        assert fetched(server).validators == Validators()


def test_nothing_is_asked_where_nothing_is_known() -> None:
    with site(answered()) as server:
        for known in (None, Validators()):
            assert isinstance(asked(server, known=known), Page)
    assert server.sent("If-None-Match") == server.sent("If-Modified-Since") == ["", ""]


@pytest.mark.parametrize("known", [KNOWN, Validators(etag='"a"', last_modified=LONG_AGO)])
def test_a_page_that_is_as_it_was_is_not_sent_again(known: Validators) -> None:
    with site(unmodified()) as server:
        assert asked(server, known=known) == Unchanged(url=HERE, validators=KNOWN)
    assert server.sent("If-None-Match") == ['"a"']
    assert server.sent("If-Modified-Since") == [LONG_AGO]


@pytest.mark.parametrize(
    ("headers", "validators"),
    [
        (['ETag: W/"b"'], Validators(etag='W/"b"', last_modified=LONG_AGO, url=HERE)),
        ([f"Last-Modified: {LATER}"], Validators(etag='"a"', last_modified=LATER, url=HERE)),
        (["ETag: no etag"], KNOWN),
        (["Content-Length: 10000"], KNOWN),  # of the page that is not sent
    ],
)
def test_new_validators_take_the_place_of_the_known_ones(
    headers: list[str], validators: Validators
) -> None:
    with site(unmodified(*headers)) as server:
        assert asked(server, known=KNOWN) == Unchanged(url=HERE, validators=validators)


def test_a_page_that_has_changed_comes_with_its_new_validators() -> None:
    with site(answered(b"new", 'ETag: "b"')) as server:
        page = asked(server, known=KNOWN)
    assert isinstance(page, Page)
    assert (page.body, page.validators) == (b"new", Validators(etag='"b"', url=HERE))


@pytest.mark.parametrize(
    "known", [None, Validators(), Validators(etag="*"), Validators(etag='"a"', url=f"{HERE}b")]
)
def test_unchanged_is_no_answer_to_who_has_not_asked(known: Validators | None) -> None:
    with site(unmodified()) as server:
        assert unavailable(server, known=known).code == "BAD_ANSWER"


def test_only_the_address_that_said_so_is_told() -> None:
    with site(lambda p: [moved("/b") if p == "/a" else unmodified()]) as server:
        known = Validators(etag='"b"', url=f"{HERE}b")
        assert asked(server, "/a", known=known) == Unchanged(url=f"{HERE}b", validators=known)
    assert server.sent("If-None-Match") == ["", '"b"']


def test_where_the_way_has_changed_nobody_is_told() -> None:
    with site(lambda p: [moved("/new") if p == "/a" else answered(b"new")]) as server:
        page = asked(server, "/a", known=Validators(etag='"old"', url=f"{HERE}old"))
    assert isinstance(page, Page)
    assert server.sent("If-None-Match") == ["", ""]


def test_another_host_is_never_told() -> None:
    with site(moved("http://other.test/")) as first, site(answered()) as second:
        names = {"public.test": [PUBLIC], "other.test": [OTHER_PUBLIC]}
        world = InventedWeb(names, {PUBLIC: first.port, OTHER_PUBLIC: second.port})
        known = Validators(etag='"secret"')  # of the address that is asked
        world.fetcher().get(HERE, seconds=LONG, known=known)
    assert first.sent("If-None-Match") == ['"secret"']
    assert second.sent("If-None-Match") == [""]


@pytest.mark.parametrize(
    "etag",
    [
        "*",
        "unquoted",
        '"a", "b"',
        '"with blanks "',
        '"a"\r\nCookie: x',
        '"\xe9"',
        f'"{"x" * 600}"',
        "",
    ],
)
def test_what_could_not_be_sent_back_as_it_is_is_forgotten(etag: str) -> None:
    head = Head(status=200, fields=(("etag", etag),))
    assert validators_of(head, HERE, NOW) == Validators()
    assert condition(Validators(etag=etag, last_modified=f"{LONG_AGO}\r\nCookie: x")) == []


@pytest.mark.parametrize(
    "date",
    [
        "Wed, 29 Jul 2026 00:00:01 GMT",  # to come: with it the page would never change again
        "Sun, 06 Nov 2094 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "0",
        "never",
    ],
)
def test_a_date_that_says_nothing_is_forgotten(date: str) -> None:
    head = Head(status=200, fields=(("last-modified", date),))
    assert validators_of(head, HERE, NOW) == Validators()


def test_field_case_c20_three_runs_and_a_word_that_nobody_asked_for() -> None:
    answers = iter(
        [answered(b"x", 'ETag: "A"'), answered(b"x", 'ETag: "B"'), unmodified(), unmodified()]
    )
    with site(lambda _: [next(answers)]) as server:
        fetcher = public_web(server).fetcher(limits=Limits())
        known = Validators()
        for _ in range(3):
            known = fetcher.get(HERE, seconds=LONG, known=known).validators
        assert unavailable(server).code == "BAD_ANSWER"
    assert server.sent("If-None-Match") == ["", '"A"', '"B"', ""]
    assert known == Validators(etag='"B"', url=HERE)
