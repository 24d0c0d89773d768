"""Which findings stand: their quote is in the text, and their claim says nothing that it does not.

Deterministic and without a model. docs/grounding.md tells the rules, and what they cannot see.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lambdas.agent import dates, negations, numbers
from lambdas.agent.addresses import addresses
from lambdas.agent.canonical_url import canonical_url
from lambdas.agent.claims import claim as composed
from lambdas.agent.findings import Finding, Text
from lambdas.agent.grounding import Grounds, is_one_word
from lambdas.agent.left_out import Reason, counted
from lambdas.agent.legible import legible
from lambdas.agent.markup import LINK
from lambdas.agent.passages import passages

HOST = re.compile(
    r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])(?:/[^\s<>\"]*)?", re.IGNORECASE
)
"""A site named without "https://"; also a name like Node.js, which then is the quote's too."""
LEFT_OUT = "\u2026"
"""Stands in a claim for an address that is the quote's but no source of this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The findings that stand, with the quote as the source has it, and why the others do not."""

    standing: tuple[Finding, ...]
    dropped: Mapping[str, int]


def judge(findings: Iterable[Finding], text: Text, urls: Collection[str]) -> Judged:
    """The findings of one text; `urls` are the addresses of this run's sources."""
    ours = frozenset(map(canonical_url, urls))
    evidence = Evidence(text)
    verdicts = [evidence.verdict(finding, ours) for finding in findings]
    return Judged(
        standing=tuple(each for each in verdicts if isinstance(each, Finding)),
        dropped=counted(each for each in verdicts if isinstance(each, Reason)),
    )


class Evidence:
    """A stored text, before which findings are held; what that needs is prepared once."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._grounds = Grounds(text.text)

    def verdict(self, finding: Finding, ours: frozenset[str]) -> Finding | Reason:
        """The finding as it stands, or why it does not."""
        if not self._text.text.strip():
            return Reason.SOURCE_WITHOUT_TEXT
        if is_one_word(finding.quote):
            return Reason.QUOTE_TOO_SHORT
        span = self._grounds.locate(finding.quote, near=finding.start)
        if span is None:
            return Reason.QUOTE_NOT_FOUND
        quote = self._text.text[span.start : span.end]
        found = replace(finding, quote=quote, start=span.start, end=span.end)
        doubt = _doubt(found, self._text.language, ours)
        if doubt and found.claim != self._composed.get((span.start, span.end)):
            return doubt
        return replace(found, claim=_without_foreign(found.claim, ours))

    @cached_property
    def _composed(self) -> Mapping[tuple[int, int], str]:
        """What we say of each passage ourselves, in the words of the text: with the heading or the
        columns above it, whose numbers need not stand in the quote again.
        """
        return {(each.start, each.end): composed(each) for each in passages(self._text)}


def _doubt(found: Finding, language: str, ours: frozenset[str]) -> Reason | None:
    """What the claim says that its quote does not."""
    said, proof = legible(found.claim), legible(found.quote)
    if names_a_foreign_place(found.claim, found.quote, ours):
        return Reason.FOREIGN_LINK
    if dates.missing(said, proof, language):
        return Reason.DATE_NOT_IN_QUOTE
    if numbers.missing(said, proof, dates.dates(proof, language), language):
        return Reason.NUMBER_NOT_IN_QUOTE
    return Reason.NEGATION_DIFFERS if negations.differ(said, proof) else None


def names_a_foreign_place(claim: str, quote: str, ours: frozenset[str]) -> bool:
    """True for an address that is neither of this run nor the quote's own."""
    quoted = {each.url for each in addresses(quote)}
    named = [each.url for each in addresses(claim)]
    if any(url not in quoted and not _is_ours(url, ours) for url in named):
        return True
    said, told = _cut(claim, named), legible(quote).casefold()
    hosts = (host[0].casefold().rstrip(".,;:)") for host in HOST.finditer(said))
    return any(host not in told for host in hosts)


def _cut(said: str, urls: Iterable[str]) -> str:
    for url in urls:
        said = said.replace(url, " ")
    return said


def _is_ours(url: str, ours: frozenset[str]) -> bool:
    spelled = url if "://" in url else f"https://{url}"
    return canonical_url(spelled) in ours


def _without_foreign(claim: str, ours: frozenset[str]) -> str:
    """The claim without the addresses that lead out of this run, also where the quote has them."""
    if all(_is_ours(each.url, ours) for each in addresses(claim)):
        return claim
    claim = LINK.sub(r"\1", claim)
    for each in reversed(tuple(addresses(claim))):
        if not _is_ours(each.url, ours):
            claim = claim[: each.start] + LEFT_OUT + claim[each.end :]
    return claim
