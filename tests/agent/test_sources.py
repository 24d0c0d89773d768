"""Addresses of sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.sources import LONGEST, fault_of, same_page, without_doubles


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
def test_one_page_under_two_names_is_read_once() -> None:
    sources = without_doubles(
        ["https://A.test", "https://a.test/#top", "https://a.test:443/", "https://a.test/b"]
    )

    assert [source.url for source in sources] == ["https://A.test", "https://a.test/b"]


def test_what_may_mean_another_page_stays_another_page() -> None:
    different = ["https://a.test/B", "https://a.test/b", "https://a.test/b?x=1", "http://a.test/b"]

    assert len({same_page(url) for url in different}) == 4
