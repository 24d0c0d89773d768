"""docs/grounding.md says what the rules do: its tables are run, its reasons are all there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lambdas.agent.citing import Sentence
from lambdas.agent.findings import Finding
from lambdas.agent.judging import judge
from lambdas.agent.left_out import Reason
from lambdas.agent.supporting import Proof, supported
from tests.agent.texts import a_text

PAGE = (Path(__file__).resolve().parents[2] / "docs/grounding.md").read_text(encoding="utf-8")
TEXTS, CLAIMS, SENTENCES = "the text says", "the claim says", "the sentence says"


def rows(first_column: str) -> list[tuple[str, str, str]]:
    """The table with that first column."""
    table = PAGE.split(f"| {first_column} |")[1].split("\n\n")[0]
    cells = [re.split(r" ?\| ?", line.strip("| ")) for line in table.splitlines()[2:]]
    return [(_shown(left), _shown(right), verdict) for left, right, verdict in cells]


def _shown(cell: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda one: chr(int(one[1], 16)), cell.strip("`"))


def verdict(claim: str, quote: str, text: str) -> str:
    finding = Finding(question=0, claim=claim, quote=quote, start=0, end=0, score=0.5)
    judged = judge([finding], a_text(text, language=""), ())
    return next(iter(judged.dropped), "stands")


@pytest.mark.parametrize(("text", "quote", "expected"), rows(TEXTS))
def test_the_page_tells_what_becomes_of_a_quote(text: str, quote: str, expected: str) -> None:
    assert verdict(quote, quote, text) == expected


@pytest.mark.parametrize(("claim", "quote", "expected"), rows(CLAIMS))
def test_the_page_tells_what_becomes_of_a_claim(claim: str, quote: str, expected: str) -> None:
    assert verdict(claim, quote, quote) == expected


@pytest.mark.parametrize(("text", "quotes", "expected"), rows(SENTENCES))
def test_the_page_tells_what_becomes_of_a_sentence(text: str, quotes: str, expected: str) -> None:
    cited = [quote.strip("`") for quote in quotes.split(" + ")] if quotes else []
    proofs = {
        f"f{number}": Proof(claim=quote, quotes=(quote,), urls=("https://acme.example/",))
        for number, quote in enumerate(cited)
    }
    written = Sentence(text=text, cites=tuple(proofs))
    judged = supported([written], proofs, question="What does it cost?")

    assert next(iter(judged.dropped), "stands") == expected


def test_the_page_has_examples_of_both_kinds() -> None:
    for column in (TEXTS, CLAIMS, SENTENCES):
        verdicts = [expected for _, _, expected in rows(column)]
        assert verdicts.count("stands") >= 3
        assert len(verdicts) - verdicts.count("stands") >= 8


@pytest.mark.parametrize("reason", Reason)
def test_the_page_names_every_reason(reason: Reason) -> None:
    assert reason.value in PAGE
