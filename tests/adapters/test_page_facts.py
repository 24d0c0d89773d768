"""What a page says of itself: the surest evidence counts, and says where it stands."""

from __future__ import annotations

import json

import pytest

from tests.adapters.pages import ANY_PARAGRAPHS, article, read

TITLE = "<title>Any title</title>"


def linked(data: object) -> str:
    return f"{TITLE}<script type='application/ld+json'>{json.dumps(data)}</script>"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        (
            "<title>Long | Site</title><meta property='og:title' content=' Short&amp;good '>",
            "Short&good",
        ),
        ("<title>Long | Site</title>", "The heading"),
        ("", "The heading"),
    ],
)
def test_the_title_is_what_the_page_calls_itself(head: str, title: str) -> None:
    page = article(f"<h1>The <br>heading</h1>{ANY_PARAGRAPHS}", head=head)
    text = read(page)
    assert text.title == title
    assert text.language == "en"


def test_without_a_single_main_heading_the_title_is_the_page_title() -> None:
    page = article(f"<h1>One</h1>{ANY_PARAGRAPHS}<h1>Two</h1>{ANY_PARAGRAPHS}")
    assert read(page).title == "Any title"


@pytest.mark.parametrize(
    ("lang", "language"), [("de-AT", "de"), ("EN", "en"), ("", ""), ("x", ""), ("english", "")]
)
def test_the_language_is_what_the_page_declares(lang: str, language: str) -> None:
    page = article(ANY_PARAGRAPHS).replace("lang='en'", f"lang='{lang}'")
    assert read(page).language == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("<meta property='og:locale' content='fr_FR'>", "fr"),
        ("<meta http-equiv='Content-Language' content='de, en'>", "de"),
        ("", ""),
    ],
)
def test_without_an_attribute_the_language_is_what_the_head_says(head: str, language: str) -> None:
    page = article(ANY_PARAGRAPHS, head=TITLE + head).replace("lang='en'", "")
    assert read(page).language == language


@pytest.mark.parametrize(
    ("head", "inside", "published", "by"),
    [
        (
            linked({"@type": "NewsArticle", "datePublished": "2026-03-01T23:30:00-05:00"}),
            "",
            "2026-03-01",
            "json-ld datePublished",
        ),
        (
            linked(
                {
                    "@graph": [
                        {"@type": "WebSite"},
                        {"@type": ["Article"], "datePublished": "2026-03-01"},
                    ]
                }
            ),
            "",
            "2026-03-01",
            "json-ld datePublished",
        ),
        (
            "<meta property='article:published_time' content='2026-03-01 08:00'>",
            "",
            "2026-03-01",
            "meta article:published_time",
        ),
        (
            "<meta name='DC.date.issued' content='20260301'>",
            "",
            "2026-03-01",
            "meta dc.date.issued",
        ),
        (
            "",
            "<span itemprop='datePublished' content='2026/03/01'>March</span>",
            "2026-03-01",
            "itemprop datePublished",
        ),
        ("", "<time datetime='2026-03-01T08:00Z'>Sunday</time>", "2026-03-01", "time datetime"),
        ("", "<p class='post-date'>March 1st, 2026</p>", "2026-03-01", "byline"),
        ("", "<p class='meta'>1. M\u00e4rz 2026, 8 Uhr</p>", "2026-03-01", "byline"),
    ],
)
def test_the_date_comes_with_the_place_that_says_it(
    head: str, inside: str, published: str, by: str
) -> None:
    text = read(article(inside + ANY_PARAGRAPHS, head=TITLE + head))
    assert (text.published, text.published_by) == (published, by)


def test_the_surest_evidence_counts() -> None:
    head = linked({"@type": "WebPage", "datePublished": "2020-01-01"}) + linked(
        {"@type": "BlogPosting", "datePublished": "2026-03-01"}
    )
    page = article(f"<time datetime='2021-01-01'></time>{ANY_PARAGRAPHS}", head=head)
    assert read(page).published == "2026-03-01"


@pytest.mark.parametrize(
    ("head", "inside"),
    [
        ("", "<p>On March 1, 2026 the council met.</p>"),
        ("", "<time datetime='2026-03-01'></time><time datetime='2026-03-02'></time>"),
        ("", "<footer><time datetime='2026-03-01'></time></footer>"),
        ("<meta name='date' content='03/01/2026'>", ""),
        ("<meta name='date' content='0001-01-01T00:00:00'>", ""),
        ("<meta name='date' content='2026-13-41'>", ""),
        (linked({"@type": "Person", "datePublished": "2026-03-01"}), ""),
        ("<script type='application/ld+json'>{broken</script>", ""),
        (f"<script type='application/ld+json'>{'[' * 50_000}</script>", ""),
    ],
)
def test_what_says_no_date_for_sure_says_none(head: str, inside: str) -> None:
    text = read(article(inside + ANY_PARAGRAPHS, head=TITLE + head))
    assert (text.published, text.published_by) == ("", "")


def test_an_address_is_no_evidence_of_a_date() -> None:
    page = article(ANY_PARAGRAPHS, head="<link rel='canonical' href='/2026/03/01/x.html'>")
    assert read(page).published == ""


@pytest.mark.parametrize(
    ("head", "inside", "author"),
    [
        (linked({"@type": "Article", "author": {"name": "Ann Lee"}}), "", "Ann Lee"),
        (
            linked({"@type": "Article", "author": [{"name": "Ann Lee"}, "Bo Ek"]}),
            "",
            "Ann Lee, Bo Ek",
        ),
        ("<meta name='author' content=' Ann  Lee '>", "", "Ann Lee"),
        ("", "<a rel='author' href='/ann'>Ann Lee</a>", "Ann Lee"),
        ("", "<p class='byline'>By Ann Lee</p>", "Ann Lee"),
        ("<meta name='author' content='https://a.example/ann'>", "", ""),
        ("<meta rel='author' content='humans.txt' name='author'>", "", ""),
        ("", "<p class='author-box'>Read more of what our authors think</p>", ""),
        ("", f"<p class='byline'>By {'somebody ' * 20}</p>", ""),
    ],
)
def test_the_author_is_a_name(head: str, inside: str, author: str) -> None:
    assert read(article(inside + ANY_PARAGRAPHS, head=TITLE + head)).author == author
