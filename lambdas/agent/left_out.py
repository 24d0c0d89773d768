"""Why a statement is not in the report, as a count by reason and as a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum


class Reason(StrEnum):
    """What is wrong with a finding, or with a sentence of a written answer: the first of these, in
    this order.
    """

    NO_SUCH_QUESTION = "NO_SUCH_QUESTION"
    SOURCE_WITHOUT_TEXT = "SOURCE_WITHOUT_TEXT"
    QUOTE_TOO_SHORT = "QUOTE_TOO_SHORT"
    QUOTE_NOT_FOUND = "QUOTE_NOT_FOUND"
    NO_SENTENCE = "NO_SENTENCE"
    OTHER_WRITING = "OTHER_WRITING"
    NO_CITATION = "NO_CITATION"
    TOO_MANY_CITATIONS = "TOO_MANY_CITATIONS"
    FOREIGN_LINK = "FOREIGN_LINK"
    DATE_NOT_IN_QUOTE = "DATE_NOT_IN_QUOTE"
    NUMBER_NOT_IN_QUOTE = "NUMBER_NOT_IN_QUOTE"
    NEGATION_DIFFERS = "NEGATION_DIFFERS"


_ONE_AND_MORE = {
    Reason.NO_SUCH_QUESTION: ("answers no question", "answer no question"),
    Reason.SOURCE_WITHOUT_TEXT: ("source has no text", "sources have no text"),
    Reason.QUOTE_TOO_SHORT: ("quote is too short", "quotes are too short"),
    Reason.QUOTE_NOT_FOUND: (
        "quote was not found in the source",
        "quotes were not found in the source",
    ),
    Reason.NO_SENTENCE: ("is no plain sentence", "are no plain sentences"),
    Reason.OTHER_WRITING: (
        "is in another writing than the question",
        "are in another writing than the question",
    ),
    Reason.NO_CITATION: ("cites no finding", "cite no finding"),
    Reason.TOO_MANY_CITATIONS: ("cites too many findings", "cite too many findings"),
    Reason.FOREIGN_LINK: ("link leads outside the sources", "links lead outside the sources"),
    Reason.DATE_NOT_IN_QUOTE: ("date differs", "dates differ"),
    Reason.NUMBER_NOT_IN_QUOTE: ("number differs", "numbers differ"),
    Reason.NEGATION_DIFFERS: ("negation differs", "negations differ"),
}


def counted(reasons: Iterable[Reason]) -> dict[str, int]:
    return _in_order(Counter(reasons))


def total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """All of them together."""
    sums = Counter[str]()
    for each in counts:
        sums.update(each)
    return _in_order(sums)


def sentence(dropped: Mapping[str, int], noun: str = "statement") -> str:
    """What a reader is told; empty where nothing was left out."""
    number = sum(dropped.values())
    if not number:
        return ""
    subject = f"1 {noun} was" if number == 1 else f"{number:,} {noun}s were"
    parts = (f"{count:,} {_phrase(reason, count)}" for reason, count in dropped.items())
    return f"{subject} left out: {', '.join(parts)}."


def _phrase(reason: str, count: int) -> str:
    """A reason that a later version gave is told by its name."""
    if reason not in _ONE_AND_MORE:
        return reason.replace("_", " ").casefold()
    one, more = _ONE_AND_MORE[Reason(reason)]
    return one if count == 1 else more


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    known = [reason.value for reason in Reason if reason in counts]
    return {reason: counts[reason] for reason in (*known, *sorted(counts.keys() - set(known)))}
