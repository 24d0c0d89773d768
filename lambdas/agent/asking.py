"""What a model is asked about one text, and what its statements are worth: what the text says.

The text of a page is data. It stands between two marks that follow from it and occur nowhere in
it, so nothing in it can pretend to stand outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from string import Template
from typing import Any

from lambdas.agent.claims import LONGEST
from lambdas.agent.findings import Finding, Text
from lambdas.agent.grounding import Grounds
from lambdas.agent.identity import digest

PROMPT = "findings-v1"
PIECE = 60_000
"""Code points of a text that one job is asked about."""
SCORE = 0.5
"""A model tells no rank that could be compared between sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement as the model made it; nothing of it is believed yet."""

    question: int
    claim: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text, in code points, half open."""

    start: int
    end: int


def pieces(text: Text, most: int = PIECE) -> Iterator[Piece]:
    """The whole text in parts that end where a block ends, if the block is not longer itself."""
    start = end = 0
    for bound in (*(block.start for block in text.blocks[1:]), len(text.text)):
        if bound - start > most and end > start:
            yield Piece(start=start, end=end)
            start = end
        while bound - start > most:
            yield Piece(start=start, end=start + most)
            start += most
        end = bound
    if end > start or not start:
        yield Piece(start=start, end=end)


def payload(prompt: str, questions: Sequence[str], text: str) -> Mapping[str, Any]:
    """The request without the provider's own fields; `prompt` holds $questions and $mark."""
    mark = next(mark for mark in _marks(text) if mark not in text)
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions))
    told = Template(prompt).substitute(questions=listed, mark=mark)
    return {"instructions": told, "input": f"{mark}\n{text}\n{mark}"}


def grounded(
    said: Iterable[Said], text: Text, piece: Piece, *, questions: int
) -> Iterator[Finding]:
    """The statements about a question that was asked, whose quote the piece has, as it has it."""
    grounds = Grounds(text.text[piece.start : piece.end])
    for one in said:
        span = grounds.locate(one.quote)
        if span is None or not 0 <= one.question < questions:
            continue
        start, end = piece.start + span.start, piece.start + span.end
        yield Finding(
            question=one.question,
            claim=" ".join(one.claim.split())[:LONGEST],
            quote=text.text[start:end],
            start=start,
            end=end,
            score=SCORE,
        )


def _marks(text: str) -> Iterator[str]:
    for number in count():
        yield f"PAGE-{digest(number, text)[:16]}"
