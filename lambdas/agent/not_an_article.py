"""Pages that answer with status 200 and say nothing about their subject: walls, shells, errors.

A rule needs two things at once: a page that hardly says anything, and words that no text about a
subject would use. A wrong alarm is the worse fault: then a source is lost that could be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lambdas.agent import wall_phrases as phrases
from lambdas.agent.typography import APOSTROPHES, UNSPACED

NEXT_TO_NOTHING = 10
"""Words outside of links and buttons: a copyright, a slogan."""

FEW_WORDS = 60
"""Below which one sentence to the visitor, or one title, tells what a page is."""

SHORT_TEXT = 120
"""Words below which both tell together; a consent wall talks three times as long."""

LONGEST_LOOK = 10_000
"""Characters in which a sentence to the visitor is looked for."""

FEWEST_TEASERS = 8
LONGEST_TEASER = 60


class NoArticle(StrEnum):
    BOT_CHALLENGE = "BOT_CHALLENGE"
    CONSENT_WALL = "CONSENT_WALL"
    LOGIN_WALL = "LOGIN_WALL"
    NEEDS_JAVASCRIPT = "NEEDS_JAVASCRIPT"
    SOFT_404 = "SOFT_404"
    ERROR_PAGE = "ERROR_PAGE"
    INDEX_PAGE = "INDEX_PAGE"
    LOW_CONTENT = "LOW_CONTENT"

    @property
    def sentence(self) -> str:
        """What was seen, and what to do about it; "The page" stands before it."""
        return _SENTENCES[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaser:
    """A headline that leads elsewhere, and all pieces of text from it until the next."""

    headline: str
    pieces: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What a page shows.

    titles      its title, its main headings
    text        what was extracted as its main text
    own         what it shows outside of links, buttons and navigation
    linked      words inside of links
    unscripted  what it shows to those who run no scripts
    buttons     the words on its buttons, and on links that may be buttons
    teasers     headlines that are links, with what follows until the next
    """

    titles: Sequence[str] = ()
    text: str = ""
    own: str = ""
    linked: int = 0
    unscripted: str = ""
    buttons: Sequence[str] = ()
    teasers: Sequence[Teaser] = ()
    asks_password: bool = False
    has_challenge: bool = False
    has_empty_root: bool = False


def no_article(page: Signals) -> NoArticle | None:
    own = words(page.own)
    return next((code for code, holds in _RULES if holds(page, own)), None)


def words(text: str) -> int:
    """How many; two letters of a script without spaces count as one."""
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(text)) + unspaced // 2


def _is_challenge(page: Signals, own: int) -> bool:
    if own > SHORT_TEXT:
        return False
    said = _plain(f"{page.own} {page.unscripted}")
    is_titled = _is_titled(page, phrases.CHALLENGE_TITLES)
    speaks = bool(phrases.CHALLENGES.search(said))
    if page.has_challenge and own <= FEW_WORDS:
        return is_titled or speaks or own <= NEXT_TO_NOTHING
    return (is_titled and (speaks or own <= 30)) or (speaks and own <= FEW_WORDS)


def _is_consent_wall(page: Signals, own: int) -> bool:
    """Most of it is about consent, addresses the visitor, and there is a button to give it."""
    text = _plain(page.text or page.own)
    if own > 3 * SHORT_TEXT or words(text) > 3 * SHORT_TEXT or _is_policy(page):
        return False
    about, spoken, everything = 0, 0, 0
    for sentence in filter(str.strip, _SENTENCE_END.split(text)):
        size = words(sentence)
        everything += size
        if phrases.CONSENT.search(sentence):
            about += size
            spoken += size if phrases.SPEAKERS.search(sentence) else 0
    can_accept = any(phrases.ACCEPTS.match(_plain(button)) for button in page.buttons)
    return can_accept and everything > 0 and 10 * about >= 7 * everything and 2 * spoken > about


def _is_login_wall(page: Signals, own: int) -> bool:
    if page.asks_password and own <= FEW_WORDS:
        return True
    if own > SHORT_TEXT:
        return False
    sentences = _SENTENCE_END.split(_plain(". ".join((page.own, *page.buttons))))
    return any(
        phrases.LOGINS.search(sentence) and not phrases.OF_COMMENTS.search(sentence)
        for sentence in sentences
    )


def _needs_javascript(page: Signals, own: int) -> bool:
    said = _plain(page.unscripted)
    if own <= NEXT_TO_NOTHING:
        return page.has_empty_root or "javascript" in said
    if own <= 2 * NEXT_TO_NOTHING and "javascript" in said:
        return True
    return own <= FEW_WORDS and bool(phrases.SCRIPTING.search(_plain(page.own)))


def _is_soft_404(page: Signals, own: int) -> bool:
    return _is_told(page, own, phrases.NOT_FOUND_TITLES, phrases.NOT_FOUND)


def _is_error(page: Signals, own: int) -> bool:
    if own <= 4 * SHORT_TEXT and _is_titled(page, phrases.DEFAULT_TITLES):
        return True
    return _is_told(page, own, phrases.ERROR_TITLES, phrases.ERRORS)


def _is_told(page: Signals, own: int, titles: re.Pattern[str], sentences: re.Pattern[str]) -> bool:
    """Few words need a title or a sentence, some more need both."""
    if own > SHORT_TEXT:
        return False
    is_titled, is_said = _is_titled(page, titles), bool(sentences.search(_plain(page.own)))
    return (is_titled or is_said) if own <= FEW_WORDS else (is_titled and is_said)


def _is_index(page: Signals, _: int) -> bool:
    """Most of what would be analysed are the teasers of other pages."""
    text = " ".join(page.text.split())
    shown = [_words_of(teaser, text) for teaser in page.teasers if _is_teaser(teaser)]
    return len(list(filter(None, shown))) >= FEWEST_TEASERS and 10 * sum(shown) >= 6 * words(text)


def _words_of(teaser: Teaser, text: str) -> int:
    return sum(words(piece) for piece in teaser.pieces if piece in text)


def _is_teaser(teaser: Teaser) -> bool:
    """A headline has words; the name of a version or of a function is none."""
    named = [word for word in _WORD.findall(teaser.headline) if word.isalpha() and len(word) > 1]
    is_headline = len(named) >= 3 or len(_UNSPACED.findall(teaser.headline)) >= 6
    return is_headline and sum(map(words, teaser.pieces)) <= LONGEST_TEASER


def _is_hardly_anything(page: Signals, own: int) -> bool:
    return own <= NEXT_TO_NOTHING < page.linked <= 3 * SHORT_TEXT


_Rule = Callable[[Signals, int], bool]
_RULES: tuple[tuple[NoArticle, _Rule], ...] = (
    (NoArticle.BOT_CHALLENGE, _is_challenge),
    (NoArticle.CONSENT_WALL, _is_consent_wall),
    (NoArticle.SOFT_404, _is_soft_404),
    (NoArticle.ERROR_PAGE, _is_error),
    (NoArticle.LOGIN_WALL, _is_login_wall),
    (NoArticle.NEEDS_JAVASCRIPT, _needs_javascript),
    (NoArticle.INDEX_PAGE, _is_index),
    (NoArticle.LOW_CONTENT, _is_hardly_anything),
)


def _is_titled(page: Signals, pattern: re.Pattern[str]) -> bool:
    """Whether a title, or what stands before or behind the site's name in it, is just that."""
    for title in map(_plain, page.titles):
        for part in (title, *_TITLE_PARTS.split(title)):
            if pattern.fullmatch(part.strip(_AROUND_TITLES)):
                return True
    return False


def _is_policy(page: Signals) -> bool:
    return any(phrases.POLICY_TITLES.search(_plain(title)) for title in page.titles)


def _plain(text: str) -> str:
    return " ".join(text[:LONGEST_LOOK].lower().translate(_STRAIGHT).split())


_WORD = re.compile(rf"(?:[^\W{UNSPACED}_]|['\u2019])+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f;\n]+")
_TITLE_PARTS = re.compile(r"\s+[-\u2013\u2014:\u00b7\u2022\u00bb/]+\s+|\s*[|\uff5c]\s*")
_AROUND_TITLES = " .!?:-\u2013\u2014\u2026\u3002\uff01()[]"
_STRAIGHT = dict.fromkeys(map(ord, APOSTROPHES), "'")
_SENTENCES = {
    NoArticle.BOT_CHALLENGE: (
        "wants proof that a human is asking, and shows nothing else. It will not let a program "
        "read it: name another source, or ask its owner for access."
    ),
    NoArticle.CONSENT_WALL: (
        "shows only a request for consent to cookies. Name a page that is shown without it, the "
        "feed of the site, or another source."
    ),
    NoArticle.LOGIN_WALL: (
        "is shown to those who log in or subscribe. Name a page that is open to everybody, or "
        "put a copy that you may use into your own bucket."
    ),
    NoArticle.NEEDS_JAVASCRIPT: (
        "is empty until a browser runs its scripts, which is not done here. Name a page that has "
        "the text itself, its feed or its API."
    ),
    NoArticle.SOFT_404: (
        "says that there is no such page, though with status 200. Look up the address that it "
        "has now, or remove the source."
    ),
    NoArticle.ERROR_PAGE: (
        "is an error message or a server's default page, though with status 200. Open it in a "
        "browser; if it is well there, resume the run later."
    ),
    NoArticle.INDEX_PAGE: (
        "lists other pages with a line or two of each, and has no text of its own. Name the pages "
        "that you want read, or the site's feed."
    ),
    NoArticle.LOW_CONTENT: (
        "shows hardly anything but links. Name the page behind the link that has the text."
    ),
}
