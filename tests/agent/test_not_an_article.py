"""The rules by which a page is none: each needs few words and a sign. Whole pages of many
languages stand in the tests of the adapter that takes the signals.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.not_an_article import (
    FEW_WORDS,
    FEWEST_TEASERS,
    SHORT_TEXT,
    NoArticle,
    Signals,
    Teaser,
    no_article,
    words,
)

NEWS = "The council approved the plan on Monday after a debate that lasted until midnight."
ANY_TEXT = " ".join([NEWS] * 20)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("two words", 2),
        ("don't, l\u2019\u00e9t\u00e9 - and 9,400", 5),
        ("\u6c34\u66dc\u65e5\u306e\u5348\u5f8c", 3),
        ("\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!", 2),
        ("\u0e2a\u0e20\u0e32\u0e40\u0e21\u0e37\u0e2d\u0e07 and", 5),
    ],
)
def test_words_are_counted_in_every_script(text: str, number: int) -> None:
    assert words(text) == number


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        (Signals(own="Checking your browser before you go on."), NoArticle.BOT_CHALLENGE),
        (Signals(titles=("Just a moment...",)), NoArticle.BOT_CHALLENGE),
        (Signals(has_challenge=True), NoArticle.BOT_CHALLENGE),
        (
            Signals(own="We and our partners use cookies.", buttons=("I agree",)),
            NoArticle.CONSENT_WALL,
        ),
        (Signals(titles=("Any | Page not found",)), NoArticle.SOFT_404),
        (Signals(own="The page you are looking for is gone."), NoArticle.SOFT_404),
        (Signals(titles=("502 Bad Gateway",)), NoArticle.ERROR_PAGE),
        (Signals(own="You don\u2019t have permission to access this."), NoArticle.ERROR_PAGE),
        (Signals(asks_password=True), NoArticle.LOGIN_WALL),
        (Signals(own=NEWS, buttons=("Subscribe to continue reading",)), NoArticle.LOGIN_WALL),
        (Signals(unscripted="JavaScript, please"), NoArticle.NEEDS_JAVASCRIPT),
        (Signals(has_empty_root=True), NoArticle.NEEDS_JAVASCRIPT),
        (Signals(own="Home", linked=40), NoArticle.LOW_CONTENT),
        (Signals(own=NEWS, text=NEWS), None),
        (Signals(), None),
    ],
)
def test_each_sign_on_a_page_of_few_words_has_its_code(
    signals: Signals, code: NoArticle | None
) -> None:
    assert no_article(signals) is code


@given(
    titles=st.lists(
        st.sampled_from(["Page not found", "Just a moment...", "Access denied", "Your privacy"])
    ),
    unscripted=st.sampled_from(["", "Enable JavaScript and cookies to continue"]),
    buttons=st.lists(st.sampled_from(["Accept", "Log in to continue", "Ok"])),
    asks_password=st.booleans(),
    has_challenge=st.booleans(),
    has_empty_root=st.booleans(),
    linked=st.integers(0, 5_000),
)
def test_no_sign_makes_a_wall_of_a_page_that_says_something(
    titles: list[str],
    unscripted: str,
    buttons: list[str],
    asks_password: bool,
    has_challenge: bool,
    has_empty_root: bool,
    linked: int,
) -> None:
    page = Signals(
        titles=titles,
        text=ANY_TEXT,
        own=ANY_TEXT,
        linked=linked,
        unscripted=unscripted,
        buttons=buttons,
        asks_password=asks_password,
        has_challenge=has_challenge,
        has_empty_root=has_empty_root,
    )
    assert no_article(page) is None


def test_some_more_words_need_a_title_and_a_sentence_together() -> None:
    own = " ".join([NEWS] * 6)
    assert FEW_WORDS < words(own) < SHORT_TEXT
    missing = f"{own} The page you requested does not exist."
    assert no_article(Signals(own=missing, text=missing)) is None
    assert no_article(Signals(own=own, text=own, titles=("404",))) is None
    assert no_article(Signals(own=missing, titles=("404",))) is NoArticle.SOFT_404


@pytest.mark.parametrize(
    ("number", "headline", "under", "code"),
    [
        (FEWEST_TEASERS, "Grid fees rise again", "Households pay more.", NoArticle.INDEX_PAGE),
        (FEWEST_TEASERS - 1, "Grid fees rise again", "Households pay more.", None),
        (FEWEST_TEASERS, "Version 2.1", "Households pay more.", None),
        (FEWEST_TEASERS, "Grid fees rise again", NEWS * 5, None),
    ],
)
def test_an_index_is_made_of_enough_short_teasers(
    number: int, headline: str, under: str, code: NoArticle | None
) -> None:
    teasers = [Teaser(headline=headline, pieces=(headline, under))] * number
    text = "\n\n".join(f"## {headline}\n\n{under}" for _ in teasers)
    assert no_article(Signals(own=under * number, text=text, teasers=teasers)) is code


def test_teasers_that_were_not_extracted_do_not_count() -> None:
    teasers = [Teaser(headline="Grid fees rise again", pieces=("Grid fees rise again",))] * 50
    assert no_article(Signals(own=ANY_TEXT, text=ANY_TEXT, teasers=teasers)) is None


def test_every_code_has_a_sentence_that_says_what_to_do() -> None:
    for code in NoArticle:
        assert code.sentence.endswith(".")
        assert any(verb in code.sentence.lower() for verb in ("name ", "open it", "look up"))
