"""Which sentences of a written answer stand: those that say nothing that what they cite does not.

Deterministic and without a model, by the rules of findings, which have a sentence rest on one
quote; here it may combine several. docs/grounding.md tells how.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from lambdas.agent import dates, negations, numbers
from lambdas.agent.asking import seen
from lambdas.agent.citing import Sentence, cited
from lambdas.agent.judging import names_a_foreign_place
from lambdas.agent.left_out import Reason, counted
from lambdas.agent.legible import legible
from lambdas.agent.writing import is_other_writing

MOST_CITED = 4
"""Findings that one sentence may rest on: with all of them behind it any number would stand."""
QUOTES_EACH = 3
"""Quotes that stand for one finding; a sentence needs one of them."""
LONGEST = 500
"""Code points of a sentence."""

_NO_PLAIN_TEXT = re.compile(r"<[/!?A-Za-z]|\]\(|```|[\x00-\x1f\x7f]")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What an id stands for: a statement that stands itself, the quotes that prove it, and the
    addresses of their sources.
    """

    claim: str
    quotes: tuple[str, ...]
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported:
    """The sentences that stand, each with its true citations, and why the others do not."""

    standing: tuple[Sentence, ...]
    dropped: Mapping[str, int]


def supported(
    written: Iterable[Sentence], proofs: Mapping[str, Proof], *, question: str
) -> Supported:
    """Each sentence is judged by itself; one that is said again is said once."""
    bench = _Bench(proofs, question)
    verdicts = [bench.verdict(each) for each in written]
    standing = {each.text.casefold(): each for each in verdicts if isinstance(each, Sentence)}
    return Supported(
        standing=tuple(standing.values()),
        dropped=counted(each for each in verdicts if isinstance(each, Reason)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """One text that a citation stands for, as far as sentences are compared with it."""

    days: tuple[dates.Day, ...]
    told: numbers.Told
    words: str
    """Whose negations count."""


class _Bench:
    """Proofs before which sentences are held; what that needs is prepared once."""

    def __init__(self, proofs: Mapping[str, Proof], question: str) -> None:
        self._proofs = proofs
        self._urls = {each: proof.urls for each, proof in proofs.items()}
        self._grounds = {each: tuple(_grounds(proof)) for each, proof in proofs.items()}
        self._question = question

    def verdict(self, written: Sentence) -> Sentence | Reason:
        text = " ".join(seen(written.text).split())
        if not any(map(str.isalpha, text)) or len(text) > LONGEST or _NO_PLAIN_TEXT.search(text):
            return Reason.NO_SENTENCE
        if is_other_writing([self._question], [text]):
            return Reason.OTHER_WRITING
        sentence = cited(Sentence(text=text, cites=written.cites), self._urls)
        if isinstance(sentence, Reason):
            return sentence
        if len(sentence.cites) > MOST_CITED:
            return Reason.TOO_MANY_CITATIONS
        return self._doubt(sentence) or sentence

    def _doubt(self, sentence: Sentence) -> Reason | None:
        """None where one quote of each finding is enough; else the doubt of the best choice."""
        if _names_a_foreign_place(sentence.text, [self._proofs[each] for each in sentence.cites]):
            return Reason.FOREIGN_LINK
        said, best = legible(sentence.text), -1
        for grounds in product(*(self._grounds[each] for each in sentence.cites)):
            doubt = _doubt(said, grounds)
            if doubt is None:
                return None
            best = max(best, _DOUBTS.index(doubt))
        return _DOUBTS[best]


_DOUBTS = (Reason.DATE_NOT_IN_QUOTE, Reason.NUMBER_NOT_IN_QUOTE, Reason.NEGATION_DIFFERS)


def _doubt(said: str, grounds: Sequence[_Ground]) -> Reason | None:
    """What the sentence says that these do not say together."""
    if dates.missing_among(said, [day for ground in grounds for day in ground.days]):
        return Reason.DATE_NOT_IN_QUOTE
    if numbers.missing_in_all(said, [ground.told for ground in grounds]):
        return Reason.NUMBER_NOT_IN_QUOTE
    noes = [negations.drawn(said, ground.words) for ground in grounds]
    is_judged = None not in noes
    differs = sum(each or 0 for each in noes) != negations.count(said)
    return Reason.NEGATION_DIFFERS if is_judged and differs else None


def _grounds(proof: Proof) -> Iterator[_Ground]:
    """Each of its quotes; and its claim, which VALIDATE has held to them with the language of their
    page, for the numbers and dates alone: what it leaves out of a quote may be the "not".
    """
    quotes = [legible(quote) for quote in proof.quotes]
    for words in (*quotes, legible(proof.claim)):
        days = tuple(dates.dates(words))
        told = numbers.Told.of(words, days)
        yield _Ground(days=days, told=told, words=words if words in quotes else quotes[0])


def _names_a_foreign_place(text: str, proofs: Sequence[Proof]) -> bool:
    ours = [part for proof in proofs for part in (*proof.quotes, *proof.urls)]
    told = "\n\n".join(ours)
    if names_a_foreign_place(text, told, frozenset()):
        return True
    return any(mail[0] not in told for mail in _MAIL.finditer(text))
