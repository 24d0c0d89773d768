"""How often a passage says no, and whether a claim says it as often as the words it rests on.

Counted in English, German, French, Spanish, Dutch, Italian, Portuguese, Polish and the Nordic
languages, all at once, so that a claim may be in another language than its quote. Seen are words
that stand by themselves, n't and non-; not un-, -less, -frei or "fails to". Passages in other
scripts than Latin are not judged.
"""

from __future__ import annotations

import re
import unicodedata

from lambdas.agent.sentences import sentences
from lambdas.agent.terms import STOPWORDS, listed, words

_WORDS = listed(
    """
    no not never none nor neither without nobody nothing nowhere cannot hardly barely scarcely
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand nirgends ohne weder kaum
    pas jamais rien aucun aucune sans non
    nunca jam\u00e1s sin ning\u00fan ninguna ninguno nadie tampoco
    niet niets geen nooit niemand nergens zonder
    senza nessun nessuno nessuna n\u00e3o nenhum nenhuma nem
    nie bez ikke inte icke ingen inget inga aldrig aldri
    """
)
_ANY = "|".join(sorted(_WORDS))
_FRENCH = (
    rf"(?:ne[ \u00a0\n]|n')(?:(?!(?:{_ANY})(?!\w))[\w'-]+[ \u00a0\n]){{1,3}}?"
    r"(?:pas|plus|jamais|rien|personne|gu\u00e8re|aucune?)"
)
"""Words that are one no. "Ne ... que" is none."""
_NO_OF_A_THING = r"no\.[ \u00a0]?\d"
"""No. 5 is a number."""
NEGATION = re.compile(
    rf"(?<!\w)(?!{_NO_OF_A_THING})(?:{_FRENCH}|{_ANY})(?!\w)|n't(?!\w)",
    re.IGNORECASE,
)
DRAWN_UPON = 0.5
"""Share of a sentence's words from which on a claim is taken to draw upon it."""


def count(text: str) -> int:
    """How often a legible text says no."""
    return sum(1 for _ in NEGATION.finditer(text))


def differ(claim: str, quote: str) -> bool:
    """True where the claim says no more often, or less often, than the sentences it draws upon."""
    return drawn(claim, quote) not in {None, count(claim)}


def drawn(claim: str, quote: str) -> int | None:
    """How often those sentences of the quote say no that the claim draws upon; None where that
    cannot be judged.
    """
    if not (_is_latin(claim) and _is_latin(quote)):
        return None
    return sum(map(count, _drawn_upon(claim, quote)))


def _drawn_upon(claim: str, quote: str) -> list[str]:
    """The sentences of the quote half of whose words stand in the claim, and the likest one."""
    parts = [quote[start:end] for start, end in sentences(quote, 0, len(quote))]
    own = _content(claim)
    shares = [_share(_content(part), own) for part in parts]
    least = min(DRAWN_UPON, max(shares, default=0))
    return [part for part, share in zip(parts, shares, strict=True) if share >= least]


def _share(said: frozenset[str], claimed: frozenset[str]) -> float:
    return len(said & claimed) / len(said) if said else 1.0


def _content(text: str) -> frozenset[str]:
    said = frozenset(words(NEGATION.sub(" ", text)))
    return said - STOPWORDS or said


def _is_latin(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return 2 * latin >= len(letters)
