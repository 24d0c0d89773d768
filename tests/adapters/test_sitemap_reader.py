"""Sitemaps as they are: packed or not, XML or lines, whatever their names and headers say."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.adapters.sitemap_reader import MOST_UNPACKED, SitemapReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.listing import Listed, Listing
from lambdas.agent.pages import Page
from lambdas.agent.web_ports import Listings

CASES = Path(__file__).resolve().parents[2] / "../shared/cases/inputs"
READER: Listings = SitemapReader()
URL = "https://a.test/maps/sitemap.xml.gz"
SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def listing(body: str | bytes, content_type: str = "application/xml") -> Listing:
    content = body.encode() if isinstance(body, str) else body
    return READER.listing(Page(url=URL, status=200, content_type=content_type, body=content))


def urlset(*entries: str, space: str = SPACE, head: str = "") -> str:
    inner = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'{head}<urlset xmlns="{space}">{inner}</urlset>'


def loc(*urls: str) -> str:
    return urlset(*(f"<loc>{url}</loc>" for url in urls))


def urls(body: str | bytes) -> list[str]:
    return [each.url for each in listing(body).pages]


def refused(body: str | bytes) -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as error:
        listing(body)
    assert URL in str(error.value)
    assert error.value.dependency == "a.test"
    return error.value


@pytest.mark.parametrize(
    ("lastmod", "when"),
    [
        ("2026-03-01", 1_772_323_200.0),
        ("2026-03", 1_772_323_200.0),
        ("2026", 1_767_225_600.0),
        ("2026-03-01T10:00:00+01:00", 1_772_355_600.0),
        ("2026-03-01T09:00:00Z", 1_772_355_600.0),
        (" 2026-03-01T09:00:00.5Z\n", 1_772_355_600.5),
        ("1 March 2026", 0.0),
        ("2026-13-01", 0.0),
        ("9999-12-31T23:59:59-23:59", 253_402_387_139.0),
        ("", 0.0),
    ],
)
def test_a_page_is_dated_by_its_last_change(lastmod: str, when: float) -> None:
    body = urlset(f"<loc>https://a.test/1</loc><lastmod>{lastmod}</lastmod>")

    assert listing(body).pages == (Listed(url="https://a.test/1", when=when),)


def test_an_index_lists_further_lists() -> None:
    body = (
        f'<sitemapindex xmlns="{SPACE}">'
        "<sitemap><loc>https://a.test/1.xml</loc><lastmod>2026-03-01</lastmod></sitemap>"
        "<sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>"
    )

    assert listing(body) == Listing(
        lists=(
            Listed(url="https://a.test/1.xml", when=1_772_323_200.0),
            Listed(url="https://a.test/maps/2.xml.gz"),
        )
    )


def test_pictures_and_films_of_a_page_are_no_pages() -> None:
    body = urlset(
        '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        "<image:loc>https://a.test/1.png</image:loc></image:image>"
        "<loc>\n https://a.test/1?a=1&amp;b=2 \n</loc>"
        '<loc xmlns="http://other.test">https://a.test/other</loc>'
    )

    assert urls(body) == ["https://a.test/1?a=1&b=2"]


@pytest.mark.parametrize("space", ["", "http://www.google.com/schemas/sitemap/0.84", "any"])
def test_any_namespace_and_none_is_fine(space: str) -> None:
    assert urls(urlset("<loc>https://a.test/1</loc>", space=space)) == ["https://a.test/1"]


@pytest.mark.parametrize(
    "body",
    [
        loc("https://a.test/1").encode(),
        gzip.compress(loc("https://a.test/1").encode(), mtime=0),
        gzip.compress(
            b'<?xml version="1.0"?>\n<!-- a -->' + loc("https://a.test/1")[:60].encode(), mtime=0
        )
        + gzip.compress(loc("https://a.test/1")[60:].encode(), mtime=0),
        gzip.compress(b"https://a.test/1\r\n", mtime=0),
        b"\xef\xbb\xbfhttps://a.test/1\n",
        "\ufeffhttps://a.test/1\n".encode("utf-16-le"),
        b"\xef\xbb\xbf\n " + loc("https://a.test/1").encode(),
        loc("https://a.test/1").encode("utf-16"),
    ],
)
def test_kind_and_packing_are_told_by_the_bytes(body: bytes) -> None:
    """Case C25: the name says .xml.gz to all of them."""
    assert urls(body) == ["https://a.test/1"]


def test_lines_that_are_no_address_are_counted() -> None:
    """Case C25."""
    body = "https://a.test/1\nHTTP://a.test/2\n\nnot a url\n"

    assert listing(body) == Listing(
        pages=(Listed(url="https://a.test/1"), Listed(url="HTTP://a.test/2")), unusable=1
    )


def test_entries_without_an_address_are_counted() -> None:
    body = urlset("<loc>https://a.test/1</loc>", "<lastmod>2026</lastmod>", "<loc> </loc>", "")

    assert listing(body).unusable == 3


def test_what_is_not_well_formed_is_read_as_far_as_it_goes() -> None:
    body = urlset("<loc>https://a.test/1?a=1&b=2</loc>", "<loc>https://a.test/2</loc></oops>")

    assert urls(body)[0].startswith("https://a.test/1?a=1")
    assert len(urls(body)) == 2
    assert urls(loc("https://a.test/1", "https://a.test/2")[:-15]) == urls(
        loc("https://a.test/1", "https://a.test/2")
    )


def test_a_feed_may_be_a_sitemap() -> None:
    body = "<rss><channel><item><link>https://a.test/1</link></item></channel></rss>"

    assert urls(body) == urls(gzip.compress(body.encode(), mtime=0)) == ["https://a.test/1"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<!doctype html><html><head></head><body>Not here</body></html>", "NOT_A_SITEMAP"),
        (b"<html><body>Not here</body></html>", "NOT_A_SITEMAP"),
        (b"<note>any</note>", "NOT_A_SITEMAP"),
        (b"<", "NOT_A_SITEMAP"),
        (b"Not found", "NOT_A_SITEMAP"),
        (b"\x00\x01\x02\xff" * 30, "NOT_A_SITEMAP"),
        (gzip.compress(b"any", mtime=0)[:-9], "TRUNCATED"),
        (loc("https://a.test/1", "https://a.test/2")[:-30].encode(), "TRUNCATED"),
        (b"\x1f\x8bany other thing", "NOT_A_SITEMAP"),
        (gzip.compress(gzip.compress(b"any", mtime=0), mtime=0), "NOT_A_SITEMAP"),
        (gzip.compress(b" " * (MOST_UNPACKED + 1), mtime=0), "TOO_LARGE"),
    ],
    ids=range(11),
)
def test_what_is_no_sitemap_says_so(body: bytes, code: str) -> None:
    assert refused(body).code == code


def test_an_empty_file_lists_nothing() -> None:
    assert listing(b"") == listing(urlset()) == Listing()


def test_what_packs_well_is_unpacked_whole() -> None:
    body = loc(*(f"https://a.test/{n % 7}" for n in range(100_000)))

    assert len(listing(gzip.compress(body.encode(), compresslevel=9, mtime=0)).pages) == 100_000


def test_a_bomb_is_given_up_before_it_fills_the_memory() -> None:
    body = gzip.compress(b"<urlset>" + b" " * 400_000_000, compresslevel=1, mtime=0)
    tracemalloc.start()

    assert refused(body).code == "TOO_LARGE"

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MOST_UNPACKED


def test_entities_are_neither_expanded_nor_fetched() -> None:
    grows = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    head = (
        f'<!DOCTYPE urlset [<!ENTITY e0 "0123456789">{grows}'
        '<!ENTITY file SYSTEM "file:///etc/hostname">]>'
    )
    body = urlset("<loc>https://a.test/&e12;&file;</loc>", "<loc>https://a.test/2</loc>", head=head)

    assert urls(body) == ["https://a.test/", "https://a.test/2"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("C25_plain_named_gz.xml.gz", ["https://s.example/p1"]),
        ("C25_real.xml.gz", ["https://s.example/g1", "https://s.example/g2?a=1&b=2"]),
        ("C25_list.txt.gz", ["https://s.example/t1", "https://s.example/t2"]),
    ],
)
def test_the_sitemaps_of_the_field_are_read(name: str, expected: list[str]) -> None:
    """Case C25."""
    if not (CASES / name).exists():
        pytest.skip(f"{CASES} is not here")

    assert urls((CASES / name).read_bytes()) == expected


PIECES = [
    *("<urlset>", "</urlset>", "<url>", "</url>", "<loc>", "</loc>", "https://a.test/1", "//["),
    *("<sitemapindex>", "<sitemap>", "<lastmod>", "2026", "&", "&#0;", "<!--", "-->", "<![CDATA["),
    *("<?xml version='1.0' encoding='utf-16'?>", "<!DOCTYPE a [", "]>", "\x00", "\xff", "\n", "<"),
    *("<rss>", "<html>", "\ufeff", "<x:url xmlns:x='a'>", "<x:loc>"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.booleans())
def test_whatever_stands_in_a_sitemap_it_is_read_or_refused(body: str, packed: bool) -> None:
    content = gzip.compress(body.encode(), mtime=0) if packed else body.encode("latin-1", "replace")
    try:
        said = listing(content)
    except SourceUnreadable:
        return
    assert all(each.url for each in (*said.pages, *said.lists))
