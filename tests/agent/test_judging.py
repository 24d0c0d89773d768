"""A finding stands where its quote is there and says what its claim says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lambdas.agent.claims import claim as composed
from lambdas.agent.findings import Finding, Text
from lambdas.agent.folding import fold, visible
from lambdas.agent.grounding import locate
from lambdas.agent.judging import judge
from lambdas.agent.left_out import Reason
from lambdas.agent.markup import plain
from lambdas.agent.passages import passages
from tests.agent.texts import a_text, markdowns, unhurried

OURS = ("https://acme.example/pricing", "https://acme.example/blog")
NUMBER, DATE, NEGATION = (
    Reason.NUMBER_NOT_IN_QUOTE,
    Reason.DATE_NOT_IN_QUOTE,
    Reason.NEGATION_DIFFERS,
)
LINK, NOT_FOUND, TOO_SHORT = Reason.FOREIGN_LINK, Reason.QUOTE_NOT_FOUND, Reason.QUOTE_TOO_SHORT

# A claim, and words that do not say it.
LIES = [
    # another number
    ("The Team plan costs $94", "The Team plan costs $49", NUMBER),
    ("The Team plan costs $490", "The Team plan costs $49", NUMBER),
    ("The Team plan costs $4.9", "The Team plan costs $49", NUMBER),
    ("The Team plan costs $49.50", "The Team plan costs $49", NUMBER),
    ("There are 5 seats for 6 users", "There are 6 seats for 6 users", NUMBER),
    ("There are 6 seats", "There are 5 seats for 6 users", NUMBER),
    ("Six seats are included", "Five seats are included", NUMBER),
    ("Six seats are included", "5 seats are included", NUMBER),
    ("Twenty-six seats are included", "Twenty-five seats are included", NUMBER),
    ("Millions of people use it", "Thousands of people use it", NUMBER),
    ("It has 103 users", "It has 103.000 users", NUMBER),
    ("It has 103000 users", "It has 103.000 users", NUMBER),
    ("It has 103,000 users", "It has 103.000 users", NUMBER),
    ("It has 250 users now", "It has 1\u202f250 users now", NUMBER),
    ("It runs on an H200 card", "It runs on an H100 card", NUMBER),
    ("It came with version 3.2.2", "It came with version 3.2.1", NUMBER),
    ("It was the 4th of its kind", "It was the 5th of its kind", NUMBER),
    ("An area of 10\u00b3 metres", "An area of 10\u00b2 metres", NUMBER),
    ("An area of 102 metres", "An area of 10\u00b2 metres", NUMBER),
    ("It opens at 12:30 each day", "It opens at 12:45 each day", NUMBER),
    ("Call 555-123-4568 for it", "Call 555-123-4567 for it", NUMBER),
    ("It was founded in 2018", "It was founded in 2019", NUMBER),
    ("The plan has 12 seats", "The plan has 10\u201312 seats", NUMBER),
    ("The plan has 10-13 seats", "The plan has 10\u201312 seats", NUMBER),
    ("It fell from 5 to 12 users", "It fell from 12 to 5 users", NUMBER),
    ("A range of \u221212 to 10 degrees", "A range of 10-12 degrees", NUMBER),
    ("It has 5 and 5 more", "It has 5 and some more", NUMBER),
    # another unit, currency, magnitude or period
    ("The Team plan costs \u20ac49", "The Team plan costs $49", NUMBER),
    ("The Team plan costs 49", "The Team plan costs $49", NUMBER),
    ("The Team plan costs US$49", "The Team plan costs $49", NUMBER),
    ("The Team plan costs A$49", "The Team plan costs $49", NUMBER),
    ("The Team plan costs $49 a year", "The Team plan costs $49 a month", NUMBER),
    ("The Team plan costs $49 a year", "The Team plan costs $49", NUMBER),
    ("The Team plan costs \u20ac49/year", "Der Tarif kostet 49 \u20ac pro Monat", NUMBER),
    ("They sold 5 units", "They sold 5 million units", NUMBER),
    ("They sold 5 billion units", "They sold 5 million units", NUMBER),
    ("They sold 3.5 billion units", "Verkauft wurden 3,5 Mio. St\u00fcck", NUMBER),
    ("They raised $5k in all", "They raised $5m in all", NUMBER),
    ("Sales grew by 5", "Sales grew by 5 %", NUMBER),
    ("Sales grew by 5 %", "Sales grew by 5 percentage points", NUMBER),
    ("Sales grew by 5 \u2030", "Sales grew by 5 %", NUMBER),
    ("The trial lasts 30 days", "The trial lasts 30 minutes", NUMBER),
    ("The trial lasts 30 weeks", "a 30-day trial for all", NUMBER),
    ("It weighs 5 kg and more", "It weighs 5 g and more", NUMBER),
    ("It holds 5 TB of files", "It holds 5 GB of files", NUMBER),
    ("It holds 5 MB of files", "It holds 5 mb of files", NUMBER),
    ("It rose to 5 \u00b0F at night", "It rose to 5 \u00b0C at night", NUMBER),
    ("It is 3 percent faster", "It is 3 times faster", NUMBER),
    # a changed sign or symbol
    ("A low of 5 \u00b0C at night", "A low of \u22125 \u00b0C at night", NUMBER),
    ("A low of \u22125 \u00b0C at night", "A low of 5 \u00b0C at night", NUMBER),
    ("More than 5 of them", "More than \u2265 5 of them", NUMBER),
    ("They want > 5 of them", "They want < 5 of them", NUMBER),
    ("About 5 of them are in", "About \u00b15 of them are in", NUMBER),
    ("The result was 5 in all", "The result was (5) in all", NUMBER),
    # another date
    ("It starts on 4 March 2026", "It starts on 3 March 2026", DATE),
    ("It starts on 3 March 2027", "It starts on 3 March 2026", DATE),
    ("It starts on 3 March 2026", "It starts in March 2026", DATE),
    ("It starts in November", "It starts in December", DATE),
    ("It starts on 2026-03-04", "Es beginnt am 3.4.2026", DATE),
    ("It starts on 31.12.2027", "It starts with 31 of 12 in 2027", DATE),
    ("It starts on Monday next", "It starts on Tuesday next", DATE),
    ("It starts on 3 April 2026", "It starts on 03/04/2026", DATE),
    # a lost or an added no
    ("It is available in Europe", "It is not available in Europe", NEGATION),
    ("It is available in Europe", "It isn\u2019t available in Europe", NEGATION),
    ("It is available in Europe", "It is never available in Europe", NEGATION),
    ("It is not available in Europe", "It is available in Europe", NEGATION),
    ("Tickets are refundable for all", "Tickets are non-refundable for all", NEGATION),
    ("It comes with a card", "It comes without a card", NEGATION),
    ("It can be cancelled by all", "It cannot be cancelled by all", NEGATION),
    ("Es ist in Europa verf\u00fcgbar", "Es ist in Europa nicht verf\u00fcgbar", NEGATION),
    ("Es gibt eine Grenze daf\u00fcr", "Es gibt keine Grenze daf\u00fcr", NEGATION),
    ("C'est gratuit pour tous", "Ce n\u2019est pas gratuit pour tous", NEGATION),
    ("Es gratis para todos", "No es gratis para todos", NEGATION),
    ("Het is gratis voor iedereen", "Het is niet gratis voor iedereen", NEGATION),
    ("It is free in Europe", "Es ist in Europa nicht kostenlos", NEGATION),
    ("A is not in, and B is", "A is not in, and B is not", NEGATION),
    # a place outside
    ("More at https://evil.example/pricing", "More about it is on our page", LINK),
    ("More at https://acme.example/pricing2", "More about it is on our page", LINK),
    ("[More](https://acme.example.evil.example/)", "More about it is on our page", LINK),
    ("More at www.evil.example", "More about it is on our page", LINK),
    ("More at evil.example/pricing", "More about it is on our page", LINK),
    ("More: javascript:alert(1)", "More about it is on our page", LINK),
]

# A quote, and a text that does not say it.
NOT_SAID = [
    ("available in all of Europe", "It is not available in all of Europe", NOT_FOUND),
    ("Plans cost $5. All are free", "Plans cost $5. They say more. All are free", NOT_FOUND),
    ("Plans cost $5 \u2026 All are free", "Plans cost $5. They say more. All are free", NOT_FOUND),
    ("the WHO says so too", "the World Health Organization says so too", NOT_FOUND),
    ("the EU and the US", "the European Union and the US", NOT_FOUND),
    ("sales grew by 6 %", "sales grew by 5 %", NOT_FOUND),
    ("sales grew by 5 \u2030", "sales grew by 5 %", NOT_FOUND),
    ("sales grew by 5 %", "sales grew by \u22125 %", NOT_FOUND),
    ("Pricing", "Pricing of all our plans", TOO_SHORT),
    ("state-of-the-art", "a state-of-the-art plant", TOO_SHORT),
    ("internationalisation", "the internationalisation of it", TOO_SHORT),
    ("12 345 678", "it has 12 345 678 users", TOO_SHORT),
    ("", "it has 12 345 678 users", TOO_SHORT),
    ("we have it", "  \n ", Reason.SOURCE_WITHOUT_TEXT),
    ("we have it", "", Reason.SOURCE_WITHOUT_TEXT),
]


def verdict(claim: str, quote: str, text: Text) -> Finding | str:
    """What stands, or why it does not."""
    start = max(0, text.text.find(quote))
    finding = Finding(
        question=0, claim=claim, quote=quote, start=start, end=start + len(quote), score=0.5
    )
    judged = judge([finding], text, OURS)
    return judged.standing[0] if judged.standing else next(iter(judged.dropped))


@pytest.mark.parametrize(("claim", "quote", "reason"), LIES)
def test_a_claim_that_its_quote_does_not_say_is_dropped(
    claim: str, quote: str, reason: Reason
) -> None:
    text = replace(a_text(f"Before it.\n\n{quote}\n\nAfter it."), language="")

    assert verdict(claim, quote, text) == reason


@pytest.mark.parametrize(("quote", "text", "reason"), NOT_SAID)
def test_a_quote_that_the_text_does_not_have_is_dropped(
    quote: str, text: str, reason: Reason
) -> None:
    assert verdict("We have it", quote, a_text(text)) == reason


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "The Team plan is \u20ac49 a month",
            "The Team plan costs 49 euros a month for each seat.",
        ),
        ("The plan starts on 2026-03-03", "It starts on March 3rd, 2026, for all."),
        ("It has 1,250 users", "By now 1,250 users have it."),
        ("There are five seats", "Up to 5 seats are included."),
        ("It is not free", "Es ist nicht kostenlos, sagt Acme."),
        ("It runs on Node.js", "It runs on **Node.js** and more."),
        ("Prices: https://acme.example/pricing#all", "The prices are on our page."),
    ],
)
def test_a_claim_in_other_words_stands(claim: str, quote: str) -> None:
    stands = verdict(claim, quote, a_text(quote))

    assert isinstance(stands, Finding)
    assert stands.claim == claim


@pytest.mark.promise("R37")
@unhurried
@given(markdowns())
def test_what_repeats_its_quote_stands(markdown: str) -> None:
    text = a_text(f"{markdown}\n\nThe words of the last line are here.")

    for passage in passages(text):
        if "\n" not in passage.quote:  # numbers on two lines are two numbers
            told = verdict(plain(passage.quote), passage.quote, text)
            assert isinstance(told, Finding) or told in {TOO_SHORT, NOT_FOUND}


def test_a_claim_in_the_texts_own_words_has_its_numbers_from_the_heading_above() -> None:
    text = a_text("# Prices of 2026\n\n| Plan | In 2027 |\n|---|---|\n| Pro plan | no fee |")
    (row,) = [one for one in passages(text) if one.kind == "table"]

    stands = verdict(composed(row), row.quote, text)

    assert isinstance(stands, Finding)
    assert "2026" in stands.claim
    assert "2026" not in stands.quote
    assert verdict(f"{composed(row)}, it says", row.quote, text) == NUMBER


def test_an_address_of_the_quote_that_leads_out_of_the_run_is_taken_out_of_the_claim() -> None:
    quote = "Read more on https://other.example/a_(b), they say."

    stands = verdict(quote, quote, a_text(quote))

    assert isinstance(stands, Finding)
    assert stands.claim == "Read more on \u2026, they say."
    assert stands.quote == quote


def test_what_is_dropped_is_counted_by_its_reason() -> None:
    text = a_text("We have it, and it costs $5 a month.")
    one = Finding(question=0, claim="It costs $5", quote=text.text, start=0, end=36, score=0.5)
    others = [
        replace(one, quote="It is not there at all"),
        replace(one, quote="Nor is that one there"),
        replace(one, claim="It costs $6"),
    ]

    judged = judge([*others, one], text, OURS)

    assert judged.standing == (one,)
    assert judged.dropped == {"QUOTE_NOT_FOUND": 2, "NUMBER_NOT_IN_QUOTE": 1}


# What a random edit does to it can never be right.
TRUE = st.sampled_from(
    [
        "The Team plan costs $49 a month for each of 12 seats.",
        "Founded in 2019, it has 1,250 users in 31 countries.",
        "On 3 March 2026 sales grew by 12.5 % to \u20ac3.4 million.",
        "Es sind 3,5 Mio. Nutzer und nicht weniger als 40 L\u00e4nder.",
        "A low of \u22125 \u00b0C was not seen since 31.12.2017 at 12:30.",
        "Version 3.2.1 of the H100 card runs in 10\u201312 ms.",
        "Ce n\u2019est pas gratuit: 1\u202f250 euros par mois.",
        "It is never more than 5 GB, and no one pays 7 cents for it.",
    ]
)
NOES = ("not", "never", "no", "without", "nicht", "kein", "pas", "sin", "niet", "geen")


@settings(unhurried, max_examples=300)
@given(TRUE, st.data())
def test_no_edit_of_one_digit_passes(sentence: str, data: st.DataObject) -> None:
    text = a_text(f"It says so here.\n\n{sentence}\n\nThere is more to it.")
    at = data.draw(st.sampled_from([at for at, one in enumerate(sentence) if one.isdigit()]))
    digit = data.draw(st.sampled_from("0123456789".replace(sentence[at], "")))
    edited = sentence[:at] + digit + sentence[at + 1 :]

    assert verdict(edited, sentence, text) in {NUMBER, DATE}
    assert verdict(sentence, edited, text) == NOT_FOUND


@settings(unhurried, max_examples=300)
@given(TRUE, st.data())
def test_no_edit_of_one_negation_passes(sentence: str, data: st.DataObject) -> None:
    text = a_text(f"It says so here.\n\n{sentence}\n\nThere is more to it.")
    words = sentence.split(" ")
    noes = [at for at, word in enumerate(words) if word in NOES]
    lost = data.draw(st.sampled_from([-1, *noes]))
    if lost >= 0:
        del words[lost]
    else:
        words.insert(data.draw(st.integers(1, len(words) - 1)), data.draw(st.sampled_from(NOES)))
    edited = " ".join(words)

    assert isinstance(verdict(edited, sentence, text), str)
    assert verdict(sentence, edited, text) == NOT_FOUND


@settings(unhurried, max_examples=200)
@given(markdowns(), st.data())
def test_no_splice_passes(markdown: str, data: st.DataObject) -> None:
    text = a_text(f"It begins here.\n\n{markdown}\n\nThere is more to it than that.")
    places = [data.draw(st.integers(0, len(text.text))) for _ in range(4)]
    first, second = sorted(places[:2]), sorted(places[2:])
    splice = f"{text.text[slice(*first)]} {text.text[slice(*second)]}"
    assume(splice.strip() not in text.text and _letters(splice) not in _letters(text.text))

    assert locate(splice, text.text) is None


@settings(unhurried, max_examples=200)
@given(markdowns(), st.data())
def test_what_is_found_folds_to_the_same(markdown: str, data: st.DataObject) -> None:
    text = a_text(f"It begins here.\n\n{markdown}\n\nThere is more to it than that.").text
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]

    span = locate(quote, text)

    if span:
        assert _letters(text[span.start : span.end]) == _letters(quote)


@unhurried
@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["", "de", "en"]))
def test_no_text_is_too_strange_to_be_judged(claim: str, quote: str, language: str) -> None:
    text = replace(a_text(f"It begins here. {quote} It ends."), language=language)

    assert isinstance(verdict(claim, quote, text), (Finding, str))


@pytest.mark.promise("R37")
def test_judges_five_thousand_findings_over_two_megabytes() -> None:
    lines = [
        f"Plan {number} costs \u201c${number + 7}\u201d \u2013 not less \u2013 for each of us."
        for number in range(40_000)
    ]
    text = a_text("\n\n".join(lines))
    findings = [
        Finding(
            question=0,
            claim=f"Plan {number} costs ${number + 7 + number % 2}, not less",
            quote=lines[number].replace("\u201c", '"').replace("\u201d", '"'),
            start=0,
            end=0,
            score=0.5,
        )
        for number in range(0, 40_000, 8)
    ]

    judged = judge(findings, text, OURS)

    assert len(text.text) > 2_000_000
    assert len(judged.standing) == 5_000


def _letters(text: str) -> str:
    """What is compared, without the marks and spaces that a cut may leave over."""
    return re.sub(r"[\W_]", "", fold(visible(text)).text)
