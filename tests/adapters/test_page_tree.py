"""The tree of a page: whole, or told why not; and no page takes the worker with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread, stack_size

import pytest

from lambdas.adapters.page_tree import (
    MOST_ATTRIBUTES,
    MOST_BYTES,
    MOST_DEPTH,
    MOST_ELEMENTS,
    MOST_EQUAL_SIGNS,
    MOST_TAGS,
    MOST_TEXT,
    tree_of,
)
from lambdas.agent.errors import SourceUnreadable
from tests.adapters.pages import ANY_PARAGRAPHS, article, field_case, read, unreadable

ROOT = Path(__file__).parents[2]
MOST_MEGABYTES = 512
SMALL_STACK = 512 * 1024
NAMES = [f"a{number}" for number in range(MOST_ATTRIBUTES + 1)]
QUOTED = [f"{name}='>'" for name in NAMES]


@pytest.mark.parametrize(
    "before",
    [
        "<html/>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'any.dtd'><html>",
        "<!DOCTYPE html [<!ENTITY a 'b'>]><html>",
        "\ufeff  <html>",
        "<html>\0\0",
        "",
    ],
)
def test_odd_beginnings_do_not_hide_the_page(before: str) -> None:
    page = before + f"<body><article>{ANY_PARAGRAPHS}</article></body></html>"
    assert "Residents can ask for advice" in read(page).text


def test_what_the_parser_cannot_take_is_told() -> None:
    error = unreadable("<!-- <html> -->")
    assert error.code == "UNREADABLE"
    assert "ParserError" in str(error)


@pytest.mark.parametrize("tag", ["div", "b", "span"])
def test_a_page_that_would_be_cut_off_below_a_depth_is_told(tag: str) -> None:
    deep = f"<{tag}>" * 3000 + ANY_PARAGRAPHS
    assert unreadable(article(deep)).code == "TOO_DEEP"


def test_a_page_just_not_too_deep_is_whole() -> None:
    depth = MOST_DEPTH - 6
    assert "the grants" in read(article("<div>" * depth + ANY_PARAGRAPHS + "</div>" * depth)).text


@pytest.mark.parametrize(
    "inside",
    [
        "<p>x</p>" * MOST_ELEMENTS,
        "<p>" + "<a href='/x'>word</a> " * 20_000 + "</p>",
        "<div>" * 200 + "<p><a href='/x'>some words</a></p>" * 20_000,
        f"<img alt='{'A' * MOST_BYTES}'>{ANY_PARAGRAPHS}",
        f"<p>{'word ' * (MOST_TEXT // 5 + 1)}</p>",
        "<br>" * MOST_TAGS,
        f"<p {' '.join(NAMES)}>x</p>",
        f"<p {' '.join(QUOTED)}>x</p>",
        f"<p {' '.join(NAMES[:900])}>x</p>" * 400,
        "<p a=b>x</p>" * (MOST_EQUAL_SIGNS + 1),
    ],
    ids=[
        *("elements", "links", "deep links", "bytes", "text", "tags", "crowded", "quoted"),
        *("attributes", "equal signs"),
    ],
)
def test_a_page_that_would_take_too_long_or_lose_its_half_is_told(inside: str) -> None:
    assert unreadable(article(inside)).code == "TOO_LARGE"


def test_a_large_image_in_the_page_does_not_hide_what_is_behind_it() -> None:
    image = f"<img src='data:image/png;base64,{'A' * (MOST_BYTES - 5000)}'>"
    assert "Residents can ask for advice" in read(article(image + ANY_PARAGRAPHS)).text


@pytest.mark.parametrize("script", ['"@type":[' * 500_000, "<!--" * 500_000])
def test_a_script_made_to_keep_patterns_busy_does_not(script: str) -> None:
    head = f"<script type='application/ld+json'>{script}</script>"
    assert "heat plan" in read(article(ANY_PARAGRAPHS, head=head)).text


def test_a_doctype_made_to_keep_patterns_busy_does_not() -> None:
    page = "<!DOCTYPE " + "/" * 1_000_000 + "\n" + article(ANY_PARAGRAPHS)
    assert "heat plan" in read(page).text


@pytest.mark.parametrize("name", ["D06_deep_div.html", "D06_unclosed_b.html"])
def test_field_case_d06_is_told_to_be_too_deep(name: str) -> None:
    assert unreadable(field_case(name)).code == "TOO_DEEP"


def test_field_case_d08_is_the_same_without_its_declaration() -> None:
    page = field_case("D08_declared_latin1_is_utf8.xhtml")
    text = read(page).text
    assert "Die Stra\u00dfe wird im Fr\u00fchjahr" in text
    assert text == read(page[page.index(b"?>") + 2 :]).text


@pytest.mark.parametrize(
    "piece",
    ["\x01", "\x1f", "\ufffe", "\uffff", "&#1;", "&#x1F", "&#0011;", "&#65535;", "&#xfffe"],
)
def test_what_is_no_character_is_no_part_of_the_tree(piece: str) -> None:
    tree = tree_of(f"<p>heat{piece}plan &#8364; &#10; &#x41;</p>", "any.example")
    assert tree.text_content().split() == ["heatplan", "\u20ac", "A"]


@pytest.mark.parametrize("deep", ["<div>" * 3000, "<b>" * 3000, "<table><tr><td>" * 1000])
def test_deep_pages_need_no_deep_stack(deep: str) -> None:
    """Case D06."""
    told: list[str] = []

    def look() -> None:
        try:
            read(article(deep + ANY_PARAGRAPHS))
        except SourceUnreadable as error:
            told.append(error.code)

    before = stack_size(SMALL_STACK)
    try:
        thread = Thread(target=look)
        thread.start()
        thread.join()
    finally:
        stack_size(before)
    assert told == ["TOO_DEEP"]


def test_a_page_as_deep_as_may_be_is_read_on_a_small_stack() -> None:
    told: list[str] = []
    depth = MOST_DEPTH - 6
    page = article("<div>" * depth + ANY_PARAGRAPHS + "</div>" * depth)
    before = stack_size(SMALL_STACK)
    try:
        thread = Thread(target=lambda: told.append(read(page).text))
        thread.start()
        thread.join()
    finally:
        stack_size(before)
    assert "the grants" in told[0]


def test_field_case_d09_finds_the_article_behind_a_picture_of_eleven_megabytes() -> None:
    picture = f"<img src='data:image/png;base64,{'A' * 11_000_000}'>"
    words = "ARTICLEMARK The text after the picture must be found."
    page = f"<html><body>{picture}<article><p>{words}</p>{ANY_PARAGRAPHS}</article></body></html>"
    assert words in read(page).text


BOMB = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize(
    "declarations",
    [
        f"<!ENTITY a0 'SECRET'>{BOMB}",
        "<!ENTITY a9 SYSTEM 'file:///etc/passwd'>",
        "<!ENTITY a9 SYSTEM 'http://127.0.0.1:1/a'>",
        "<!ENTITY % p SYSTEM 'http://127.0.0.1:1/a.dtd'> %p;",
    ],
    ids=["growth", "file", "address", "parameter"],
)
@pytest.mark.parametrize("content_type", ["text/html", "application/xhtml+xml"])
def test_entities_of_a_page_are_never_made_into_anything(
    declarations: str, content_type: str
) -> None:
    page = (
        f"<?xml version='1.0'?><!DOCTYPE html [{declarations}]>"
        f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>&a9;</p>{ANY_PARAGRAPHS}</body></html>"
    )
    text = read(page, content_type).text
    assert text.endswith("explain the grants.")
    assert "SECRET" not in text.replace("'SECRET'", "")
    assert "root:" not in text
    assert len(text) < 2 * len(page)


def test_no_page_makes_the_worker_larger_than_its_function() -> None:
    """Pages as large as may be fetched, each in a process of its own, end in an outcome."""
    told = subprocess.run(  # this very interpreter
        [sys.executable, "-m", "tests.adapters.nasty_pages"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in told.stdout.splitlines()]
    assert len(lines) > 5
    for name, outcome, megabytes in lines:
        assert outcome in {"READ", "TOO_LARGE", "TOO_DEEP", "NO_TEXT", "UNREADABLE"}, name
        assert int(megabytes) < MOST_MEGABYTES, name
