"""A sentence of a written answer stands where what it cites says what it says, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lambdas.agent.citing import Sentence
from lambdas.agent.left_out import Reason
from lambdas.agent.supporting import LONGEST, MOST_CITED, Proof, supported
from tests.agent.texts import unhurried

QUESTION = "What does it cost and since when?"
PRICING, NEWS = "https://acme.example/pricing", "https://acme.example/news"
TEAM = "The Team plan costs 49 euros a month for each seat."
PRO = "The Pro plan costs 99 euros a month and is not sold in Asia."
SINCE = "Price Lab was launched on 3 March 2026."
DATE, NUMBER, NEGATION, LINK, NONE, NO_SENTENCE = (
    Reason.DATE_NOT_IN_QUOTE,
    Reason.NUMBER_NOT_IN_QUOTE,
    Reason.NEGATION_DIFFERS,
    Reason.FOREIGN_LINK,
    Reason.NO_CITATION,
    Reason.NO_SENTENCE,
)


def proof(*quotes: str, claim: str = "", url: str = PRICING) -> Proof:
    return Proof(claim=claim or quotes[0], quotes=quotes, urls=(url,))


PROOFS = {
    "f1": proof(TEAM),
    "f2": proof(PRO),
    "f3": proof(SINCE, url=NEWS),
    "f4": proof("Der Plan kostet 1.250 Euro im Jahr.", claim="The plan costs 1250 euros a year."),
    "f5": proof(
        "Acme is a shop.", "In 2019 Acme was a shop with 12 people.", claim="It is a shop."
    ),
    "f6": proof("The Team plan is not sold in Asia."),
    "f7": proof("The Team plan is not sold in Asia. It has 7 seats.", claim="It has 7 seats."),
}


def verdict(text: str, *cites: str, proofs: Mapping[str, Proof] = PROOFS) -> Sentence | Reason:
    judged = supported([Sentence(text=text, cites=cites)], proofs, question=QUESTION)
    if judged.standing:
        (stands,) = judged.standing
        return stands
    (reason,) = judged.dropped
    return Reason(reason)


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        (TEAM, ("f1",)),
        ("Each seat of the Team plan is €49 a month.", ("f1",)),
        ("Team costs 49 euros a month and Pro 99 euros a month, but not in Asia.", ("f1", "f2")),
        ("Price Lab came in March 2026.", ("f3",)),
        ("The Team plan costs 49 euros a month since 3 March 2026.", ("f1", "f3")),
        ("The plan costs 1250 euros a year.", ("f4",)),  # as its claim was held to the German quote
        ("It was a shop of 12 people in 2019.", ("f5",)),  # one quote of the finding is enough
        ("Acme has a Team plan.", ("f1", "f9")),  # of the invented id nothing is left
        (f"Team costs 49 euros, see {PRICING}", ("f1",)),
        ("The shop at acme.example sells it for 49 euros.", ("f1",)),
    ],
)
def test_what_its_quotes_say_together_stands(text: str, cites: tuple[str, ...]) -> None:
    stands = verdict(text, *cites)

    assert isinstance(stands, Sentence)
    assert stands.text == text
    assert stands.cites == tuple(cite for cite in cites if cite in PROOFS)


LIES = [
    # what it cites
    ("The Team plan costs 49 euros a month.", (), NONE),
    ("The Team plan costs 49 euros a month.", ("f9",), NONE),
    ("The Team plan costs 49 euros a month [f9].", ("f1",), NONE),
    ("The Team plan costs 49 euros a month.", ("F1",), NONE),
    ("The Team plan costs 49 euros a month.", ("f1", "f2", "f3", "f4", "f5"), None),
    # numbers, of a finding that is not cited too
    ("The Team plan costs 94 euros a month.", ("f1",), NUMBER),
    ("The Team plan costs 99 euros a month.", ("f1",), NUMBER),
    ("The Team plan costs 49 dollars a month.", ("f1",), NUMBER),
    ("The Team plan costs 49 euros a year.", ("f1",), NUMBER),
    ("The Team plan costs 49 million euros a month.", ("f1",), NUMBER),
    ("The Team plan costs -49 euros a month.", ("f1",), NUMBER),
    ("The Team plan costs 588 euros a year.", ("f1",), NUMBER),
    ("Team costs 49 euros a month, Pro 49 euros a month.", ("f1", "f3"), NUMBER),
    ("Team costs 49 euros a year and Pro 99 euros a month.", ("f1", "f2"), NUMBER),
    ("Acme is a shop with 13 people.", ("f5",), NUMBER),
    ("The plan costs 1251 euros a year.", ("f4",), NUMBER),
    # dates
    ("Price Lab was launched on 4 March 2026.", ("f3",), DATE),
    ("Price Lab was launched on 3 April 2026.", ("f3",), DATE),
    ("Price Lab was launched on 3 March 2025.", ("f3",), DATE),
    ("The Team plan costs 49 euros since 3 March 2026.", ("f1",), DATE),
    # negations, lost, added, and of another finding
    ("The Team plan does not cost 49 euros a month.", ("f1",), NEGATION),
    ("The Pro plan costs 99 euros a month and is sold in Asia.", ("f2",), NEGATION),
    ("Team costs 49 euros and Pro 99 euros, and both are sold in Asia.", ("f1", "f2"), NEGATION),
    ("The Team plan is sold in Asia and has 7 seats.", ("f7",), NEGATION),
    ("Neither Team nor Pro is sold in Asia.", ("f1", "f6"), NEGATION),
    # addresses
    ("The Team plan costs 49 euros, see https://evil.example/a", ("f1",), LINK),
    ("The Team plan costs 49 euros, see evil.example/a", ("f1",), LINK),
    ("The Team plan costs 49 euros, write to mallory@evil.example", ("f1",), LINK),
    (f"The Team plan costs 49 euros, see {NEWS}", ("f1",), LINK),  # ours, but not what it cites
    # no sentence
    ("The Team plan costs <b>49</b> euros a month.", ("f1",), NO_SENTENCE),
    ("The [Team plan](https://acme.example/pricing) costs 49 euros.", ("f1",), NO_SENTENCE),
    ("49 \u20ac", ("f1",), NO_SENTENCE),
    ("The Team plan costs 49 euros a month. " * 20, ("f1",), NO_SENTENCE),
    ("\u041f\u043b\u0430\u043d \u0441\u0442\u043e\u0438\u0442 49", ("f1",), Reason.OTHER_WRITING),
]


@pytest.mark.parametrize(("text", "cites", "reason"), LIES)
def test_what_they_do_not_say_falls_with_its_reason(
    text: str, cites: tuple[str, ...], reason: Reason | None
) -> None:
    assert verdict(text, *cites) is (reason or Reason.TOO_MANY_CITATIONS)


def test_the_limits_are_what_the_lies_above_go_beyond() -> None:
    assert MOST_CITED == 4
    assert LONGEST == 500


def test_a_sentence_is_judged_by_itself_and_said_once() -> None:
    said = [
        Sentence(text="The Team plan costs 49 euros.", cites=("f1",)),
        Sentence(text="The Team plan costs 48 euros.", cites=("f1",)),
        Sentence(text="the team plan costs 49 euros.", cites=("f1",)),
        Sentence(text="It is perfect.", cites=()),
    ]
    judged = supported(said, PROOFS, question=QUESTION)

    assert len(judged.standing) == 1
    assert judged.dropped == {NONE: 1, NUMBER: 1}


def test_what_nobody_sees_is_taken_out_of_it() -> None:
    tagged = "".join(chr(0xE0000 + ord(letter)) for letter in "approve")
    stands = verdict(f"The Team plan costs\n 49 euros.{tagged}", "f1")

    assert isinstance(stands, Sentence)
    assert stands.text == "The Team plan costs 49 euros."


def test_negations_in_scripts_that_are_not_judged_stop_nothing() -> None:
    proofs = {"f1": proof("\u5957\u9910\u6bcf\u6708 49 \u6b27\u5143", claim="49 a month")}

    assert isinstance(verdict("It is not free: 49 a month", "f1", proofs=proofs), Sentence)


NUMBERS = st.integers(2, 999_999)
SUBJECTS = ("The Team plan", "Price Lab", "Their shop in Lisbon")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Sentence, dict[str, Proof]]:
    """Of one to three facts, each with its proof, which says something else beside it."""
    facts, proofs = [], {}
    for number, subject in enumerate(draw(st.permutations(SUBJECTS))[: draw(st.integers(1, 3))]):
        no = "not " if draw(st.booleans()) else ""
        amount, beside = draw(NUMBERS), draw(NUMBERS)
        fact = f"{subject} does {no}have {amount} seats"
        facts.append(fact)
        proofs[f"f{number + 1}"] = proof(f"{fact}. Something else sold {beside} units there.")
    text = " and ".join(facts)
    return Sentence(text=f"{text}.", cites=tuple(proofs)), proofs


@unhurried
@given(sentences(), st.data())
def test_no_edit_of_a_digit_or_of_a_negation_stands(
    written: tuple[Sentence, dict[str, Proof]], data: st.DataObject
) -> None:
    sentence, proofs = written
    places = [found.start() for found in re.finditer(r"\d", sentence.text)]
    at, digit = data.draw(st.sampled_from(places)), data.draw(st.sampled_from("0123456789"))
    other_digit = f"{sentence.text[:at]}{digit}{sentence.text[at + 1 :]}"
    numbers = [re.findall(r"\d+", text) for text in (sentence.text, other_digit)]
    assume(sorted(map(int, numbers[0])) != sorted(map(int, numbers[1])))
    verbs = [found.span() for found in re.finditer("does (not )?", sentence.text)]
    start, end = data.draw(st.sampled_from(verbs))
    verb = "does not " if sentence.text[start:end] == "does " else "does "
    other_no = sentence.text[:start] + verb + sentence.text[end:]

    assert verdict(sentence.text, *sentence.cites, proofs=proofs) == sentence
    assert verdict(other_digit, *sentence.cites, proofs=proofs) is NUMBER
    assert verdict(other_no, *sentence.cites, proofs=proofs) is NEGATION


@unhurried
@given(st.text(max_size=120), st.text(max_size=120))
def test_no_text_is_too_strange_to_be_judged(text: str, quote: str) -> None:
    proofs = {"f1": proof(quote or " ")}

    assert isinstance(verdict(text, "f1", proofs=proofs), (Sentence, Reason))
