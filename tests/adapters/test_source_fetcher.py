"""Which fetcher a source is asked of."""

from __future__ import annotations

import pytest

from lambdas.adapters.source_fetcher import SourceFetcher
from lambdas.agent.errors import SourceRefused
from lambdas.agent.pages import Page, Unchanged, Validators
from tests.fakes.outside import FakeWeb

WEB, OBJECT = "https://any.example/a", "s3://any-bucket/a"


@pytest.mark.parametrize(
    ("url", "body"), [(WEB, b"of the web"), (OBJECT, b"of the bucket"), ("S3://B/a", b"capital")]
)
def test_an_address_is_asked_of_its_own_kind(url: str, body: bytes) -> None:
    objects = FakeWeb({OBJECT: b"of the bucket", "S3://B/a": b"capital"})
    answer = SourceFetcher(web=FakeWeb({WEB: b"of the web"}), objects=objects).get(url, seconds=5)

    assert isinstance(answer, Page)
    assert answer.body == body


@pytest.mark.parametrize("url", [WEB, OBJECT])
def test_what_was_known_is_passed_on(url: str) -> None:
    fetcher = FakeWeb({url: b"any"})
    fetcher.validators[url] = known = Validators(etag='"any"')

    answer = SourceFetcher(web=fetcher, objects=fetcher).get(url, seconds=5, known=known)
    assert isinstance(answer, Unchanged)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://any.example/", "s3a://b/a", "x"])
def test_whatever_is_neither_meets_the_guard_of_the_web(url: str) -> None:
    web, objects = FakeWeb(), FakeWeb({url: b"never"})

    with pytest.raises(SourceRefused):
        SourceFetcher(web=web, objects=objects).get(url, seconds=5)
    assert (web.asked, objects.asked) == ([url], [])
