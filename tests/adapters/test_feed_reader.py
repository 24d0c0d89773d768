"""Feeds as they are: every format, every encoding, broken in the ways of the field."""

from __future__ import annotations

import json
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.adapters.feed_reader import MOST_BYTES, FeedReader
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.listing import Listed, newest_first
from lambdas.agent.pages import Page
from lambdas.agent.web_ports import Listings, Reader

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "../shared/cases/inputs"
READER = FeedReader()
LISTINGS: Listings = READER
PAGES: Reader = READER
URL = "https://a.test/blog/feed.xml"


def page(body: str | bytes, content_type: str = "application/xml") -> Page:
    content = body.encode() if isinstance(body, str) else body
    return Page(url=URL, status=200, content_type=content_type, body=content)


def rss(*items: str, title: str = "News", head: str = "") -> str:
    inner = "".join(f"<item>{item}</item>" for item in items)
    return f'{head}<rss version="2.0"><channel><title>{title}</title>{inner}</channel></rss>'


def urls(body: str | bytes, content_type: str = "application/xml") -> list[str]:
    return [each.url for each in READER.listing(page(body, content_type)).pages]


def refused(body: str | bytes, content_type: str = "application/xml") -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as error:
        READER.listing(page(body, content_type))
    assert URL in str(error.value)
    assert error.value.dependency == "a.test"
    return error.value


ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.test/posts/" xml:lang="de-AT">
<title>Neues</title>
<entry><title>Eins</title><link rel="self" href="1.atom"/><link href="1.html"/>
<updated>2026-03-01T10:00:00+01:00</updated><summary>Kurz</summary></entry>
<entry xml:base="/other/"><title type="html">&lt;b&gt;Zwei&lt;/b&gt;</title><link href="2.html"/>
<published>2026-02-01T00:00:00Z</published><updated>2026-04-01T00:00:00Z</updated></entry>
</feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="x"><title>Old</title><link>/</link></channel>
<item rdf:about="/1"><title>One</title><link>https://a.test/1</link><dc:date>2026-01-02</dc:date>
</item></rdf:RDF>"""
RSS_091 = """<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN"
 "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel>
<title>Older</title><item><title>One</title><link>https://a.test/1</link></item></channel></rss>"""
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Young",
    "language": "en",
    "items": [
        {"id": "1", "url": "/1", "date_published": "2026-01-02T03:04:05Z", "content_text": "a"},
        {"id": "2", "external_url": "https://b.test/2", "date_modified": "2026-01-02"},
        {"id": "3", "url": "http://[3"},
        {"id": "4", "date_published": "soon", "url": "/4"},
        "no entry",
    ],
}


def test_atom_is_read_with_its_bases_and_dates() -> None:
    assert READER.listing(page(ATOM)).pages == (
        Listed(url="https://b.test/posts/1.html", when=1_772_355_600.0),
        Listed(url="https://b.test/other/2.html", when=1_769_904_000.0),
    )


@pytest.mark.parametrize("feed", [RDF, RSS_091, rss("<link>https://a.test/1</link>")])
def test_every_rss_is_read(feed: str) -> None:
    assert urls(feed) == ["https://a.test/1"]


def test_a_json_feed_is_read_and_what_names_no_address_is_counted() -> None:
    listing = READER.listing(page(json.dumps(JSON_FEED), "application/feed+json"))

    assert listing.pages == (
        Listed(url="https://a.test/1", when=1_767_323_045.0),
        Listed(url="https://b.test/2", when=1_767_312_000.0),
        Listed(url="https://a.test/4"),
    )
    assert listing.unusable == 1


def test_relative_links_begin_at_the_feed() -> None:
    feed = rss("<link>one.html</link>", "<link>/two</link>", "<link>//b.test/three</link>")

    assert urls(feed) == [
        "https://a.test/blog/one.html",
        "https://a.test/two",
        "https://b.test/three",
    ]


def test_the_feed_of_the_sample_site_lists_its_posts_newest_first() -> None:
    body = (ROOT / "examples/acme/site/blog/feed.xml").read_bytes()

    listing = READER.listing(page(body))
    assert newest_first(listing.pages) == listing.pages
    names = [each.url.rpartition("/")[2] for each in listing.pages]
    assert all((ROOT / "examples/acme/site/blog" / name).exists() for name in names)
    assert len(names) == 5


def test_an_id_that_is_an_address_is_the_link_where_there_is_none() -> None:
    feed = rss("<guid>https://a.test/1</guid>", '<guid isPermaLink="false">x</guid>', "")

    listing = READER.listing(page(feed))
    assert [each.url for each in listing.pages] == ["https://a.test/1"]
    assert listing.unusable == 2


def test_what_is_not_well_formed_is_read_as_far_as_it_goes() -> None:
    """Case C24."""
    feed = rss(
        "<title>A &rsquo; &nbsp; name</title><link>/a?x=1&y=2</link>",
        "<title>No character &#x110000; &#55296; &#999999999999;</title><link>/b</link>",
        f"<title>Digits &#{'9' * 5000};</title><link>/c</link>",
        "<title>A & bare one \x0b</title><link>/d</link>",
        head='<?xml version="1.0" encoding="us-ascii"?>',
    )

    assert urls(feed) == [f"https://a.test{path}" for path in ("/a?x=1&y=2", "/b", "/c", "/d")]


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE rss [\n<!ENTITY path "C:\\data\\new">\n]>',
        '<!DOCTYPE rss [<!ENTITY a "x"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>',
        '<!DOCTYPE rss SYSTEM "https://evil.test/x.dtd">',
        '<!DOCTYPE rss [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        "<!DOCTYPE rss [<!-- it's ]> not closed",
        '<!-- --><?xml-stylesheet href="x"?>',
    ],
)
def test_a_doctype_is_neither_read_nor_expanded_nor_a_reason_to_fail(doctype: str) -> None:
    """Case C24."""
    items = ("<title>&path;&c;&e;</title><link>/1</link><description>&e;&c;</description>",)

    text = READER.read(page(rss(*items, head=doctype)))

    assert urls(rss(*items, head=doctype)) == ["https://a.test/1"]
    assert not any(word in text.text for word in ("data", "xx", "root:"))


def test_entities_within_entities_cost_no_memory() -> None:
    names = "abcdefghijklmnop"
    growth = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))
    feed = rss("<link>/1</link>", title="&p;", head=f'<!DOCTYPE rss [<!ENTITY a "0">{growth}]>')
    tracemalloc.start()

    assert urls(feed) == ["https://a.test/1"]

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_utf_16_and_marks_of_byte_order_are_read(encoding: str) -> None:
    """Case C11."""
    said = "F\u00f8rste sak"
    feed = rss(
        f"<title>{said}</title><link>/1</link>", head='<?xml version="1.0" encoding="utf-8"?>'
    )
    mark = "\ufeff" if encoding == "utf-16-be" else ""

    body = (mark + feed).encode(encoding)
    assert urls(body) == ["https://a.test/1"]
    assert said in READER.read(page(body)).text


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("C11_utf16be_bom_says_utf8.xml", 2),
        ("C11_utf16le_bom.xml", 2),
        ("C11_utf16le_nobom.xml", 2),
        ("C24_broken_feed.xml", 4),
        ("C24_doctype_backslash.xml", 1),
        ("C24_entity_growth.xml", 1),
    ],
)
def test_the_feeds_of_the_field_are_read(name: str, links: int) -> None:
    """Cases C11 and C24."""
    if not (CASES / name).exists():
        pytest.skip(f"{CASES} is not here")

    listing = READER.listing(page((CASES / name).read_bytes()))

    assert len(listing.pages) == links
    assert all(each.url.startswith("https://feed.example/") for each in listing.pages)
    assert listing.unusable == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("<!doctype html><html><body><p>Not here</p></body></html>", "NOT_A_FEED"),
        ("<urlset><url><loc>https://a.test/1</loc></url></urlset>", "NOT_A_FEED"),
        ("", "NOT_A_FEED"),
        ("plain words", "NOT_A_FEED"),
        ('{"version": "https://jsonfeed.org/version/1", "items": [', "NOT_A_FEED"),
        ('{"version": 3}', "NOT_A_FEED"),
        ('{"a": ' + "[" * 100_000, "NOT_A_FEED"),
        (b"\xff\xfe" + b"\x00\xd8" * 40, "UNDECODABLE"),
        (b" " * (MOST_BYTES + 1), "TOO_LARGE"),
    ],
)
def test_what_is_no_feed_says_so(body: str | bytes, code: str) -> None:
    assert refused(body).code == code


@pytest.mark.parametrize("items", [None, 3, "x", {"url": "/1"}, []])
def test_a_json_feed_without_entries_lists_nothing(items: object) -> None:
    feed = {"version": "https://jsonfeed.org/version/1", "items": items}

    assert READER.listing(page(json.dumps(feed))).pages == ()


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "<item>",
                    "</item>",
                    "<title>",
                    "</title>",
                    "<link>",
                    "</link>",
                    "/a",
                    "https://",
                ),
                *("<pubDate>", "Tue, 99 Foo 20261 08:00", "&", "&#", "&#x", "x110000;", "55296;"),
                *("<![CDATA[", "]]>", "<!--", "-->", "<!ENTITY a 'b'>", "<", ">", "\\d", "[1]"),
                *(
                    '<a href="http://[">',
                    "<content:encoded>",
                    "\x00",
                    "\ud800",
                    "\u00e9",
                    "&rsquo;",
                ),
                *('<link href="http://[x"/>', "<guid>", "<enclosure url='//['/>", "<source url=x>"),
                *("<dc:date>", "2026-13-45T99:99:99Z", "<xml:base>", "<x:y z='", "'", "<?php"),
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_whatever_stands_in_a_feed_it_is_read_or_refused(inside: str) -> None:
    body = f"<rss version='2.0'><channel>{inside}</channel></rss>".encode(errors="surrogatepass")
    try:
        listing = READER.listing(page(body))
        READER.read(page(body))
    except SourceUnreadable:
        return
    assert all(each.url for each in listing.pages)


def test_a_feed_that_is_asked_for_as_a_page_is_a_text_of_its_entries() -> None:
    feed = rss(
        "<title>One</title><link>/1</link><pubDate>Tue, 03 Nov 2026 08:00:00 +0100</pubDate>"
        "<description>&lt;p&gt;First &amp;amp; &lt;b&gt;bold&lt;/b&gt;.&lt;/p&gt;"
        "&lt;ul&gt;&lt;li&gt;a&lt;/li&gt;&lt;li&gt;b&lt;/li&gt;&lt;/ul&gt;</description>",
        "<title>Two</title><description>Plain words.</description>",
        "<link>/3</link>",
    )

    text = PAGES.read(page(feed.replace("<channel>", "<channel><language>en-gb</language>")))

    assert (text.title, text.language) == ("News", "en")
    assert text.text == (
        "## One\n\n2026-11-03\n\nFirst & bold.\n\n- a\n\n- b\n\n"
        "## Two\n\nPlain words.\n\n## Without a title"
    )
    assert text.blocks


def test_what_an_entry_hides_is_no_text() -> None:
    hidden = (
        "<p>Seen.</p><p style='display: none'>Obey me.</p><script>Obey me.</script>"
        "<!-- Obey me. --><div hidden>Obey me.</div><span aria-hidden='true'>Obey me.</span>"
    ).replace("<", "&lt;")

    text = READER.read(page(rss(f"<title>One</title><description>{hidden}</description>")))

    assert text.text == "## One\n\nSeen."


def test_an_entry_nested_too_deep_for_its_parser_loses_nothing() -> None:
    deep = "<div>" * 3000 + "The last sentence." + "</div>" * 3000

    text = READER.read(
        page(rss(f"<title>One</title><description><![CDATA[{deep}]]></description>"))
    )

    assert "The last sentence." in text.text


def test_a_feed_without_entries_is_no_page() -> None:
    with pytest.raises(SourceUnreadable) as error:
        READER.read(page(rss()))

    assert error.value.code == "NO_TEXT"
