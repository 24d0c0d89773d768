"""Words as the ranking compares them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.synonyms import TABLE, related
from lambdas.agent.terms import STOPWORDS, stem, terms, words
from tests.agent.texts import unhurried


def test_keeps_numbers_currencies_and_names_with_signs() -> None:
    text = "The U.S. price is $1,250.50 (20% off): C++ and C# in v2"

    assert words(text) == (
        *("the", "u.s.", "price", "is", "$", "1250.50", "20", "%", "off"),
        *("c++", "and", "c#", "in", "v2"),
    )


def test_takes_possessives_and_contractions_apart() -> None:
    assert words("Acme\u2019s plan isn\u2019t free and can't be") == (
        *("acme", "plan", "not", "free", "and", "not", "be"),
    )


def test_reads_scripts_without_spaces_in_pairs() -> None:
    assert words("AI\u6280\u8853\u306e5") == ("ai", "\u6280\u8853", "\u8853\u306e", "5")
    assert words("\u5e74") == ("\u5e74",)


@pytest.mark.parametrize(
    "forms",
    [
        "price prices priced pricing",
        "launch launched launches launching",
        "ship ships shipped shipping",
        "deprecate deprecated deprecation",
        "announce announced announcement",
        "company companies",
        "month monthly months",
        "process processed processes",
        "sell sells sold",
        "buy bought",
        "use used using uses",
        "keep kept",
    ],
)
def test_forms_of_one_word_have_one_stem(forms: str) -> None:
    assert len(set(map(stem, forms.split()))) == 1


@pytest.mark.parametrize("pair", ["new news", "free fee", "ship shipment", "bus us"])
def test_other_words_have_other_stems(pair: str) -> None:
    one, other = pair.split()

    assert stem(one) != stem(other)


def test_leaves_other_languages_alone() -> None:
    assert terms("Die Preise steigen", english=False) == ("die", "preise", "steigen")
    assert stem("news") in terms("news \u00c4nderungen", english=True)
    assert "\u00e4nderungen" in terms("news \u00c4nderungen", english=True)


def test_drops_stop_words_but_no_negation() -> None:
    assert terms("it is not the one and never was") == ("not", "one", "never")


@unhurried
@given(st.text(max_size=80))
def test_words_of_a_text_do_not_depend_on_its_case(text: str) -> None:
    folded = text.casefold()

    assert words(folded.casefold()) == words(folded)


def test_synonyms_answer_for_one_another_and_hints_only_one_way() -> None:
    strong, weak = related(stem("pricing"))

    assert stem("fee") in strong
    assert stem("subscription") in weak
    assert stem("fee") not in related(stem("subscription"))[0]


def test_table_of_synonyms_holds_no_word_that_is_never_looked_up() -> None:
    for row in TABLE:
        assert len(row.strong) > 1
        assert not (row.strong | row.weak) & STOPWORDS
