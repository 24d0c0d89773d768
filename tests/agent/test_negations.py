"""A no in the claim needs a no in the quote, and the other way round."""

from __future__ import annotations

import pytest

from lambdas.agent.negations import count, differ


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("It isn't free and can't be had without a card", 3),
        ("It is non-refundable", 1),
        ("No. 5 of the list, and no.7", 0),
        ("Das ist nicht frei und hat keine Grenze", 2),
        ("Ce n'est pas gratuit", 1),
        ("Il ne co\u00fbte plus rien", 2),
        ("Ce n'est que le d\u00e9but, et il y en a plus", 0),
        ("No es gratis, ni sin tarjeta", 2),
        ("Het is niet gratis en kent geen limiet", 2),
        ("Notable notes of a knotty nonsense", 0),
    ],
)
def test_counts_the_negations(text: str, times: int) -> None:
    assert count(text) == times


def test_a_claim_in_another_language_says_no_as_often() -> None:
    assert not differ("It is not available", "Es ist nicht verf\u00fcgbar")
    assert differ("It is available", "Es ist nicht verf\u00fcgbar")


def test_only_the_sentences_that_a_claim_draws_upon_count() -> None:
    quote = "There is no trial. The Team plan costs 49 euros a month."

    assert not differ("The Team plan costs 49 euros", quote)
    assert differ("There is a trial", quote)
    assert not differ("There is no trial", quote)


def test_what_is_in_no_latin_script_is_not_judged() -> None:
    assert not differ("It is not free", "\u3053\u308c\u306f\u7121\u6599\u3067\u306f\u306a\u3044")
