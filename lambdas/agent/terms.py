"""Words as the ranking compares them: case folded, English ones reduced to their stem.

Numbers and currency signs are words too. Scripts without spaces are read in pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lambdas.agent.typography import CURRENCY, UNSPACED


def listed(words: str) -> frozenset[str]:
    """A table of words, as one writes it down."""
    return frozenset(words.split())


# What says nothing about the matter. "No", "not" and "never" do, so they are not here.
STOPWORDS = listed(
    """a about above after again all also am an and any are as at be became because been before
    being below between both but by can could did do does doing down during each either else etc
    even ever every few for from further get gets got had has have having he he'd he'll her here
    hers herself him himself his how i i'd i'll i'm i've if in into is it its itself just let like
    made make makes many may me might more most much must my myself of off on once only onto or
    other ought our ours out over own per quite rather really same shall she should since so some
    still such than that the their theirs them themselves then there these they they'd they'll
    they're they've this those though through thus to too under until up upon us very via was we
    we'd we'll we're we've well were what when where whether which while who whom whose why will
    with within would yet you you'd you'll you're you've your yours yourself"""
)
NEGATIONS = listed("no not never none nor neither without nobody nothing")

LETTER = rf"(?:(?![{UNSPACED}])[^\W_])"
TOKEN = re.compile(
    rf"""
    (?:[^\W\d_]\.){{2,}}        # U.S.
    | \d++(?:[.,]\d++)*+        # 1,250.50
    | [{CURRENCY}%]
    | [A-Za-z](?:\+\+|\#)       # C++
    | [{UNSPACED}]+
    | {LETTER}+(?:['\u2019]{LETTER}+)*
    """,
    re.VERBOSE,
)
# A stem and forms that no suffix tells, or words that only look like another one's form.
FORMS = """
    agre agreed / begin began begun / bring brought / build built / buy bought / catch caught
    / choos chose chosen / fall fell fallen / find found / giv gave given / go went gone
    / grow grew grown / hold held / keep kept / know knew known / lead led / leav left / lose lost
    / meet met / news news / pay paid / ris rose risen / run ran / say said / sell sold / send sent
    / shipment shipment shipments / speed speed / spend spent / tak took taken / tell told
    / use used using uses / win won / writ wrote written
"""
IRREGULAR = {form: root for root, *forms in map(str.split, FORMS.split("/")) for form in forms}
GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
IS_UNSPACED = re.compile(f"[{UNSPACED}]")


def words(text: str) -> tuple[str, ...]:
    """The words in their order, case folded, stop words among them."""
    return tuple(word for token in TOKEN.findall(text) for word in _words_of(token))


def term(word: str, *, english: bool = True) -> str:
    """What a word is compared by; nothing for a stop word."""
    if not english:
        return word
    if word in STOPWORDS:
        return ""
    return stem(word) if word.isascii() and word.isalpha() else word


def terms(text: str, *, english: bool = True) -> tuple[str, ...]:
    """The terms in their order, without stop words."""
    return tuple(found for word in words(text) if (found := term(word, english=english)))


def is_english(language: str) -> bool:
    """True also where nobody knows: stemming does little harm to other languages."""
    return language.casefold().split("-")[0] in {"", "en"}


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """What price, prices, priced and pricing have in common. Crude, and the same for both sides."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    word = _without_plural(word)
    for ending in ("ing", "ed", "ment", "ly"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and VOWEL.search(root):
            word = root[:-1] if DOUBLED.search(root) else root
            break
    if ION.search(word):
        word = word.removesuffix("ion")
    return word.removesuffix("e") if len(word) > 3 else word


VOWEL = re.compile("[aeiouy]")
DOUBLED = re.compile(r"([bdgmnprt])\1$")
ION = re.compile(r"\w{4}[st]ion$")


def _without_plural(word: str) -> str:
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word.removesuffix("s")


def _words_of(token: str) -> Iterator[str]:
    word = token.casefold().replace("\u2019", "'")
    if IS_UNSPACED.match(word):
        yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
    elif GROUPED.fullmatch(word):
        yield word.replace(",", "")
    elif word.endswith("n't") or word == "cannot":
        yield "not"
    else:
        yield word.removesuffix("'s")
