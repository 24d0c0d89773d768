"""Which sentences of a text that a model wrote may be kept: those whose sources are ours.

A citation is an id that we gave. What is cited otherwise is taken out; a sentence that is left
without a citation, or that names an address which is none of those it cites, proves nothing.
Addresses come from the record, never from the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lambdas.agent.addresses import addresses
from lambdas.agent.left_out import Reason

MARK = re.compile(r"\s?\[([A-Za-z]?\d{1,5}(?:\s?[,;]\s?[A-Za-z]?\d{1,5})*)\]")
"""Citations in the sentence itself: [s1], [7], [f1, f2]."""
_BETWEEN = re.compile(r"\s?[,;]\s?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What was written, and the ids of what it is said to rest on."""

    text: str
    cites: tuple[str, ...]


def cited(sentence: Sentence, urls: Mapping[str, Collection[str]]) -> Sentence | Reason:
    """With its true citations and without marks of its own, or why it is not kept.

    `urls` are the addresses that each id stands for.
    """
    marks = _marks(sentence.text)
    ours = tuple(dict.fromkeys(cite for cite in (*sentence.cites, *marks) if cite in urls))
    if not ours or any(mark not in urls for mark in marks):
        return Reason.NO_CITATION
    text = MARK.sub("", sentence.text)
    theirs = {url for cite in ours for url in urls[cite]}
    if any(each.url not in theirs for each in addresses(text)):
        return Reason.FOREIGN_LINK
    return Sentence(text=text, cites=ours)


def _marks(text: str) -> list[str]:
    return [mark for found in MARK.finditer(text) for mark in _BETWEEN.split(found[1])]
