"""A sentence is kept with its true citations, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lambdas.agent.citing import Sentence, kept

CASES = Path(__file__).resolve().parents[3] / "shared/cases/inputs/E10_citations.json"
URLS = {"s1": "https://news.example/heat-pumps", "s2": "https://stats.example/2026/q2.pdf"}


@pytest.mark.parametrize(
    ("text", "cites", "removed", "stands"),
    [
        ("Prices fell [s1].", ("s1",), (), True),
        ("Prices fell.", ("s1", "s7"), ("s7",), True),
        ("Exports grew [s7].", ("s7",), ("s7",), False),
        ("Exports grew [s7].", ("s1",), ("s7",), False),
        ("Exports grew.", (), (), False),
        ("More at https://news.example/heat-pumps-2.", ("s1",), (), False),
        ("[Official data](https://example.com/official) says so.", ("s2",), (), False),
        ("More at https://news.example/heat-pumps.", ("s1",), (), True),
    ],
)
def test_a_sentence_stands_on_sources_of_the_run(
    text: str, cites: tuple[str, ...], removed: tuple[str, ...], stands: bool
) -> None:
    judged = kept([Sentence(text=text, cites=cites)], URLS)

    assert judged.removed == removed
    assert bool(judged.sentences) is stands
    assert judged.unsupported == (() if stands else (0,))
    assert all(set(each.cites) <= set(URLS) for each in judged.sentences)


def test_takes_the_invented_citations_of_the_field_out() -> None:
    """Case E10."""
    if not CASES.exists():
        pytest.skip(f"the case bank is not at {CASES}")
    case = json.loads(CASES.read_text(encoding="utf-8"))
    written = [
        Sentence(text=section["text"], cites=tuple(section["cites"]))
        for section in case["reply"]["sections"]
    ]

    judged = kept(written, case["sources"])

    expected = case["expect"]
    assert list(judged.removed) == expected["removed"]
    assert [place + 1 for place in judged.unsupported] == expected["unsupported_sections"]
    cited = {cite for each in written for cite in each.cites if cite in case["sources"]}
    assert sorted(cited) == expected["kept_cites"]
    assert {cite for each in judged.sentences for cite in each.cites} <= cited
