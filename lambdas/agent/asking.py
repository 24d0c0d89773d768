"""What a model is asked about one text, and what its statements are worth: what the text says.

The text of a page is data. It stands between two marks that follow from it and occur nowhere in
it, so nothing in it can pretend to stand outside; characters that nobody sees are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from string import Template
from typing import Any

from lambdas.agent.claims import LONGEST
from lambdas.agent.findings import Finding, Text
from lambdas.agent.forms import FINDINGS
from lambdas.agent.identity import digest
from lambdas.agent.judging import Evidence

PROMPT, REPAIR = "findings-v2", "repair-v1"
PIECE = 60_000
"""Code points of a text that one job is asked about, about 20,000 tokens of most languages."""
DENSE = 4
"""How many times as many tokens a letter may take that is not Latin, Greek or Cyrillic."""
OVERLAP = 1_000
"""Code points by which two pieces overlap at the most, at a paragraph's bound if there is one."""
NO_SUCH_QUESTION = "NO_SUCH_QUESTION"
SCORE, STEP = 0.5, 0.001
"""A model tells no rank that could be compared between sources, only the order of its answer."""

UNSEEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e0fff]")
"""Tags, variation selectors beyond those of emoji, and what turns the reading direction: whoever
looks at a page does not see them, and a model would read them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement as the model made it; nothing of it is believed yet."""

    question: int
    claim: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text, in code points, half open. The next one begins at `after`, a little before
    its end, so that no sentence is seen by halves only.
    """

    start: int
    end: int
    after: int


def piece_size(text: str) -> int:
    """Fewer code points where each may be a token or more: an estimate on the safe side."""
    dense = sum(letter >= "\u0530" for letter in text)
    return int(PIECE / (1 + (DENSE - 1) * dense / max(1, len(text))))


def piece_at(text: Text, start: int, most: int) -> Piece:
    """From `start` to where a block ends, or inside of one that is longer itself."""
    length = len(text.text)
    if length - start <= most:
        return Piece(start=start, end=length, after=length)
    bounds = [block.start for block in text.blocks if start < block.start <= start + most]
    room = min(OVERLAP, most // 4)
    end = max(bounds, default=start)
    if end - start > most // 4:  # else the next piece might have nothing new
        return Piece(start=start, end=end, after=next(b for b in bounds if b >= end - room))
    end = _space(text.text, start + most - room, start + most)
    after = text.text.find(" ", end - room, end) + 1
    return Piece(start=start, end=end, after=after or end)


def _space(text: str, start: int, end: int) -> int:
    """Behind the last space of the stretch; its end where it has none."""
    return text.rfind(" ", start, end) + 1 or end


def seen(text: str) -> str:
    """The text as people see it."""
    return UNSEEN.sub("", text) if UNSEEN.search(text) else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """Data between two lines that say `mark`, which stands nowhere in it."""

    mark: str
    framed: str


def marked(data: str, kind: str) -> Marked:
    """As people see it, so that nothing in it can pretend to stand outside."""
    data = seen(data)
    mark = next(mark for mark in _marks(data, kind) if mark not in data)
    return Marked(mark=mark, framed=f"{mark}\n{data}\n{mark}")


def payload(prompt: str, questions: Sequence[str], text: str) -> Mapping[str, Any]:
    """The request without the provider's own fields; `prompt` holds $questions and $mark."""
    data = marked(text, "PAGE")
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions))
    told = Template(prompt).substitute(questions=listed, mark=data.mark)
    return {"form": FINDINGS.name, "instructions": told, "input": data.framed}


def asked_again(asked: Mapping[str, Any], repair: str, fault: str) -> Mapping[str, Any]:
    """The same, and what was wrong with the answer before; never that answer, nor the page."""
    told = Template(repair).substitute(fault=fault)
    return {**asked, "instructions": f"{asked['instructions']}\n\n{told}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """The statements whose quote the text has, as it has it, and how many others there were."""

    findings: tuple[Finding, ...]
    dropped: Mapping[str, int]


def grounded(said: Iterable[Said], text: Text, piece: Piece, *, questions: int) -> Grounded:
    """Judged as VALIDATE will, and before they are merged: what cannot stand displaces nothing.

    Addresses come from records, never from a model: a claim that holds one the quote has not
    falls here, a source's of this run too.
    """
    words = text.text[piece.start : piece.end]
    evidence = Evidence(replace(text, text=words, blocks=()))
    verdicts = [_verdict(one, evidence, piece, questions) for one in said]
    findings = tuple(_ranked(each for each in verdicts if isinstance(each, Finding)))
    reasons = Counter(each for each in verdicts if isinstance(each, str))
    return Grounded(findings=findings, dropped=reasons)


def _verdict(one: Said, evidence: Evidence, piece: Piece, questions: int) -> Finding | str:
    if not 0 <= one.question < questions:
        return NO_SUCH_QUESTION
    claim = " ".join(seen(one.claim).split())[:LONGEST]
    told = Finding(question=one.question, claim=claim, quote=one.quote, start=0, end=0, score=SCORE)
    verdict = evidence.verdict(told, frozenset())
    if not isinstance(verdict, Finding):
        return verdict.value
    return replace(verdict, start=piece.start + verdict.start, end=piece.start + verdict.end)


def _ranked(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The most telling came first: so the best of each piece stand before the second best."""
    before = Counter[int]()
    for finding in findings:
        yield replace(finding, score=round(SCORE - STEP * before[finding.question], 3))
        before[finding.question] += 1


def _marks(text: str, kind: str) -> Iterator[str]:
    for number in count():
        yield f"{kind}-{digest(number, text)[:16]}"
