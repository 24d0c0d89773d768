"""The documents, read back by real parsers. Strings from sources are hostile here."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent
from urllib.parse import unquote

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markdown_it import MarkdownIt

from lambdas.adapters.jinja_renderer import JinjaRenderer
from lambdas.adapters.text_fragments import at_the_quote, link
from lambdas.agent.changes import Passage
from lambdas.agent.ports import Renderer
from lambdas.agent.report import (
    Answer,
    Changes,
    Citation,
    GoneStatement,
    Report,
    SourceChange,
    SourceLine,
    Spent,
    Statement,
)

ROOT = Path(__file__).parents[2]
CASES = ROOT / "../shared/cases/inputs"
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
RENDERER: Renderer = JinjaRenderer()

ROWS = [
    ("Deus Ex (game) [draft]", "https://x.example/Deus_Ex_(video_game)"),
    ("Half a ) bracket", "https://x.example/;-)/page"),
    ("Pipe | star * under_score `tick` ~~struck~~", "https://x.example/a_b*c|d"),
    ("Back\\slash and\nnewline", "https://x.example/?q=a b&r=<x>&copy;=\\"),
    ("![image](http://t.example/p.png)", "https://x.example/1"),
    ("", "https://x.example/no-title"),
    ("Ends with backslash \\", "https://x.example/2"),
    ("[1] [[2]] [x][1]", "https://x.example/[1]"),
    ("A DOI", "https://doi.example/10.1016/0092-8674(94)90302-6"),
]
HOSTILE = [
    "_emphasis_ __strong__ *x* **y**",
    "<dialog>: The Dialog element",
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "<!-- not closed",
    "</title></style></head><body onload=alert(1)>",
    "R&D <b>bold</b>",
    "&lt;already escaped&gt; &amp;amp; &#60;",
    "' onmouseover='alert(1)",
]
BARE = [
    "https://evil.example/x?a=b",
    "HTTP://evil.example",
    "www.evil.example",
    "WWW.evil.example/",
    "ann@evil.example",
    "mailto:ann@evil.example",
    "ftp://evil.example/",
]
BEGINNINGS = [
    *("# x", "###", "- x", "-", "---", "+ x", "* x", "***", "1. x", "1.", "12) x", "> x", "==="),
    *("    x", "```", "~~~ x", "[1]: https://x.example/", "| a | b |", ":-- | --:", "<div>", "x\\"),
    *(
        "a | b\n:-- | --:",
        "a | b\n|---|---|",
        "x\n===",
        "x\n---",
        "x\n\n- y",
        "-5 degrees",
        "1.5 million",
    ),
]
UNCLICKABLE = [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "//x.example/",
    "https:x.example",
    "https://",
    "https://good.example\\@bad.example/",
    " https://x.example/",
    "",
]


def any_source(**changes: Any) -> SourceLine:
    line = SourceLine(
        url="https://acme.example/pricing",
        title="Pricing",
        was_read=True,
        findings=2,
        fetched_at="2026-03-01T08:00:00Z",
        sha256="0123456789abcdef" * 4,
    )
    return replace(line, **changes)


def any_citation(**changes: Any) -> Citation:
    citation = Citation(
        number=1,
        url="https://acme.example/pricing",
        title="Pricing",
        quote="The Team plan costs 49 euros.",
        start=17,
    )
    return replace(citation, **changes)


SPENT = Spent(
    tokens=1_234,
    usd=0.0157,
    limits={"tokens": 2_000, "usd": 1.5, "minutes": 30},
    unasked=2,
    cut_short=1,
)


def any_report(**changes: Any) -> Report:
    report = Report(
        task_id="any-task",
        agent_id="acme-watch",
        workflow_id="prices",
        made_at="2026-03-01T09:30:00+01:00",
        revision=1,
        note="",
        answers=(
            Answer(
                question="What does it cost?",
                statements=(Statement(text="It costs 49 euros.", citations=(1,)),),
            ),
        ),
        citations=(any_citation(),),
        sources=(any_source(),),
        dropped={},
    )
    return replace(report, **changes)


def any_changes(words: str, url: str = "https://acme.example/pricing") -> Changes:
    """One source of each kind, all of whose strings are these."""
    each = SourceChange(
        url=url,
        title=words,
        kind="CHANGED",
        since="2026-02-22T08:00:00Z",
        passages=(Passage(before=words, after=f"{words} now"), Passage(before="", after=words)),
        more=3,
        reason=words,
    )
    bare = replace(each, passages=(), more=0)
    return Changes(
        task_id="the-task-before",
        made_for="2026-02-22T07:30:00Z",
        address="s3://any/before/",
        sources=(each, *(replace(bare, kind=kind) for kind in ("NEW", "GONE", "UNREACHABLE"))),
        unchanged=2,
        gone=(GoneStatement(question=words, text=words, quote=words, url=url),),
    )


def report_on(rows: Sequence[tuple[str, str]]) -> Report:
    """A report in which each title and address stands as a source and as a citation."""
    proved = Statement(text="Both.", citations=tuple(range(1, len(rows) + 1)))
    return any_report(
        answers=(Answer(question="?", statements=(proved,)),),
        sources=tuple(any_source(title=title, url=url) for title, url in rows),
        citations=tuple(
            any_citation(number=number, title=title, url=url, quote="short")
            for number, (title, url) in enumerate(rows, start=1)
        ),
    )


def written_answer(*, question: str = "?", text: str, **changes: Any) -> Answer:
    said = (Statement(text=text, citations=(1,)),)
    return replace(Answer(question=question, statements=said, written=said), **changes)


def noted_answer(*, question: str = "?", note: str, **changes: Any) -> Answer:
    said = (Statement(text="It costs 49 euros.", citations=(1,)),)
    return replace(Answer(question=question, statements=said, note=note), **changes)


def report_saying(text: str) -> Report:
    """A report that has the text wherever a source or a person can put one."""
    return any_report(
        agent_id=text,
        workflow_id=text,
        note=text,
        answers=(written_answer(question=text, text=text), noted_answer(question=text, note=text)),
        citations=(any_citation(title=text, quote=text),),
        sources=(
            any_source(title=text, author=text, notes=(text,)),
            any_source(was_read=False, error_code=text, reason=text),
        ),
    )


def html(report: Report) -> Any:
    return lxml.html.document_fromstring(RENDERER.render(report)["report.html"].decode())


def markdown(report: Report) -> str:
    return RENDERER.render(report)["report.md"].decode()


def words(element: Any) -> str:
    return flat(element.text_content())


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_page_names_agent_workflow_time_and_coverage() -> None:
    page = html(any_report(sources=(any_source(), any_source(was_read=False))))

    header = words(page.find(".//header"))
    assert words(page.find(".//h1")) == "prices"
    assert "acme-watch" in header
    assert "1 of 2 sources read, 1 set aside · 2026-03-01 08:30 UTC · revision 1" in header
    assert page.find(".//title").text == "prices · acme-watch"


def test_the_page_shows_the_reviewers_note_where_there_is_one() -> None:
    assert html(any_report()).find(".//aside") is None
    assert "Leave out <press>" in words(html(any_report(note="Leave out <press>")).find(".//aside"))


def test_the_page_says_its_encoding_first_and_keeps_every_character() -> None:
    text = "Überblick 価格表 🦝 e\u0301 حول"
    documents = RENDERER.render(report_saying(text))

    assert b'<meta charset="utf-8">' in documents["report.html"][:1024]
    for body in documents.values():
        assert text in body.decode("utf-8")


def test_the_policy_allows_the_pages_own_style_and_nothing_else() -> None:
    page = html(any_report())
    style = page.find(".//style").text
    digest = b64encode(sha256(style.encode()).digest()).decode()

    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_the_page_needs_nothing_but_itself() -> None:
    page = html(any_report())

    assert not page.xpath("//script | //link | //img | //iframe | //form | //@src | //@style")
    assert not re.search(r"url\(|@import", page.find(".//style").text)


def test_the_page_can_be_walked_by_headings_and_landmarks() -> None:
    page = html(any_report(sources=(any_source(), any_source(was_read=False))))

    assert page.get("lang") == "en"
    assert page.xpath("//meta[@name='viewport']/@content")
    assert [element.tag for element in page.find("body")] == ["header", "main", "footer"]
    headings = [(h.tag, words(h)) for h in page.xpath("//h1 | //h2 | //h3")]
    assert headings == [
        ("h1", "prices"),
        ("h2", "What does it cost?"),
        ("h2", "Sources"),
        ("h2", "Set aside"),
        ("h2", "About this run"),
    ]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert set(page.xpath("//@aria-labelledby")) <= set(ids)
    assert {href for href in page.xpath("//@href") if href[0] == "#"} <= {f"#{i}" for i in ids}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme: str) -> None:
    palettes = re.findall(r":root \{(.*?)\}", html(any_report()).find(".//style").text, re.DOTALL)
    palette = palettes[["light", "dark"].index(scheme)]
    colours = dict(re.findall(r"--(\w+): #(\w{6})", palette))

    for text in ("ink", "faint", "link", "warn"):
        for ground in ("paper", "raised"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def contrast(one: str, other: str) -> float:
    """WCAG's ratio."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_mark_leads_to_the_quote_and_the_quote_to_its_source() -> None:
    quotes = ["Plan | Price\nTeam | 49 €", 'He said "a & b" <c>.']
    page = html(
        any_report(
            answers=(
                Answer(question="?", statements=(Statement(text="Both.", citations=(1, 2)),)),
                Answer(question="??", statements=(Statement(text="Again.", citations=(2,)),)),
            ),
            citations=tuple(
                any_citation(number=number, quote=quote) for number, quote in enumerate(quotes, 1)
            ),
        )
    )

    marks = page.xpath("//a[starts-with(@href, '#c')]")
    assert [(mark.text, mark.get("aria-label")) for mark in marks] == [
        (number, f"Citation {number}") for number in ("1", "2", "2")
    ]
    for mark in marks:
        card = page.get_element_by_id(mark.get("href").removeprefix("#"))
        assert card in list(mark.getparent())
        assert card.find("q").text_content() == quotes[int(mark.text) - 1]
        assert card.find("cite/a").get("href").startswith("https://acme.example/pricing")


def test_a_written_answer_stands_above_its_statements_and_its_marks_lead_to_them() -> None:
    statements = (
        Statement(text="First.", citations=(2, 1)),
        Statement(text="Second.", citations=(3, 2)),
    )
    written = (
        Statement(text="Both, in one sentence.", citations=(1, 3)),
        Statement(text="And one more.", citations=(2,)),
    )
    asked = Answer(question="?", statements=statements, written=written)
    report = any_report(
        answers=(written_answer(text="Before."), asked),
        citations=tuple(any_citation(number=n, quote=f"quote {n}") for n in (1, 2, 3)),
    )
    page = html(report)

    _, answer = page.xpath("//p[@class='written']")
    assert words(answer) == "Both, in one sentence. 1 3 And one more. 2"
    marks = answer.findall(".//a")
    assert [mark.get("aria-label") for mark in marks] == [f"Citation {n}" for n in (1, 3, 2)]
    cards = [page.get_element_by_id(mark.get("href").removeprefix("#")) for mark in marks]
    assert [card.find("q").text_content() for card in cards] == ["quote 1", "quote 3", "quote 2"]
    assert [words(card.getparent().getparent()).split(" ")[0] for card in cards] == [
        "First.",
        "Second.",
        "First.",
    ]
    by_a_model = words(answer.getnext())
    assert by_a_model.startswith("Written by a model from the statements below; each sentence")
    assert blocks(markdown(report))[6:12] == [
        "?",
        "Both, in one sentence. [1] [3] And one more. [2]",
        by_a_model,
        "First. [2] [1]",
        "Second. [3] [2]",
        "Citations",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        written_answer(text="It costs 49 euros.", left_out={"NUMBER_NOT_IN_QUOTE": 2}),
        noted_answer(note="Any reason.", left_out={"NUMBER_NOT_IN_QUOTE": 2}),
    ],
    ids=["written", "noted"],
)
def test_what_a_model_wrote_and_did_not_stand_is_told_with_its_answer(answer: Answer) -> None:
    report = any_report(answers=(answer,))
    told = f"{answer.note} 2 sentences were left out: 2 numbers differ.".strip()

    assert told in words(html(report).find(".//main/section"))
    assert told in flat(markdown(report))


def test_why_no_model_wrote_it_is_told_where_the_answer_would_stand() -> None:
    report = any_report(answers=(noted_answer(note="The model refused (MODEL_REFUSED)."),))

    first = html(report).xpath("//section[1]/*[2]")[0]
    assert words(first) == "The model refused (MODEL_REFUSED)."
    assert html(report).xpath("//p[@class='written']") == []


def test_how_many_answers_were_written_stands_in_the_figures_where_a_model_was_asked() -> None:
    answers = (written_answer(text="It costs 49 euros."), noted_answer(note="Any reason."))

    assert "Written: 1 of 2 answers written by a model" in blocks(
        markdown(any_report(answers=answers))
    )
    assert "Written" not in markdown(any_report())


def test_the_quote_is_shown_without_a_script_on_hover_focus_tap_and_paper() -> None:
    screen, _, paper = html(any_report()).find(".//style").text.partition("@media print")

    for state in ("span:hover > span", "span:focus-within > span", "span:target"):
        assert re.search(rf"\.statements {re.escape(state)} {{ display: block;", screen)
    assert re.search(r"\.statements span span,.*{\s*display: block;", paper)


def test_a_mark_without_its_citation_makes_no_report() -> None:
    with pytest.raises(UndefinedError):
        RENDERER.render(any_report(citations=()))


def test_a_citation_links_to_its_source_at_the_quote() -> None:
    citation = any_citation(title="Prices", quote="It costs 49 euros, R&D - included.")
    target = (
        "https://acme.example/pricing#:~:text=It%20costs%2049%20euros%2C%20R%26D%20%2D%20included."
    )
    report = any_report(citations=(citation,))

    (anchor,) = html(report).xpath("//cite//a")
    assert (anchor.get("href"), anchor.text) == (target, "Prices")
    assert (target, "Prices") in links(markdown(report))
    assert (target, "1") in links(markdown(report))
    assert blocks(markdown(report))[3] == "It costs 49 euros. [1]"


def test_a_question_without_statements_says_so() -> None:
    unanswered = Answer(question="Where?", statements=())
    report = any_report(answers=(*any_report().answers, unanswered))

    assert "Nothing in the sources read answers this." in words(html(report).find(".//main"))
    assert "## Where?\n\nNothing in the sources read answers this.\n" in markdown(report)
    assert "Nothing was found" not in markdown(report)


@pytest.mark.parametrize(
    ("was_read", "sentence"),
    [
        (True, "Nothing was found: no source that was read answers any of the questions."),
        (False, "Nothing was found: none of the sources could be read."),
    ],
)
def test_a_report_without_statements_says_so_in_its_first_lines(
    was_read: bool, sentence: str
) -> None:
    report = any_report(
        answers=(Answer(question="Where?", statements=()),),
        citations=(),
        sources=(any_source(was_read=was_read),),
    )

    assert sentence in words(html(report).find(".//header"))
    assert f"**{sentence}**" in markdown(report).splitlines()[:5]


def test_a_report_of_which_nothing_stood_says_where_the_reasons_are() -> None:
    report = any_report(
        answers=(Answer(question="Where?", statements=()),),
        citations=(),
        dropped={"QUOTE_NOT_FOUND": 1},
    )

    assert "Nothing was found that stands: see at the end what was left out" in markdown(report)


@pytest.mark.parametrize(
    ("dropped", "beginning"),
    [
        ({}, "Every quote was found again"),
        (
            {"QUOTE_NOT_FOUND": 1},
            "1 statement was left out: 1 quote was not found in the source. Nothing in",
        ),
        (
            {"QUOTE_NOT_FOUND": 2, "NUMBER_NOT_IN_QUOTE": 1},
            "3 statements were left out: 2 quotes were not found in the source, 1 number differs.",
        ),
    ],
)
def test_the_report_says_what_validation_dropped(dropped: dict[str, int], beginning: str) -> None:
    report = any_report(dropped=dropped)

    assert words(html(report).xpath("//*[@class='checked']")[0]).startswith(beginning)
    assert f"\n{beginning}" in markdown(report)


def test_a_report_that_rests_on_nothing_vouches_for_nothing() -> None:
    assert "Every quote" not in markdown(any_report(answers=(), citations=()))


def test_what_became_of_each_source_is_told() -> None:
    read = any_source(findings=1)
    lost = any_source(
        title="",
        url="https://acme.example/gone",
        was_read=False,
        findings=0,
        error_code="SOURCE_REFUSED",
        reason="The site answered 404.",
        fetched_at="",
        sha256="",
    )
    report = any_report(sources=(read, lost))

    page = html(report)
    assert words(page.xpath("//section[@aria-labelledby='sources']/ul")[0]) == (
        "Pricing https://acme.example/pricing"
        " read, 1 finding · fetched 2026-03-01 08:00 UTC · sha256 0123456789ab"
    )
    assert words(page.xpath("//section[@aria-labelledby='set-aside']/ul")[0]) == (
        "https://acme.example/gone SOURCE_REFUSED: The site answered 404. set aside"
    )
    assert page.xpath("//code/@title") == [read.sha256]
    assert "1 of 2 sources read, 1 set aside" in words(page.find(".//header"))
    said = [flat(text) for text in blocks(markdown(report))]
    assert "Pricing: read, 1 finding; fetched 2026-03-01 08:00 UTC; sha256 " + read.sha256 in said
    assert "https://acme.example/gone: SOURCE_REFUSED: The site answered 404.; set aside" in said


def test_the_run_is_told_in_figures() -> None:
    sources = (
        any_source(fetched_at="2026-03-01T08:05:00Z"),
        any_source(was_read=False),
        any_source(was_read=False, fetched_at=""),
    )
    report = any_report(sources=sources, dropped={"QUOTE_NOT_FOUND": 2})
    figures = [
        ("Coverage", "1 of 3 sources read"),
        ("Statements", "1, proved by 1 citation"),
        ("Left out", "2"),
        ("Fetched", "2026-03-01 08:00 UTC to 2026-03-01 08:05 UTC"),
        ("Made", "2026-03-01 08:30 UTC, revision 1"),
    ]

    assert [(words(row[0]), words(row[1])) for row in html(report).xpath("//dl/div")] == figures
    assert set(blocks(markdown(report))) >= {f"{name}: {value}" for name, value in figures}


def test_author_date_and_notes_of_a_source_stand_with_it() -> None:
    note = "Two of its pages hold no text."
    told = any_source(
        author="Ann <b>Lee</b>",
        published="2026-02-28",
        published_by="json-ld datePublished",
        notes=(note,),
    )
    report = any_report(sources=(told, any_source()))

    page = html(report)
    assert "Ann <b>Lee</b> · 2026-02-28 (json-ld datePublished)" in [
        line.text_content() for line in page.xpath("//ul[@class='sources']//p")
    ]
    assert note in page.text_content()
    shown = flat(markdown(report))
    assert "published 2026-02-28 (json-ld datePublished)" in shown
    assert note in shown
    (facts, bare) = json_of(report)["sources"]
    assert (facts["author"], facts["notes"]) == ("Ann <b>Lee</b>", [note])
    assert (bare["author"], bare["published"], bare["notes"]) == ("", "", [])


def test_the_other_names_of_a_source_stand_under_it() -> None:
    """Case C17."""
    names = tuple(f"https://acme.example/pricing?v={n}" for n in range(7))
    report = any_report(sources=(any_source(also=names), any_source()))

    (row, plain) = html(report).xpath("//ul[@class='sources']/li")
    shown = [link.get("href") for link in row.iter("a")]
    assert shown == ["https://acme.example/pricing", *names[:5]]
    assert "and 2 more" in words(row)
    assert "Also named" not in words(plain)
    assert "also named" in flat(markdown(report))
    assert json_of(report)["sources"][0]["also"] == list(names)


@pytest.mark.parametrize("url", UNCLICKABLE)
def test_an_address_that_is_not_http_is_text(url: str) -> None:
    report = report_on([("A title", url)])

    assert link(url) == ""
    assert not html(report).xpath("//a[not(starts-with(@href, '#'))]")
    assert words(html(report).xpath("//ul[@class='sources']/li")[0]).startswith(
        flat(f"A title {url}")
    )
    assert links(markdown(report)) == []
    assert flat(f"A title, {url}:") in flat(" ".join(blocks(markdown(report))))


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://x.example",
        "http://[2001:db8::1]:8080/a?b#c",
        'https://ok.example/"onmouseover="alert(1)',
        "https://ok.example/?a=1&b=2",
        "https://x.example/\u202egnp.exe",
        "https://x.example/a%20b",
        "https://jp.example/価格",
    ],
)
def test_an_http_address_is_a_link_to_itself(url: str) -> None:
    assert unquote(link(url)) == unquote(url)
    assert not re.search(r"[\s\"<>\\^`{|}\u202e]", link(url))


def test_every_title_and_address_survives_markdown() -> None:
    assert_links_survive(ROWS)


def test_every_title_and_address_of_the_field_survives_markdown() -> None:
    assert_links_survive([tuple(row) for row in case("F01_links.json")["rows"]])


def test_addresses_keep_their_brackets() -> None:
    assert_links_survive([("A title", url) for url in case("E14_expect.json")])


def assert_links_survive(rows: Sequence[tuple[str, str]]) -> None:
    report = report_on(rows)
    expected = [(url, flat(title) or url) for title, url in rows]
    found = [(unquote(href), text) for href, text in links(markdown(report))]
    anchors = html(report).xpath("//cite//a | //ul[@class='sources']//a")

    marks = [(url, str(number)) for number, (_, url) in enumerate(rows, start=1)]
    assert found == marks + expected * 2
    assert [(unquote(a.get("href")), words(a)) for a in anchors] == expected * 2


@pytest.mark.parametrize("text", [*HOSTILE, *BEGINNINGS, *(title for title, _ in ROWS if title)])
def test_strings_are_text_wherever_they_stand(text: str) -> None:
    assert_only_text(text)


@pytest.mark.parametrize("text", BARE)
def test_an_address_in_a_text_is_written_so_that_no_viewer_makes_a_link_of_it(text: str) -> None:
    """Many do that with whatever looks like one; CommonMark, which the test speaks, does not."""
    assert_only_text(text)
    assert text not in markdown(report_saying(text)).replace(f":~:text={text}", "")


def test_titles_of_the_field_are_text_wherever_they_stand() -> None:
    for title in case("F02_titles.json")["titles"]:
        assert_only_text(title)


def test_only_http_addresses_of_the_field_are_links() -> None:
    urls = case("F02_titles.json")["urls"]
    report = report_on([("A title", url) for url in urls])

    assert [unquote(a) for a in html(report).xpath("//ul[@class='sources']//a/@href")] == urls[-2:]
    assert [unquote(href) for href, _ in links(markdown(report))] == urls[-2:] * 3


def assert_only_text(text: str) -> None:
    """The documents have the structure they have with a harmless text, and say the text."""
    shown = flat(text.replace("\u202e", ""))
    report = report_saying(text)
    harmless = report_saying("\n".join("harmless" for line in text.splitlines() if line))
    page = html(report)

    assert skeleton(page) == skeleton(html(harmless))
    for place in ("//h1", "//h2[1]", "//q", "//cite/a", "//ul[@class='sources']//a"):
        assert words(page.xpath(place)[0]) == shown
    assert words(page.xpath("//ul/li")[0]).startswith(f"{shown} 1")
    assert words(page.xpath("//p[@class='written']")[0]) == f"{shown} 1"
    assert kinds(markdown(report)) == kinds(markdown(harmless))
    assert blocks(markdown(report))[0] == shown
    assert blocks(markdown(report)).count(shown) == 5  # workflow, two questions, note, quote


@given(
    (
        st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))
        | st.text("#-+=>*_`~[](){}<>!|\\&;:/.)1 2ax\n\t")
    ).filter(str.strip)
)
def test_markdown_reads_back_as_the_text(text: str) -> None:
    said, harmless = markdown(saying_only(text)), markdown(saying_only("harmless"))

    assert kinds(said) == kinds(harmless)
    assert blocks(said)[3] == flat(text)


def saying_only(text: str) -> Report:
    statement = Statement(text=text, citations=())
    return any_report(answers=(Answer(question="?", statements=(statement,)),), citations=())


def test_control_characters_and_reordering_marks_are_not_shown() -> None:
    documents = RENDERER.render(report_saying("a\x00b\x1bc\x85d \u202egnp.exe\u2066"))

    for name in ("report.html", "report.md"):
        assert "a b c d gnp.exe" in documents[name].decode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2066]", documents[name].decode())


def test_half_a_character_does_not_stop_the_report() -> None:
    documents = RENDERER.render(report_saying("half \ud83e of one"))

    assert "half \ufffd of one" in documents["report.html"].decode()
    assert "half \ufffd of one" in documents["report.md"].decode()
    assert json.loads(documents["report.json"])["note"] == "half \ud83e of one"


@pytest.mark.parametrize(
    ("quote", "directive"),
    [
        ("Self-hosted, and R&D-ready.", "Self%2Dhosted%2C%20and%20R%26D%2Dready."),
        (
            "It is 100 % free / “new”?",
            "It%20is%20100%20%25%20free%20%2F%20%E2%80%9Cnew%E2%80%9D%3F",
        ),
        ("one two\tthree  four", "one%20two%20three%20four"),
        ("a b c d e f g h i j k l m", "a%20b%20c%20d%20e,i%20j%20k%20l%20m"),
        ("a b c d e f g h i j k l", "a%20b%20c%20d%20e%20f%20g%20h%20i%20j%20k%20l"),
        ("We **raised the** `limits` *again*", "We%20raised%20the%20limits%20again"),
        ("See [the list](https://x.example/a_(b)) now", "See%20the%20list%20now"),
        ("Before it ![alt](x.png) after the image", "after%20the%20image"),
        ("A lone ** mark parts the words", "mark%20parts%20the%20words"),
        ("## A heading of ours", "A%20heading%20of%20ours"),
        ("12. An item of a list", "An%20item%20of%20a%20list"),
        ("| Team | 49 € per month | 3-50 |", "49%20%E2%82%AC%20per%20month"),
        ("Plan | Price\n--- | ---\nTeam plan | From May 2026", "From%20May%202026"),
        ("First line.\nThe second, longer line.", "The%20second%2C%20longer%20line."),
        (
            "料金は年払いです。" * 5 + "月額は四十九ユーロです。",
            f"{percent('料金は年払いです。')},{percent('月額は四十九ユーロです。')}",
        ),
        ("月額料金です", "%E6%9C%88%E9%A1%8D%E6%96%99%E9%87%91%E3%81%A7%E3%81%99"),
    ],
)
def test_a_fragment_holds_words_that_the_page_shows(quote: str, directive: str) -> None:
    assert at_the_quote(any_citation(url="https://x.example/", quote=quote)) == (
        f"https://x.example/#:~:text={directive}"
    )


@pytest.mark.parametrize("quote", ["", "| 49 € | 12 |", "--- | ---", "`a`b`c`", "Enterprise"])
def test_a_quote_without_sure_words_gets_no_fragment(quote: str) -> None:
    assert at_the_quote(any_citation(url="https://x.example/#a", quote=quote)) == (
        "https://x.example/#a"
    )


def test_a_fragment_joins_the_one_that_is_there() -> None:
    there = any_citation(url="https://x.example/#part:~:text=old", quote="New words here.")

    assert at_the_quote(there) == "https://x.example/#part:~:text=New%20words%20here."


def test_a_fragment_makes_no_link_of_what_is_none() -> None:
    assert at_the_quote(any_citation(url="javascript:alert(1)")) == ""


def test_json_holds_the_reports_facts_in_a_stable_order() -> None:
    report = any_report(note="Überblick", sources=(any_source(), any_source(was_read=False)))
    body = RENDERER.render(report)["report.json"].decode()
    facts, told = json.loads(body), json.loads(json.dumps(asdict(report)))

    assert "Überblick" in body
    assert list(facts) == SCHEMA["required"]
    assert facts == {
        "schema_version": 2,
        "coverage": {"read": 1, "sources": 2},
        **{name: fact for name, fact in told.items() if name != "spent"},
    }


def test_json_keeps_to_its_schema() -> None:
    assert list(faults(json_of(any_report()), SCHEMA)) == []
    assert list(faults(json_of(report_saying("")), SCHEMA)) == []
    assert list(faults(json_of(any_report(changes=any_changes("any"))), SCHEMA)) == []
    for spent in (SPENT, replace(SPENT, usd=None, limits={}, unasked=0, cut_short=0)):
        assert list(faults(json_of(any_report(spent=spent)), SCHEMA)) == []


def test_what_a_run_has_cost_is_told_where_models_were_asked() -> None:
    told = RENDERER.render(any_report(spent=SPENT))
    html, markdown = told["report.html"].decode(), told["report.md"].decode()

    for fact in ("1 of 1 sources read, partial: the budget was spent", "1,234", "0.0157 USD"):
        assert fact in html
        assert fact in markdown
    assert "- Budget: 2,000 tokens, 1.50 USD, 30 minutes" in markdown
    assert "- Not analysed: 2 sources and a part of 1 source, for want of budget." in markdown
    facts = json.loads(told["report.json"])
    assert facts["coverage"] == {"read": 1, "sources": 1, "is_partial": True}
    assert facts["spent"] == asdict(SPENT)


def test_nothing_is_said_of_cost_where_no_model_may_be_asked() -> None:
    told = RENDERER.render(any_report())

    assert "Tokens" not in told["report.md"].decode()
    assert "spent" not in json.loads(told["report.json"])


def test_a_run_whose_budget_lasted_is_not_partial() -> None:
    spent = replace(SPENT, unasked=0, cut_short=0)
    told = RENDERER.render(any_report(spent=spent))

    assert "partial" not in told["report.md"].decode()
    assert json.loads(told["report.json"])["coverage"]["is_partial"] is False


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"schema_version": 1}, "$.schema_version"),
        ({"extra": 1}, "$.extra"),
        ({"made_at": "yesterday"}, "$.made_at"),
        ({"dropped": 1}, "$.dropped"),
        ({"dropped": {"QUOTE_NOT_FOUND": 0}}, "$.dropped.QUOTE_NOT_FOUND"),
        ({"citations": [{}]}, "$.citations[0].number"),
        ({"answers": {}}, "$.answers"),
        ({"answers": [{"written": [{"text": "a"}]}]}, "$.answers[0].written[0].citations"),
    ],
)
def test_the_schema_refuses_what_is_no_report(changes: dict[str, Any], fault: str) -> None:
    assert fault in list(faults({**json_of(any_report()), **changes}, SCHEMA))


@pytest.mark.parametrize("name", ["report.html", "report.md", "report.json"])
def test_equal_reports_give_equal_bytes_that_end_in_one_newline(name: str) -> None:
    body = RENDERER.render(any_report())[name]

    assert JinjaRenderer().render(any_report())[name] == body
    assert body.endswith(b"\n")
    assert not body.endswith(b"\n\n")
    assert b"\r" not in body


@pytest.mark.parametrize("text", [*HOSTILE, *(title for title, _ in ROWS if title)])
def test_what_changed_is_escaped_once_too(text: str) -> None:
    """Case F02: passages come from strangers as titles do."""
    report = any_report(changes=any_changes(text))
    page = lxml.html.document_fromstring(RENDERER.render(report)["report.html"])
    (section,) = page.xpath("//section[@aria-labelledby='changes']")

    flat = " ".join(text.split())
    shown = [" ".join(each.text_content().split()) for each in section.xpath(".//dd")]
    assert shown[0] == flat
    assert flat in " ".join(section.text_content().split())
    tags = {each.tag for each in section.iter()}
    assert tags <= {
        *("section", "h2", "h3", "ul", "li", "p", "b", "bdi", "a", "time", "dl", "div"),
        *("dt", "dd", "ins", "del"),
    }


@pytest.mark.parametrize("url", UNCLICKABLE)
def test_a_change_at_an_address_that_is_no_link_is_told_without_one(url: str) -> None:
    report = any_report(changes=any_changes("any words", url))
    page = lxml.html.document_fromstring(RENDERER.render(report)["report.html"])

    assert page.xpath("//section[@aria-labelledby='changes']//a") == []


def test_where_nothing_has_changed_the_page_says_so_and_where_the_answers_are() -> None:
    short = Changes(
        task_id="the-task-before",
        made_for="2026-02-22T07:30:00Z",
        address="s3://any/before/",
        full="s3://any/full/",
        is_short=True,
        unchanged=2,
        standing=7,
    )
    documents = RENDERER.render(any_report(answers=(), citations=(), changes=short))

    for name in ("report.html", "report.md"):
        said = " ".join(documents[name].decode().split())
        assert "Nothing has changed since the report of 2026-02-22 07:30 UTC: 2 unchanged." in said
        assert "7 statements of the last full report still hold." in said
        assert "s3://any/full/" in said
        assert "Nothing was found" not in said


def test_the_words_that_differ_are_marked_and_no_others() -> None:
    passage = Passage(
        before="The Team plan costs 1,249.50 euros.", after="The Team plan costs 1,259.50 euros."
    )
    changes = any_changes("any")
    (each, *others) = changes.sources
    changes = replace(changes, sources=(replace(each, passages=(passage,)), *others))
    page = lxml.html.document_fromstring(
        RENDERER.render(any_report(changes=changes))["report.html"]
    )

    assert next(each.text for each in page.iter("del")) == "1,249.50"
    assert [each.text for each in page.iter("ins")] == ["1,259.50"]


def links(text: str) -> list[tuple[str, str]]:
    """(target, text) of each link of the Markdown."""
    found: list[tuple[str, str]] = []
    for token in MARKDOWN.parse(text):
        target = None
        for child in token.children or ():
            if child.type == "link_open":
                target = str(child.attrs["href"])
                found.append((target, ""))
            elif child.type == "link_close":
                target = None
            elif target is not None:
                found[-1] = (target, found[-1][1] + child.content)
    return found


def blocks(text: str) -> list[str]:
    """What each heading, paragraph or list item of the Markdown says, without its marks."""
    return [
        "".join(" " if "break" in child.type else child.content for child in token.children or ())
        for token in MARKDOWN.parse(text)
        if token.type == "inline"
    ]


def kinds(text: str) -> list[str]:
    """The kinds of all tokens of the Markdown; runs of text count as one."""
    flattened = [
        part.type
        for token in MARKDOWN.parse(text)
        for part in (token, *(token.children or ()))
        if part.type != "text_special"
    ]
    return [kind for at, kind in enumerate(flattened) if kind != "text" or at == 0]


def skeleton(page: Any) -> list[tuple[str, list[str]]]:
    return [(element.tag, sorted(element.attrib)) for element in page.iter()]


def case(name: str) -> Any:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"the cases from the field are not beside this checkout: {path}")
    return json.loads(path.read_text(encoding="utf-8"))


def json_of(report: Report) -> Any:
    return json.loads(RENDERER.render(report)["report.json"])


def faults(value: Any, schema: dict[str, Any], at: str = "$") -> Iterator[str]:
    """Where the value breaks the schema: the part of JSON Schema that ours uses."""
    if not fits(value, schema):
        yield at
    elif isinstance(schema.get("additionalProperties"), dict):
        for name, each in value.items():
            yield from faults(each, schema["additionalProperties"], f"{at}.{name}")
    elif value is not None and "object" in schema.get("type", ()):
        known = schema["properties"]
        yield from (f"{at}.{name}" for name in schema["required"] if name not in value)
        yield from (f"{at}.{name}" for name in value if name not in known)
        for name in known.keys() & value.keys():
            yield from faults(value[name], known[name], f"{at}.{name}")
    elif schema.get("type") == "array":
        for index, item in enumerate(value):
            yield from faults(item, schema["items"], f"{at}[{index}]")


def fits(value: Any, schema: dict[str, Any]) -> bool:
    match schema:
        case {"const": several} | {"enum": several}:
            return value in (several if isinstance(several, list) else [several])
        case {"type": ["object", "null"]}:
            return value is None or isinstance(value, dict)
        case {"type": "integer", "minimum": least}:
            return type(value) is int and value >= least
        case {"type": ["number", "null"] | "number"}:
            return type(value) in {int, float} or (value is None and "null" in schema["type"])
        case {"type": "string"}:
            return isinstance(value, str) and bool(re.search(schema.get("pattern", ""), value))
        case {"type": "object" | "array" | "boolean" as kind}:
            return isinstance(value, {"object": dict, "array": list, "boolean": bool}[kind])
    raise AssertionError(f"This test does not know how to check {schema}")
