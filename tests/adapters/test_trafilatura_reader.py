"""The reader on pages as they are: mislabelled, broken, hiding things, far too large."""

from __future__ import annotations

import gzip
import json
import logging
import re
import runpy
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lambdas.agent.grounding import Grounds
from tests.adapters.pages import (
    ANY_PARAGRAPHS,
    INPUTS,
    article,
    field_case,
    parts,
    read,
    unreadable,
)

# What becomes of a page


def test_a_page_becomes_markdown_whose_blocks_have_exact_offsets() -> None:
    text = read(
        article(
            f"""<h1>Heat plan</h1>{ANY_PARAGRAPHS}
            <h2>What you
            receive</h2>
            <p>There are three <b>grants</b>, <a href="/x">all of them</a> new:</p>
            <ul><li><span>100 euro for insulation</span></li>
                <li>200 euro for a boiler <ul><li>if it is new</li></ul></li></ul>
            <ol><li>Ask for advice</li><li>Write the <i>letter</i></li></ol>
            <table><tr><th>Plan</th><th>Price | month</th></tr>
                   <tr><td>Basic</td><td>9 <b>euro</b></td></tr>
                   <tr><td>Pro</td><td>29 euro</td></tr></table>
            <blockquote><p>We are glad.</p><p>Very glad indeed.</p></blockquote>
            <pre><code>heat = {{
    "on": True,
}}</code></pre>
            <p>Call <code>heat.off()</code> at night.<br>And sleep.</p>"""
        )
    )
    assert parts(text) == [
        ("heading", "# Heat plan"),
        *[("paragraph", words) for words in ANY_PARAGRAPHS[3:-4].split("</p><p>")],
        ("heading", "## What you receive"),
        ("paragraph", "There are three grants, all of them new:"),
        (
            "list",
            (
                "- 100 euro for insulation\n- 200 euro for a boiler\n  - if it is new\n\n"
                "1. Ask for advice\n2. Write the letter"
            ),
        ),
        (
            "table",
            "| Plan | Price \\| month |\n|---|---|\n| Basic | 9 euro |\n| Pro | 29 euro |",
        ),
        ("quote", "> We are glad.\n>\n> Very glad indeed."),
        ("code", '```\nheat = {\n    "on": True,\n}\n```'),
        ("paragraph", "Call heat.off() at night.\nAnd sleep."),
    ]


def test_navigation_and_footers_are_left_out() -> None:
    page = (
        "<html><body><nav><a href='/'>NAVIGATION</a> <a href='/a'>All</a></nav>"
        f"<main><article><h1>Plan</h1>{ANY_PARAGRAPHS * 2}</article></main>"
        "<footer>Copyright FOOTER <a href='/l'>Legal</a></footer></body></html>"
    )
    text = read(page).text
    assert "NAVIGATION" not in text
    assert "FOOTER" not in text


def test_a_page_with_next_to_no_prose_gets_a_second_look() -> None:
    cards = "".join(
        f"<div><h2><a href='/{n}'>Head {n}</a></h2><p>Teaser number {n} here.</p></div>"
        for n in range(12)
    )
    text = read(f"<html><body><main><h1>News</h1>{cards}</main></body></html>").text
    assert all(f"Teaser number {n} here." in text for n in range(12))


def test_tags_in_comments_and_cut_off_pages_do_no_harm() -> None:
    page = article("<!-- <html><p>COMMENT -->" + ANY_PARAGRAPHS).removesuffix(
        "</p></article></body></html>"
    )
    text = read(page).text
    assert "COMMENT" not in text
    assert text.endswith("explain the grants.")


# Characters


@pytest.mark.parametrize(
    "head",
    [
        "<title>Any</title>",
        "<meta charset='utf-8'>",
        f"<!--{'x' * 1500}--><meta charset='utf-8'>",
        "<meta charset='iso-8859-1'>",
    ],
)
def test_utf8_is_read_as_such_whatever_its_label(head: str) -> None:
    words = "Die F\u00f6rderung betr\u00e4gt 1.250 \u20ac je Ger\u00e4t, sagt \u201edas Amt\u201c."
    assert words in read(article(f"<p>{words}</p>{ANY_PARAGRAPHS}", head=head)).text


def test_a_declaration_changes_nothing_of_text_that_is_utf8() -> None:
    words = (
        "<p>Die Stra\u00dfe wird im Fr\u00fchjahr f\u00fcr drei Wochen gesperrt.</p>"
        + ANY_PARAGRAPHS
    )
    page = f"<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'><body>{words}</body></html>"
    declared = f'<?xml version="1.0" encoding="iso-8859-1"?>\n{page}'
    assert read(declared, "application/xhtml+xml").text == read(page).text


# Nothing to read


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        "<html></html>",
        "<!doctype html>",
        "<html><frameset><frame src='/a'></frameset></html>",
        "<html><body><div id='root'></div><noscript>Please enable it</noscript></body></html>",
        article("<p>Thirteen char</p>"),
    ],
)
def test_a_page_without_text_is_told(body: str) -> None:
    assert unreadable(body).code == "NO_TEXT"


@pytest.mark.promise("R33")
def test_page_text_does_not_reach_the_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    read(article(f"{ANY_PARAGRAPHS}<p><a>SECRET</a></p>"))
    unreadable(article("<p>SECRET</p>"))
    assert caplog.records == []


TAGS = st.sampled_from(
    re.findall(
        r"\w+",
        "p div h1 h2 ul ol li dl dt dd table tr th td blockquote q pre code br a b span del form",
    )
)
SOUP = st.lists(
    TAGS.map("<{}>".format)
    | TAGS.map("</{}>".format)
    | st.sampled_from(
        ["words about heat and plans ", "# ", "- ", "| ", "```\n", "\n\n", "&#55357;"]
    )
    | st.text(max_size=8),
    max_size=60,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(SOUP)
def test_every_soup_of_tags_is_read(soup: str) -> None:
    text = read(article(ANY_PARAGRAPHS + soup).encode("utf-8", "replace"))
    taken = [at for block in text.blocks for at in range(block.start, block.end)]
    assert taken == sorted(set(taken))
    assert not any(text.text[at].isalnum() for at in set(range(len(text.text))) - set(taken))
    assert unicodedata.is_normalized("NFC", text.text)
    assert {unicodedata.category(c) for c in text.text if c != "\n"}.isdisjoint({"Cc", "Cs"})


# The field's own inputs


def test_the_bodies_of_real_articles_are_found_and_little_else() -> None:
    corpus = INPUTS.parents[1] / "corpus" / "articles"
    if not corpus.exists():
        pytest.skip("the corpus of real pages is not beside this repository")
    truth = json.loads((corpus / "ground-truth.json").read_text("utf-8"))
    found = {
        name: {
            "articleBody": read(
                gzip.decompress((corpus / f"html/{name}.html.gz").read_bytes())
            ).text
        }
        for name in truth
    }
    score = runpy.run_path(str(corpus / "score.py"))["score"](truth, found)
    assert score["f1"] >= 0.970


def test_field_case_d13_is_kept_as_it_is_and_found_as_it_is_said() -> None:
    pairs = json.loads(field_case("D13_invisible_characters.json"))["pairs"]
    for kept, said in (pair for pair in pairs if "\n" not in pair[0]):  # a PDF's line end
        text = read(article(f"{ANY_PARAGRAPHS}<p>So it says: {kept} indeed.</p>")).text
        span = Grounds(text).locate(f"So it says: {said} indeed.")
        assert span is not None
        shown = re.sub("[\u00a0\u202f]", " ", unicodedata.normalize("NFC", kept))
        assert text[span.start : span.end] == f"So it says: {shown} indeed."


@pytest.mark.parametrize("name", ["late_meta", "meta_only", "no_meta"])
def test_field_case_c08_keeps_its_characters(name: str) -> None:
    expected = json.loads(field_case("C08_expect.json"))
    text = read(field_case(f"C08_utf8_{name}.html")).text
    assert all(words in text for words in expected["must_contain"])
    assert not any(words in text for words in expected["must_not_contain"])


def test_field_case_d01_keeps_its_items() -> None:
    kind, items = parts(read(field_case("D01_list_spans.html")))[-1]
    assert kind == "list"
    assert [line[:15] for line in items.split("\n")] == [f"- Item marker-{n}" for n in range(1, 6)]
