"""A sentence is kept with its true citations, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lambdas.agent.citing import Sentence, cited
from lambdas.agent.left_out import Reason

CASES = Path(__file__).resolve().parents[3] / "shared/cases/inputs/E10_citations.json"
URLS = {"s1": ("https://news.example/heat-pumps",), "s2": ("https://stats.example/2026/q2.pdf",)}


NO_CITATION, FOREIGN_LINK = Reason.NO_CITATION, Reason.FOREIGN_LINK


@pytest.mark.parametrize(
    ("text", "cites", "becomes"),
    [
        ("Prices fell [s1].", ("s1",), "Prices fell."),
        ("Prices fell [s1, s2].", ("s1", "s2"), "Prices fell."),
        ("Prices fell [s1].", (), "Prices fell."),
        ("Prices fell.", ("s1", "s7"), "Prices fell."),
        ("Exports grew [s7].", ("s7",), NO_CITATION),
        ("Exports grew [s7].", ("s1",), NO_CITATION),
        ("Exports grew [s1; s7].", ("s1",), NO_CITATION),
        ("Exports grew.", (), NO_CITATION),
        ("Exports grew.", ("S1",), NO_CITATION),
        ("More at https://news.example/heat-pumps-2.", ("s1",), FOREIGN_LINK),
        ("[Official data](https://example.com/official) says so.", ("s2",), FOREIGN_LINK),
        ("More at https://stats.example/2026/q2.pdf.", ("s1",), FOREIGN_LINK),
        (
            "More at https://news.example/heat-pumps.",
            ("s1",),
            "More at https://news.example/heat-pumps.",
        ),
    ],
)
def test_a_sentence_stands_on_sources_of_the_run(
    text: str, cites: tuple[str, ...], becomes: str | Reason
) -> None:
    judged = cited(Sentence(text=text, cites=cites), URLS)

    if isinstance(becomes, Reason):
        assert judged is becomes
    else:
        assert isinstance(judged, Sentence)
        assert judged.text == becomes
        assert set(judged.cites) == set(cites or ("s1",)) & set(URLS)


def test_takes_the_invented_citations_of_the_field_out() -> None:
    """Case E10."""
    if not CASES.exists():
        pytest.skip(f"the case bank is not at {CASES}")
    case = json.loads(CASES.read_text(encoding="utf-8"))
    urls = {name: (url,) for name, url in case["sources"].items()}
    judged = [
        cited(Sentence(text=section["text"], cites=tuple(section["cites"])), urls)
        for section in case["reply"]["sections"]
    ]

    expected = case["expect"]
    fallen = [place for place, each in enumerate(judged, start=1) if isinstance(each, Reason)]
    assert fallen == expected["unsupported_sections"]
    cites = {cite for each in judged if isinstance(each, Sentence) for cite in each.cites}
    assert not cites & set(expected["removed"])
    assert cites <= set(expected["kept_cites"])
