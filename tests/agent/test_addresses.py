"""Addresses are found whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lambdas.agent.addresses import addresses

CASES = Path(__file__).resolve().parents[3] / "shared/cases/inputs"


def found(text: str) -> list[str]:
    return [each.url for each in addresses(text)]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (
            "See the paper (https://doi.org/10.1016/0092-8674(94)90302-6).",
            "https://doi.org/10.1016/0092-8674(94)90302-6",
        ),
        (
            "Also [Deus Ex](https://en.wikipedia.example/wiki/Deus_Ex_(video_game)), and",
            "https://en.wikipedia.example/wiki/Deus_Ex_(video_game)",
        ),
        ("<https://x.example/a>; and", "https://x.example/a"),
        ("and https://y.example/b?c=1,2.", "https://y.example/b?c=1,2"),
        ('Last: "https://z.example/q" - end', "https://z.example/q"),
        ("(see https://w.example/v_(1)).", "https://w.example/v_(1)"),
        ("[a](https://x.example/a)[b]", "https://x.example/a"),
        ("\u300chttps://x.example/\u9752\u300d\u3002", "https://x.example/\u9752"),
        ("https://x.example/;-)/page is it", "https://x.example/;-)/page"),
        ("go to www.x.example/now!", "www.x.example/now"),
        ("or javascript:alert(1) here", "javascript:alert(1)"),
    ],
)
def test_an_address_keeps_its_brackets_and_not_the_sentences(text: str, url: str) -> None:
    assert found(text) == [url]


def test_words_are_no_addresses() -> None:
    assert found("Ratio: 5 and data: 6, me@www.example, e.g. this and/or that://") == []


def test_finds_the_addresses_from_the_field() -> None:
    """Case E14."""
    if not CASES.exists():
        pytest.skip(f"the case bank is not at {CASES}")
    text = (CASES / "E14_addresses.txt").read_text(encoding="utf-8")

    assert found(text) == json.loads((CASES / "E14_expect.json").read_text(encoding="utf-8"))


def test_where_an_address_stands_is_told() -> None:
    text = "(https://x.example/a), (https://x.example/b)"

    assert [text[each.start : each.end] for each in addresses(text)] == found(text)
