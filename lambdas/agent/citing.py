"""Which sentences of a text that a model wrote may be kept: those whose sources are ours.

A citation is the id of a source of this run. What is cited otherwise is taken out and counted; a
sentence that is left without a citation, or that names an address of its own, proves nothing.
Addresses come from the record, never from the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lambdas.agent.addresses import addresses

MARK = re.compile(r"\[([A-Za-z]?\d{1,5})\]")
"""A citation in the sentence itself: [s1], [7]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What was written, and the ids of the sources it is said to rest on."""

    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What stands, with its true citations; `removed` are ids that are none of this run's.

    unsupported   places of the sentences that were taken out, from 0
    """

    sentences: tuple[Sentence, ...]
    removed: tuple[str, ...]
    unsupported: tuple[int, ...]


def kept(written: Iterable[Sentence], urls: Mapping[str, str]) -> Kept:
    """`urls` are the addresses of the sources by their ids."""
    judged = [(each, _supported(each, urls)) for each in written]
    named = (cite for each, _ in judged for cite in _cited(each))
    return Kept(
        sentences=tuple(stands for _, stands in judged if stands),
        removed=tuple(dict.fromkeys(cite for cite in named if cite not in urls)),
        unsupported=tuple(place for place, (_, stands) in enumerate(judged) if not stands),
    )


def _supported(sentence: Sentence, urls: Mapping[str, str]) -> Sentence | None:
    ours = tuple(cite for cite in sentence.cites if cite in urls)
    is_marked_falsely = any(mark not in urls for mark in MARK.findall(sentence.text))
    names_others = any(each.url not in urls.values() for each in addresses(sentence.text))
    if not ours or is_marked_falsely or names_others:
        return None
    return Sentence(text=sentence.text, cites=ours)


def _cited(sentence: Sentence) -> tuple[str, ...]:
    return (*sentence.cites, *MARK.findall(sentence.text))
