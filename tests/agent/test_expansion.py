"""Lists become pages: which list is asked next, and what has come of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.expansion import DEEPEST, LISTS_EACH, SPELT_OUT, Expansion
from lambdas.agent.listed_sources import found, sources_of
from lambdas.agent.listing import Listed, Listing, newest_first
from lambdas.agent.model import Fault
from lambdas.agent.request import Asked, SourceKind
from lambdas.agent.sources import MOST_SOURCES, page

SITE = "https://a.test"
DAY = 86_400.0


def asked(**changes: Any) -> Asked:
    usual = {"url": f"{SITE}/sitemap.xml", "kind": SourceKind.SITEMAP, "limit": 200}
    return Asked(**{**usual, **changes})


def pages(*paths: str, when: float = 0.0) -> tuple[Listed, ...]:
    return tuple(Listed(url=f"{SITE}{path}", when=when) for path in paths)


def heard(*said: Listing, of: Asked | None = None) -> Expansion:
    expansion = Expansion.of([of or asked()])
    for each in said:
        expansion = expansion.heard(each)
    return expansion


def kept(expansion: Expansion) -> list[str]:
    return [each.url.removeprefix(SITE) for each in expansion.gathered[0].pages]


def todo(expansion: Expansion) -> list[str]:
    return [each.url.removeprefix(SITE) for each in expansion.todo]


def fault(expansion: Expansion) -> Fault | None:
    (only,) = found(expansion, []).values()
    return only.fault


def gone(where: str = "somewhere") -> Fault:
    return Fault(error_code="HTTP_404", message=f"{where} is not there", dependency="a.test")


def test_the_newest_come_first_and_what_is_undated_keeps_its_order_behind() -> None:
    listed = (*pages("/x", "/y"), *pages("/old", when=DAY), *pages("/z"), *pages("/new", when=9e8))

    urls = [each.url.removeprefix(SITE) for each in newest_first(listed)]
    assert urls == ["/new", "/old", "/x", "/y", "/z"]


def test_no_more_pages_are_kept_than_were_asked_for_and_each_once() -> None:
    said = Listing(pages=pages("/a", "/a#top", "/a?utm_source=x", "/b", "/c", "/d"))

    assert kept(heard(said, of=asked(limit=3))) == ["/a", "/b", "/c"]


def test_the_newest_of_all_lists_are_kept() -> None:
    index = Listing(lists=pages("/1.xml", "/2.xml"))
    first = Listing(pages=(*pages("/a", when=1 * DAY), *pages("/b", when=5 * DAY)))
    second = Listing(pages=(*pages("/c", when=3 * DAY), *pages("/d", when=7 * DAY)))

    assert kept(heard(index, first, second, of=asked(limit=3))) == ["/d", "/b", "/c"]


@pytest.mark.parametrize(
    ("include", "exclude", "matching"),
    [
        ((), (), ["/docs/a", "/docs/b?x=1", "/blog/c", "/caf%C3%A9/d"]),
        (("/docs/*",), (), ["/docs/a", "/docs/b?x=1"]),
        (("/docs/*", "/blog/*"), (), ["/docs/a", "/docs/b?x=1", "/blog/c"]),
        ((), ("*[?]*",), ["/docs/a", "/blog/c", "/caf%C3%A9/d"]),
        (("/docs/*",), ("*/b*",), ["/docs/a"]),
        (("/docs",), (), []),
        (("/DOCS/*",), (), []),
        (("/caf\N{LATIN SMALL LETTER E WITH ACUTE}/*",), (), ["/caf%C3%A9/d"]),
    ],
)
def test_globs_choose_by_path_and_query(
    include: tuple[str, ...], exclude: tuple[str, ...], matching: list[str]
) -> None:
    said = Listing(pages=pages("/docs/a", "/docs/b?x=1", "/blog/c", "/caf%C3%A9/d"))

    assert kept(heard(said, of=asked(include=include, exclude=exclude))) == matching


def test_what_no_stranger_may_name_is_counted_and_not_read() -> None:
    hostile = ("s3://our-bucket/secret", "file:///etc/passwd", "https://ann:x@a.test/", "/rel")
    said = Listing(pages=tuple(Listed(url=url) for url in hostile) + pages("/a"), unusable=2)
    expansion = heard(said)

    assert kept(expansion) == ["/a"]
    told = fault(expansion)
    assert told
    assert told.error_code == "LIST_INCOMPLETE"
    assert "6 of the entries" in told.message


def test_an_index_that_names_itself_ends() -> None:
    """Case C25."""
    index = Listing(lists=pages("/a.xml", "/sitemap.xml", "/a.xml#x"))

    assert todo(heard(index)) == ["/a.xml"]
    assert todo(heard(index, index)) == []


def test_further_lists_are_asked_newest_first() -> None:
    lists = (*pages("/old", when=DAY), *pages("/undated"), *pages("/new", when=9 * DAY))

    assert todo(heard(Listing(lists=lists))) == ["/new", "/old", "/undated"]


def test_a_list_that_is_older_than_all_pages_kept_is_not_asked_for() -> None:
    lists = (*pages("/old", when=2 * DAY), *pages("/new", when=9 * DAY), *pages("/undated"))
    said = Listing(pages=pages("/a", "/b", when=8 * DAY))

    assert todo(heard(Listing(lists=lists), said, of=asked(limit=2))) == ["/undated"]
    assert todo(heard(Listing(lists=lists), said, of=asked(limit=3))) == ["/old", "/undated"]


def test_lists_are_followed_to_a_depth_and_no_further() -> None:
    expansion = Expansion.of([asked()])
    for depth in range(DEEPEST + 1):
        if expansion.todo:
            expansion = expansion.heard(Listing(lists=pages(f"/{depth}.xml"), pages=pages("/a")))

    assert expansion.todo == ()
    assert expansion.gathered[0].lists == DEEPEST + 1
    told = fault(expansion)
    assert told
    assert told.error_code == "LIST_CUT"
    assert f"1 of the {DEEPEST + 1} lists" in told.message


def test_no_more_lists_are_asked_for_than_the_bound_and_the_rest_is_told() -> None:
    expansion = heard(Listing(lists=pages(*(f"/{n}.xml" for n in range(LISTS_EACH + 34)))))

    assert len(expansion.todo) == LISTS_EACH - 1
    told = fault(expansion.cut_short())
    assert told
    assert told.error_code == "LIST_CUT"


def test_one_bad_list_among_good_ones_is_told_and_the_others_count() -> None:
    """Case C25."""
    expansion = heard(Listing(lists=pages("/1.xml", "/2.xml")), Listing(pages=pages("/a")))
    expansion = expansion.failed(gone(f"{SITE}/2.xml"))

    told = fault(expansion)
    assert kept(expansion) == ["/a"]
    assert told
    assert told.error_code == "LIST_INCOMPLETE"
    assert "1 of the 3 lists" in told.message
    assert f"{SITE}/2.xml is not there" in told.message


def test_a_thousand_bad_lists_are_counted_and_a_few_spelt_out() -> None:
    expansion = heard(Listing(lists=pages(*(f"/{n}.xml" for n in range(900)))))
    for n in range(900):
        expansion = expansion.failed(gone(f"{SITE}/{n}.xml"))

    told = fault(expansion)
    assert told
    assert "900 of the 901 lists" in told.message
    assert told.message.count("is not there") == SPELT_OUT
    assert len(told.message) < 1000


def test_a_list_that_fails_is_its_own_fault() -> None:
    assert fault(heard().failed(gone())) == gone()


@pytest.mark.parametrize(
    ("said", "include", "sentence"),
    [
        (Listing(), (), "names no page"),
        (Listing(pages=pages("/a", "/b")), ("/docs/*",), "None of the 2 pages"),
    ],
)
def test_a_list_of_nothing_says_why(said: Listing, include: tuple[str, ...], sentence: str) -> None:
    told = fault(heard(said, of=asked(include=include)))

    assert told
    assert told.error_code == "EMPTY_LIST"
    assert sentence in told.message
    assert told.dependency == "a.test"


def test_a_list_that_was_never_asked_for_is_told() -> None:
    told = fault(heard().cut_short())

    assert told
    assert told.error_code == "LIST_CUT"
    assert "was not asked for" in told.message


def test_a_list_that_does_not_answer_comes_after_the_others() -> None:
    expansion = Expansion.of([asked(), asked(url=f"{SITE}/other.xml")]).put_off(10)

    assert todo(expansion) == ["/other.xml", "/sitemap.xml"]
    assert [(each.tries, each.wait) for each in expansion.todo] == [(0, 0), (1, 10)]


def test_two_lists_at_one_address_are_gathered_apart() -> None:
    docs, blog = asked(include=("/docs/*",)), asked(include=("/blog/*",))
    said = Listing(pages=pages("/docs/a", "/blog/b"))

    expansion = Expansion.of([docs, blog]).heard(said).heard(said)

    assert [[p.url for p in each.pages] for each in found(expansion, []).values()] == [
        [f"{SITE}/docs/a"],
        [f"{SITE}/blog/b"],
    ]


def test_a_page_that_is_named_and_listed_is_one_source_at_its_first_place() -> None:
    """Case C17."""
    feed = asked(kind=SourceKind.FEED)
    request = [Asked(url=f"{SITE}/b?utm_source=x"), feed, Asked(url=f"{SITE}/c")]
    expansion = heard(Listing(pages=pages("/a", "/b", "/c")), of=feed)

    sources = sources_of(request, found(expansion, [page(f"{SITE}/b"), page(f"{SITE}/c")]))

    assert [(source.url.removeprefix(SITE), source.also) for source in sources] == [
        ("/b?utm_source=x", (f"{SITE}/b",)),
        ("/a", ()),
        ("/c", ()),
    ]


def test_a_list_that_is_not_whole_stands_before_its_pages() -> None:
    feed = asked(kind=SourceKind.FEED)
    expansion = heard(Listing(pages=pages("/a"), unusable=1), of=feed)

    listed, only = sources_of([feed], found(expansion, []))

    assert (listed.url, listed.kind) == (feed.url, SourceKind.FEED)
    assert (only.url, only.kind) == (f"{SITE}/a", SourceKind.PAGE)


def test_a_run_reads_so_many_sources_and_what_is_cut_is_told() -> None:
    said = Listing(pages=pages(*(f"/{n}" for n in range(5))))
    named = [page(f"{SITE}/0"), *(page(f"{SITE}/x{n}") for n in range(MOST_SOURCES - 3))]

    (only,) = found(heard(said), named).values()

    assert [each.url.removeprefix(SITE) for each in only.pages] == ["/0", "/1", "/2"]
    assert only.fault
    assert only.fault.error_code == "LIST_CUT"
    assert "2 of the pages" in only.fault.message
    assert "10,000" in only.fault.message


def test_the_room_of_a_run_is_shared_by_its_lists() -> None:
    lists = [asked(), asked(url=f"{SITE}/other.xml")]
    expansion = (
        Expansion.of(lists)
        .heard(Listing(pages=pages("/a")))
        .heard(Listing(pages=pages("/b", "/a")))
    )
    named = [page(f"{SITE}/x{n}") for n in range(MOST_SOURCES - 1)]

    first, second = found(expansion, named).values()

    assert ([p.url for p in first.pages], first.fault) == ([f"{SITE}/a"], None)
    assert [p.url for p in second.pages] == [f"{SITE}/a"]
    assert second.fault
    assert "1 of the pages" in second.fault.message


addresses = st.sampled_from([f"{SITE}/{name}" for name in ("a", "b", "c.xml", "d.xml", "e.xml")])
listed = st.builds(Listed, url=addresses, when=st.sampled_from([0.0, DAY, 2 * DAY]))
lists_of = st.lists(listed, max_size=5).map(tuple)
listings = st.builds(Listing, pages=lists_of, lists=lists_of, unusable=st.integers(0, 2))
answers = st.lists(listings | st.just(gone()) | st.just(10), max_size=60)


@given(answers, st.integers(1, 3))
def test_whatever_lists_say_the_work_ends_and_can_be_put_down_at_any_point(
    said: Sequence[Listing | Fault | int], limit: int
) -> None:
    expansion = Expansion.of([asked(limit=limit), asked(url=f"{SITE}/c.xml", limit=limit)])
    for each in said:
        if not expansion.todo:
            break
        match each:
            case Listing():
                expansion = expansion.heard(each)
            case Fault():
                expansion = expansion.failed(each)
            case wait:
                expansion = expansion.put_off(wait)
        assert Expansion.read(expansion.body()) == expansion
        assert all(len(now.pages) <= limit for now in expansion.gathered)
        assert all(now.lists <= 6 for now in expansion.gathered)
        assert len(expansion.todo) <= 12
