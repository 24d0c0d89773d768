"""What a model is asked for the answer to one question: to write what the findings say.

It is shown the statements of the composed answer by ids that are ours, with quotes and without an
address, as data: a line cannot end before its JSON does, and the marks around them stand nowhere
in them. It is shown the strongest first, and no more than fits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

from lambdas.agent.asking import marked
from lambdas.agent.forms import ANSWER
from lambdas.agent.report import Answer, Report
from lambdas.agent.supporting import QUOTES_EACH, Proof

PROMPT = "answer-v1"
MOST_SHOWN = 24_000
"""Code points of findings in one request, about 8,000 tokens of most languages."""
LONGEST_QUOTE = 1_500
"""Code points of a quote that are shown; a sentence is held before the whole of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a model gets to see for one question: `numbers` are the citations behind each id."""

    question: str
    proofs: Mapping[str, Proof]
    numbers: Mapping[str, tuple[int, ...]]


def shown(report: Report, question: int, most: int = 0) -> Shown:
    """So many statements at the most, 0 for as many as fit, and never none."""
    answer = report.answers[question]
    proofs = dict(_fitting(_proofs(report, answer)[: most or None]))
    numbers = (each.citations[:QUOTES_EACH] for each in answer.statements)
    behind = dict(zip(proofs, numbers, strict=False))
    return Shown(question=answer.question, proofs=proofs, numbers=behind)


def payload(prompt: str, shown: Shown, note: str) -> Mapping[str, Any]:
    """The request without the provider's own fields; `prompt` holds $question and $mark."""
    lines = [*map(_line, shown.proofs.items()), *([_json({"reviewer": note})] if note else [])]
    data = marked("\n".join(lines), "FINDINGS")
    told = Template(prompt).substitute(question=shown.question, mark=data.mark)
    return {"form": ANSWER.name, "instructions": told, "input": data.framed}


def _proofs(report: Report, answer: Answer) -> Sequence[tuple[str, Proof]]:
    citations = {citation.number: citation for citation in report.citations}
    found = []
    for number, statement in enumerate(answer.statements, start=1):
        cited = [citations[each] for each in statement.citations[:QUOTES_EACH]]
        quotes = tuple(each.quote for each in cited)
        urls = tuple(each.url for each in cited)
        found.append((f"f{number}", Proof(claim=statement.text, quotes=quotes, urls=urls)))
    return found


def _fitting(proofs: Sequence[tuple[str, Proof]]) -> Iterator[tuple[str, Proof]]:
    room = MOST_SHOWN
    for number, proof in enumerate(proofs):
        room -= len(_line(proof))
        if room < 0 and number:
            return
        yield proof


def _line(named: tuple[str, Proof]) -> str:
    name, proof = named
    quotes = [quote[:LONGEST_QUOTE] for quote in dict.fromkeys(proof.quotes)]
    return _json({"id": name, "claim": proof.claim, "quotes": quotes})


def _json(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)
