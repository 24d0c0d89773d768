"""The page as a reader has it: in chromium, at a phone's and a desk's width, and on paper.

Pictures of all of them are left under out/report for whoever wants to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from lambdas.adapters.jinja_renderer import JinjaRenderer
from lambdas.adapters.text_fragments import at_the_quote
from lambdas.agent.changes import Passage
from lambdas.agent.report import NEW, STILL, Answer, Changes, Report, Spent, Statement
from tests.adapters.test_jinja_renderer import any_changes, any_citation, any_report, any_source
from tests.fakes.browser import WIDER_THAN_THE_WINDOW, Browser, a_browser, chromium

OUT = Path(__file__).parents[2] / "out/report"
PHONE, DESK = 390, 1280
WIDTHS = [pytest.param(PHONE, id="phone"), pytest.param(DESK, id="desk")]
LONG = "https://acme.example/" + "a-very-long-path-without-a-break/" * 12 + "?q=" + "x" * 300
QUOTE = "The Team plan costs 49 euros a month for each seat, billed once a year in advance."


def a_full_report() -> Report:
    """All that is awkward to set: long, right to left, without spaces, set aside."""
    said = [
        ("The Team plan costs 49 euros a month for each seat.", (1, 2)),
        ("تبلغ تكلفة خطة الفريق 49 يورو شهريًا لكل مقعد.", (3,)),
        ("チームプランの料金は、1席あたり月額49ユーロで、年払いのみの提供となります。" * 4, (4,)),
        ("W" * 400, (5,)),
    ]
    citations = (
        any_citation(number=1, quote=QUOTE),
        any_citation(number=2, url=LONG, title="", quote="Plan | Price\nTeam | 49 €"),
        any_citation(number=3, title="خطط الأسعار", quote="خطة الفريق 49 يورو شهريًا."),
        any_citation(number=4, title="料金プラン" * 60, quote="月額49ユーロ。" * 80),
        any_citation(number=5, url="s3://bucket/key", title="T" * 300, quote="W" * 900),
    )
    return any_report(
        note="Leave out the press.\nAnd say what is new.",
        answers=(
            Answer(
                question="What does it cost, and for whom?",
                statements=tuple(Statement(text=text, citations=c) for text, c in said),
                written=tuple(Statement(text=text, citations=c) for text, c in said),
                left_out={"NUMBER_NOT_IN_QUOTE": 1},
            ),
            Answer(question="ما هي الميزات الجديدة؟", statements=()),
        ),
        citations=citations,
        sources=(
            any_source(author="Ann Lee", published="2026-02-28", published_by="byline"),
            any_source(title="", url=LONG, also=(LONG + "1", LONG + "2"), findings=1),
            any_source(title="料金プラン" * 60, notes=("Two of its pages hold no text.",)),
            any_source(title="خطط الأسعار", author="آن لي"),
            any_source(
                title="",
                url="https://acme.example/gone",
                was_read=False,
                findings=0,
                error_code="HTTP_404",
                reason="acme.example answered 404: mend the address, or leave the source out.",
                sha256="",
            ),
        ),
        dropped={"QUOTE_NOT_FOUND": 2, "NUMBER_NOT_IN_QUOTE": 1},
    )


def an_empty_report() -> Report:
    return any_report(
        answers=(Answer(question="What does it cost?", statements=()),),
        citations=(),
        sources=(any_source(findings=0),),
    )


def a_report_of_changes() -> Report:
    words = "The Team plan costs 49 euros a month, and 価格 is خطة " + "W" * 200
    changes = any_changes(words, LONG)
    price = Passage(before=QUOTE, after=QUOTE.replace("49", "59"))
    priced = replace(changes.sources[0], title="Pricing", passages=(price,))
    answer = a_full_report().answers[0]
    marked = tuple(
        replace(each, mark=mark)
        for each, mark in zip(answer.statements, [NEW, STILL] * 2, strict=True)
    )
    return replace(
        a_full_report(),
        answers=(replace(answer, statements=marked),),
        changes=replace(changes, sources=(priced, *changes.sources)),
        spent=Spent(tokens=1_234, usd=0.0157, limits={"tokens": 2_000}, unasked=1, cut_short=1),
    )


def a_short_report() -> Report:
    short = Changes(
        task_id="the-task-before",
        made_for="2026-02-22T07:30:00Z",
        address=f"s3://{'a-long-name/' * 20}",
        full=f"s3://{'a-long-name/' * 20}",
        is_short=True,
        unchanged=12,
        standing=30,
    )
    return any_report(answers=(), citations=(), changes=short)


REPORTS = {
    "full": a_full_report(),
    "empty": an_empty_report(),
    "changes": a_report_of_changes(),
    "short": a_short_report(),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not chromium():
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    OUT.mkdir(parents=True, exist_ok=True)
    with a_browser() as started:
        yield started


def page_of(name: str) -> Path:
    page = OUT / f"{name}.html"
    page.write_bytes(JinjaRenderer().render(REPORTS[name])["report.html"])
    return page


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_and_nothing_complains(
    browser: Browser, name: str, width: int, scheme: str
) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.ask("Emulation.setEmulatedMedia", features=[feature])

    browser.open(page_of(name), width=width)
    browser.screenshot(OUT / f"{name}-{width}-{scheme}.png")

    assert browser.value("innerWidth") == width
    assert browser.value(WIDER_THAN_THE_WINDOW) <= 0
    assert browser.value("getComputedStyle(document.body).maxWidth") != "none"  # style allowed
    assert browser.complaints() == []


def test_a_script_that_got_into_the_page_would_not_run(browser: Browser) -> None:
    page = OUT / "scripted.html"
    body = page_of("empty").read_text(encoding="utf-8")
    page.write_text(body.replace("</body>", "<script>window.ran = 1</script></body>"), "utf-8")

    browser.open(page, width=DESK)

    assert browser.value("typeof window.ran") == "undefined"
    assert "Content Security Policy" in " ".join(browser.complaints())
    browser.events.clear()


def test_the_pointer_over_a_mark_shows_its_quote(browser: Browser) -> None:
    browser.open(page_of("full"), width=DESK)
    assert shown(browser) == []

    browser.point(*middle(browser, 1))
    browser.screenshot(OUT / "full-hover.png", whole=False)

    assert shown(browser) == [QUOTE]
    assert browser.value(WIDER_THAN_THE_WINDOW) <= 0


def test_the_keyboard_reaches_a_mark_its_quote_and_the_source(browser: Browser) -> None:
    browser.open(page_of("full"), width=DESK)
    browser.value("document.querySelector('.statements a').focus()")
    browser.screenshot(OUT / "full-focus.png", whole=False)

    assert shown(browser) == [QUOTE]
    browser.press("Tab")
    assert shown(browser) == [QUOTE]
    assert browser.value("document.activeElement.href").startswith("https://acme.example/pricing#")


def test_a_tap_on_a_mark_shows_its_quote_where_it_is(browser: Browser) -> None:
    browser.open(page_of("full"), width=PHONE)

    browser.tap(*middle(browser, 1))
    for _ in range(50):
        if browser.value("location.hash"):
            break
    browser.screenshot(OUT / "full-tap.png", whole=False)

    assert shown(browser) == [QUOTE]
    assert browser.value("location.hash") == "#c1.1.1"
    assert browser.value("document.querySelector(':target').getBoundingClientRect().top") > 0
    assert browser.value(WIDER_THAN_THE_WINDOW) <= 0


def test_paper_shows_every_quote_and_sets_whole_pages(browser: Browser) -> None:
    browser.open(page_of("full"), width=DESK)
    browser.pdf(OUT / "full.pdf")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    browser.screenshot(OUT / "full-print.png")

    assert len(shown(browser)) == len(REPORTS["full"].citations)
    browser.ask("Emulation.setEmulatedMedia", media="")
    text = "".join(
        p.extract_text() for p in PdfReader(BytesIO((OUT / "full.pdf").read_bytes())).pages
    )
    assert " ".join(QUOTE.split()) in " ".join(text.split())


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (
            "Self-hosted, and R&D-ready: - 5 % off, now?",
            "Self-hosted, and R&D-ready: - 5 % off, now?",
        ),
        (
            "Plan <b>seven</b> is <a href='#'>the one</a> we raised, as we <i>all</i> know.",
            "Plan **seven** is [the one](https://x.example/a_(b)) we raised, as we *all* know.",
        ),
        (
            "The Team plan costs 49 euros<sup>[1]</sup> a month for each seat, billed once a year.",
            "The Team plan costs 49 euros a month for each seat, billed once a year.",
        ),
        ("料金は年払いで決まります。" + "席は増やせます。" * 9 + "月額は四十九ユーロです。",) * 2,
        ("تبلغ تكلفة خطة الفريق 49 يورو شهريًا لكل مقعد.",) * 2,
    ],
)
def test_a_citation_opens_its_source_at_the_sentence(
    browser: Browser, said: str, quote: str
) -> None:
    source = OUT / "source.html"
    above = "<p>Another sentence of the page.</p>" * 200
    source.write_text(f"<meta charset=utf-8>{above}<p id=here>{said}</p>{above}", "utf-8")
    _, _, fragment = at_the_quote(any_citation(quote=quote)).partition("#")

    browser.open(source, width=DESK, fragment=f"#{fragment}")

    place = "document.getElementById('here').getBoundingClientRect().top"
    for _ in range(200):  # the words are looked for once the page stands
        if 0 <= browser.value(place) < 800:
            break
    assert 0 <= browser.value(place) < 800
    browser.events.clear()


def middle(browser: Browser, number: int) -> tuple[float, float]:
    """Of a mark, which is brought into sight."""
    mark = f"document.querySelectorAll('.statements span > a')[{number - 1}]"
    browser.value(f"{mark}.scrollIntoView({{block: 'center'}})")
    box = browser.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({mark}.{BOX})")
    return box[0], box[1]


BOX = "getBoundingClientRect()"


def shown(browser: Browser) -> list[str]:
    """The quotes that are on the page now."""
    told: list[str] = browser.value(
        "[...document.querySelectorAll('q')].filter(q => q.checkVisibility())"
        ".map(q => q.textContent)"
    )
    return told
