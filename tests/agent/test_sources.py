"""Addresses of sources."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.request import Asked, SourceKind
from lambdas.agent.sources import (
    LONGEST,
    fault_of,
    list_fault_of,
    listing,
    named_once,
    page,
    without_doubles,
)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("https://a.test/", ""),
        ("http://a.test:8080/x?y=1#z", ""),
        ("http://[2001:db8::1]/", ""),
        ("http://127.0.0.1:8477/acme/", ""),
        ("ftp://a.test/", "does not begin with http:// or https://"),
        ("file:///etc/hostname", "does not begin with"),
        ("//a.test/", "does not begin with"),
        ("javascript:alert(1)", "does not begin with"),
        ("https://", "host name that cannot be"),
        ("https://ann:secret@a.test/", "holds a user name"),
        ("https://a.test/ b", "holds a space"),
        ("https://a.test\\b", "a backslash"),
        ("https://a.test/\n", "nobody can see"),
        ("http://a.test:99999/", "a port that cannot be"),
        ("http://[::1/", "cannot be"),
        (f"https://a.test/{'x' * LONGEST}", "may have 1500"),
    ],
)
def test_an_address_says_what_is_wrong_with_it(url: str, fault: str) -> None:
    said = fault_of(url)

    assert fault in said
    assert bool(said) == bool(fault)


@given(url=st.text(max_size=60))
def test_any_text_gets_a_verdict(url: str) -> None:
    assert isinstance(fault_of(url), str)


@pytest.mark.promise("R16")
def test_one_page_under_many_names_is_one_source_that_knows_them() -> None:
    """Case C17. Fetched is the address that came first, as it was given."""
    names = ["https://A.test?utm_source=x", "https://a.test/#top", "https://a.test:443/"]

    one, other = without_doubles(map(page, [*names, names[1], "https://a.test/b"]))

    assert (one.url, one.also) == (names[0], tuple(names[1:]))
    assert one.item == page("https://a.test/").item
    assert (other.url, other.also) == ("https://a.test/b", ())


def test_a_source_that_was_tried_again_is_still_the_same() -> None:
    again = replace(page("https://a.test/"), item=page("https://a.test/").item + ".2")

    (one,) = without_doubles([again, page("https://a.test/#x")])

    assert one == replace(again, also=("https://a.test/#x",))


def test_an_address_that_was_canonical_before_keeps_its_place() -> None:
    """Places of tasks that were begun by an earlier version."""
    known = {
        "https://a.test/": "e595962d00496c56",
        "https://A.test:443": "e595962d00496c56",
        "https://a.test/b": "fd9e29982fffd9aa",
        "https://acme.test/pricing": "0665992f09b35db6",
        "https://acme.test/blog": "bb392a11e1a788c4",
    }

    assert {url: page(url).item for url in known} == known


def test_a_list_has_another_place_than_the_page_at_its_address() -> None:
    url = "https://a.test/feed.xml"
    feed, sitemap = Asked(url=url, kind=SourceKind.FEED), Asked(url=url, kind=SourceKind.SITEMAP)

    assert len({page(url).item, listing(feed).item, listing(sitemap).item}) == 3
    again = listing(replace(feed, url="https://A.test/feed.xml#x", limit=3))
    assert listing(feed).item == again.item


@pytest.mark.parametrize(
    ("url", "is_fine"),
    [
        ("https://a.test/", True),
        ("HTTP://a.test/", True),
        ("s3://our-bucket/secret.pdf", False),
        ("file:///etc/passwd", False),
        ("https://ann:secret@a.test/", False),
        ("/relative", False),
    ],
)
def test_what_a_list_names_is_read_over_the_web_alone(url: str, is_fine: bool) -> None:
    assert (list_fault_of(url) == "") is is_fine


def test_a_second_name_of_a_page_adds_nothing_to_what_a_request_is_known_by() -> None:
    """As it always was, whatever is canonical by now: a request that was begun is known again."""
    feed = Asked(url="https://a.test/", kind=SourceKind.FEED)
    asked = [
        Asked(url="https://A.test"),
        Asked(url="https://a.test/#top"),
        Asked(url="https://a.test/?utm_source=x"),
        Asked(url="s3://bucket/key"),
        feed,
        replace(feed, limit=3),
    ]

    assert named_once(asked) == (asked[0], *asked[2:])
