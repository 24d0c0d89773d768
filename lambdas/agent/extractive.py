"""Find what bears on the questions by ranking alone: no model, no network, always the same answer.

A long text is worked in pieces at fixed places, each ranked by itself, so that the result does not
depend on where a lap was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from lambdas.agent.claims import claim
from lambdas.agent.findings import FINDINGS_EACH, Finding, Text
from lambdas.agent.likeness import Likeness, likeness
from lambdas.agent.passages import Passage, passages
from lambdas.agent.questions import Query, queries
from lambdas.agent.ranking import Ranked, Ranking
from lambdas.agent.terms import is_english

PIECE = 40_000
"""Code points that are ranked together. A passage belongs to the piece it starts in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """What was found until time was up, and where to go on; None at the end of the text."""

    findings: tuple[Finding, ...]
    next_start: int | None


def find(
    text: Text,
    questions: Sequence[str],
    *,
    start: int,
    stop: Callable[[], bool],
    per_question: int = FINDINGS_EACH,
) -> Lap:
    """Findings from `start` on. Works at least one piece; asks `stop` after each."""
    english = is_english(text.language)
    asked = [queries(question, english=english) for question in questions]
    found: tuple[Finding, ...] = ()
    for number, piece in groupby(passages(text, start), key=lambda one: one.start // PIECE):
        ranking = Ranking(piece, english=english)
        found = merge((*found, *_findings(ranking, asked, per_question)), per_question)
        after = (number + 1) * PIECE
        if after < len(text.text) and stop():
            return Lap(findings=found, next_start=after)
    return Lap(findings=found, next_start=None)


def merge(findings: Iterable[Finding], per_question: int) -> tuple[Finding, ...]:
    """The best findings of each question, each statement once.

    The same whatever the order and however often it is applied, so that laps can be merged as
    they come: only what is equal in all its words counts as the same statement here.
    """
    best: dict[tuple[int, Likeness], Finding] = {}
    for finding in sorted(findings, key=_rank):
        best.setdefault((finding.question, likeness(finding.quote)), finding)
    kept = sorted(best.values(), key=_rank)
    by_question = groupby(kept, key=lambda finding: finding.question)
    return tuple(finding for _, group in by_question for finding in list(group)[:per_question])


def _rank(finding: Finding) -> tuple[int, float, int, int, str, str]:
    place = (finding.start, finding.end, finding.quote, finding.claim)
    return finding.question, -finding.score, *place


def _findings(
    ranking: Ranking, asked: Sequence[Sequence[Query]], per_question: int
) -> Iterator[Finding]:
    for number, question in enumerate(asked):
        for ranked in _unlike(ranking.ask(question), per_question):
            yield _finding(number, ranked)


def _unlike(ranked: Iterable[Ranked], most: int) -> list[Ranked]:
    """The best of them, without those that say what a better one has said already."""
    kept: list[tuple[Likeness, Ranked]] = []
    for one in ranked:
        if len(kept) == most:
            break
        own = likeness(one.passage.quote)
        if not any(own.repeats(other) for other, _ in kept):
            kept.append((own, one))
    return [one for _, one in kept]


def _finding(question: int, ranked: Ranked) -> Finding:
    passage: Passage = ranked.passage
    return Finding(
        question=question,
        claim=claim(passage),
        quote=passage.quote,
        start=passage.start,
        end=passage.end,
        score=ranked.score,
    )
