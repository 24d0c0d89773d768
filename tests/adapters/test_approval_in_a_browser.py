"""An approval's page as whoever decides has it: in chromium, on narrow windows, by day and night.

Pictures of all of them are left under out/approvals for whoever wants to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lambdas.adapters.approval_pages import HtmlApprovalPages
from lambdas.agent.answer_form import NAME_LIMIT, Form
from lambdas.agent.approval_page import Page, Shown, Summary
from lambdas.agent.approval_words import GONE, TOO_MANY
from lambdas.agent.contract import Decision
from lambdas.agent.verdicts import BY_A_PERSON
from tests.fakes.browser import WIDER_THAN_THE_WINDOW, Browser, a_browser, chromium

OUT = Path(__file__).parents[2] / "out/approvals"
NARROW, DESK = 320, 1280
READABLE = 4.5
"""Of the light of a text to that of what it stands on: WCAG 2.2, level AA."""
LONG = "https://acme.example/" + "a-very-long-path-without-a-break/" * 12


def some(*pairs: tuple[str, str], more: int = 0) -> Shown:
    return Shown(each=pairs, more=more)


SUMMARY = Summary(
    agent="competitor-monitor-" + "x" * 60,
    workflow="w" * 80,
    revision=10,
    made_at="2026-03-01T07:30:00Z",
    read=1_998,
    sources=2_000,
    answers=(
        ("What does it cost, and for whom?", some(("NEW", "W" * 300), ("STILL", "料金" * 90))),
        ("ما هي الميزات الجديدة؟", some(("", "خطة الفريق 49 يورو شهريًا لكل مقعد."), more=7)),
        ("Q" * 200, some()),
    ),
    changed=some(("CHANGED", LONG), ("NEW", "https://acme.example/features")),
    since="2026-02-22T07:30:00Z",
    set_aside=some((LONG, "acme.example answered 404: mend the address, or leave it out."), more=1),
    tokens=1_234_567,
    usd=0.0157,
)
OPEN = Page(
    title="A report waits for your answer",
    summary=SUMMARY,
    report_link="any/report",
    until="2026-03-04T07:30:00Z",
    choices=frozenset(BY_A_PERSON),
    nonce="0" * 64,
)
PAGES = {
    "open": OPEN,
    "faulty": replace(
        OPEN,
        form=Form(decision=Decision.REJECTED, by="名" * NAME_LIMIT, note="N" * 1_100),
        faults=("Write your name: it is kept with the decision.", "F" * 200),
    ),
    "decided": Page(
        title="This report was decided on",
        said=f"Already decided: rejected by {'M' * NAME_LIMIT} (by link) at 2026-03-01T08:00:00Z.",
        note="N" * 1_000,
        summary=SUMMARY,
        report_link="any/report",
    ),
    "gone": GONE,
    "too-many": TOO_MANY,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not chromium():
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    OUT.mkdir(parents=True, exist_ok=True)
    with a_browser() as started:
        yield started


def shown(browser: Browser, name: str, *, width: int, scheme: str = "light") -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.ask("Emulation.setEmulatedMedia", features=[feature])
    page = OUT / f"{name}.html"
    page.write_text(HtmlApprovalPages().render(PAGES[name]).body, encoding="utf-8")
    browser.open(page, width=width)
    browser.screenshot(OUT / f"{name}-{width}-{scheme}.png")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [NARROW, DESK])
def test_no_page_is_wider_than_its_window(browser: Browser, name: str, width: int) -> None:
    shown(browser, name, width=width)

    assert browser.value("innerWidth") == width
    assert browser.value(WIDER_THAN_THE_WINDOW) == 0
    assert browser.value(BEYOND_THE_EDGE) == []


BEYOND_THE_EDGE = """
[...document.querySelectorAll('main *')]
    .filter(each => each.checkVisibility())
    .filter(each => each.getBoundingClientRect().right > innerWidth)
    .map(each => each.outerHTML)
"""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_on_what_it_stands_on(
    browser: Browser, name: str, scheme: str
) -> None:
    shown(browser, name, width=DESK, scheme=scheme)

    ground, texts = browser.value(GROUND), browser.value(CONTRASTS)
    assert (ground < 0.1) == (scheme == "dark"), "the page is as dark as was asked for"
    assert len(texts) >= 2
    assert [each for each in texts if each[1] < READABLE] == []


_LIGHT = """
const parts = color => color.match(/[\\d.]+/g).map(Number);
const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const light = color => {
    const [r, g, b] = parts(color).slice(0, 3).map(part => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const isSeen = color => parts(color)[3] !== 0;
const ground = element => {
    for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (isSeen(backgroundColor)) return backgroundColor;
    }
    throw new Error('nothing has a colour of its own');
};
"""
"""Relative luminance, as WCAG defines it."""
GROUND = f"(() => {{ {_LIGHT} return light(ground(document.querySelector('h1'))); }})()"
CONTRASTS = f"""(() => {{ {_LIGHT}
const isSeenText = text => text.textContent.trim() && text.parentElement.checkVisibility();
const elements = new Set(document.querySelectorAll('input:not([type=hidden]), textarea'));
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text = texts.nextNode(); text; text = texts.nextNode())
    if (isSeenText(text)) elements.add(text.parentElement);
return [...elements].map(element => {{
    const both = [light(getComputedStyle(element).color), light(ground(element))];
    const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    return [element.outerHTML.slice(0, 80), ratio];
}});
}})()"""
