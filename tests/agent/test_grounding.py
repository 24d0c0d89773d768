"""A quote is found where the text says it, under any typography, and nowhere else."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lambdas.agent.folding import fold, visible
from lambdas.agent.grounding import Grounds, Span, locate
from lambdas.agent.passages import passages
from tests.agent.texts import a_text, markdowns, unhurried

CASES = Path(__file__).resolve().parents[3] / "shared/cases/inputs"
FROM_THE_FIELD = {
    "E12_same_quotes.json": "pairs_source_vs_model",
    "D13_invisible_characters.json": "pairs",
}

# As the source has it, and as somebody quotes it.
SAME = [
    ("It isn\u2019t \u201cfinal\u201d yet", 'It isn\'t "final" yet'),
    (
        "It is \u00abfinal\u00bb and \u201eendg\u00fcltig\u201c",
        'It is "final" and "endg\u00fcltig"',
    ),
    ("a state\u2011of\u2011the\u2011art plant", "a state-of-the-art plant"),
    ("final \u2013 not yet done", "final - not yet done"),
    ("final\u2014not yet done", "final - not yet done"),
    ("final--not yet done", "final \u2014 not yet done"),
    ("about 1\u202f250\u00a0units sold", "about 1 250 units sold"),
    ("a low of \u22125\u00a0\u00b0C at night", "a low of -5 \u00b0C at night"),
    ("and so on\u2026 until June", "and so on... until June"),
    ("e\ufb03cient \ufb01lters here", "efficient filters here"),
    ("the na\u0308he of it all", "the n\u00e4he of it all"),
    ("two\n   lines   of text", "two lines of text"),
    ("soft\u00adware for all of us", "software for all of us"),
    ("zero\u200bwidth and join\u2060ed", "zerowidth and joined"),
    ("a price of \uff15\uff10 yen", "a price of 50 yen"),
    ("more than \u2265 5 of them", "more than >= 5 of them"),
    ("3\u00d7 faster than before", "3x faster than before"),
    ("inter-\nnational prices rise", "international prices rise"),
    ("we co-\noperate with them", "we co-operate with them"),
    ("inter-\nnational co-\noperation", "international co-operation"),
    ("soft\u00ad\nware for all of us", "software for all of us"),
    ("\u0153uvre of the \u00e6ra", "oeuvre of the aera"),
    ("The *Pro plan.* is _here_", "The Pro plan. is here"),
    ("The **Pro** plan is `here`", "The Pro plan is here"),
    ("see [our prices](https://a.example/p_(1)) today", "see our prices today"),
    ("see ![a chart](https://a.example/c.png) our prices today", "see our prices today"),
    ("a \\$29 plan \\& more of it", "a $29 plan & more of it"),
    ("it was said\n> and done", "it was said and done"),
    ("\u4fa1\u683c\u306f5\u4e07\u5186\u3067\u3059", "\u4fa1\u683c\u306f5\u4e07\u5186\u3067\u3059"),
    ("\U0001d40f\U0001d42b\U0001d428 costs \U0001d7d3 euros", "Pro costs 5 euros"),
]

# What somebody says, and a text that does not say it.
DIFFERENT = [
    # another number
    ("5 seats are included", "15 seats are included"),
    ("5 seats are included", "1.5 seats are included"),
    ("5 seats are included", "1,5 seats are included"),
    ("5 seats are included", "-5 seats are included"),
    ("5 seats are included", "\u2265 5 seats are included"),
    ("5 seats are included", "$5 seats are included"),
    ("5 seats are included", "1\u200b5 seats are included"),
    ("5 seats are included", "**1**5 seats are included"),
    ("250 seats are included", "1\u202f250 seats are included"),
    ("250 seats are included", "1 250 seats are included"),
    ("12 seats are included", "10\u201312 seats are included"),
    ("30 is the time", "it is 12:30 is the time"),
    ("five seats are included", "twenty-five seats are included"),
    ("million seats are sold", "5 million seats are sold"),
    ("it costs about $5", "it costs about $5.50"),
    ("it costs about $1", "it costs about $1,250"),
    ("it costs about $1", "it costs about $1 250"),
    ("it costs about $5", "it costs about $5 million"),
    ("it costs about $5", "it costs about $5\u201310"),
    ("it costs about 5", "it costs about 5 \u20ac"),
    ("it costs about $5", "it costs about $5k"),
    ("$5 for each seat", "US$5 for each seat"),
    ("sales grew by 5", "sales grew by 5 %"),
    ("sales grew by 5", "sales grew by 5\u00bd times"),
    (
        "\u4fa1\u683c\u306f\u4eca\u65e5\u304b\u30895",
        "\u4fa1\u683c\u306f\u4eca\u65e5\u304b\u30895\u4e07\u5186",
    ),
    ("12 seats are included", "10 - 12 seats are included"),
    ("it costs about 10", "it costs about 10 - 12"),
    ("5 for each of the seats", "minus 5 for each of the seats"),
    ("an area of 102 metres", "an area of 10\u00b2 metres"),
    ("about 11/2 cups of it", "about 1\u00bd cups of it"),
    ("about 56 units sold", "about 5*6 units sold"),
    ("about 5 6 units sold", "about 5 *6 units sold"),
    ("about 1250 units sold", "about 1 250 units sold"),
    ("about 1.250 units sold", "about 1,250 units sold"),
    ("the plan costs $5 a month", "the plan costs $6 a month"),
    # a lost "not"
    ("available in all of Europe", "It is not available in all of Europe"),
    ("available in all of Europe", "It isn\u2019t available in all of Europe"),
    ("available in all of Europe", "It is **not** available in all of Europe"),
    ("available in all of Europe", "It is not yet generally available in all of Europe"),
    ("a part of the plan", "It was never a part of the plan"),
    ("extra costs for teams", "without\nextra costs for teams"),
    ("We can do all of it", "We can't do all of it"),
    ("this is all we can", "this is all we can\u2019t do"),
    ("refundable tickets for all", "non-refundable tickets for all"),
    ("refundable tickets for all", "non\u2011**refundable** tickets for all"),
    ("refundable tickets for all", "non-\nrefundable tickets for all"),
    ("it does work here", "it does ~~not~~ work here"),
    ("it does work here", "it does not work here"),
    ("Der Preis gilt heute", "Der Preis gilt heute nicht"),
    ("The price is final and", "The price is final and not negotiable"),
    # words that are not there, or not together
    ("The plan \u2026 costs five dollars", "The plan includes support and costs five dollars"),
    ("The plan costs five dollars", "The plan includes support. It costs five dollars"),
    ("we will resign the contract", "we will re-sign the contract"),
    ("the US pays for it", "the us pays for it"),
    ("cost less than the price", "cost lessthan the price"),
    ("a plan for every team", "a plane for every team"),
    ("state of the art", "a state-of-the-art plant"),
    ("the caf\u00e9 is open", "the cafe is open"),
    ("we are in the cafe", "we are in the cafe\u0301 here"),
    ("this is about inter", "this is about inter-\nnational prices"),
    # too little to go by
    ("seats", "many seats here"),
    ("5 seats", "we have 5 seats here"),
    ("12345678901234", "the 12345678901234 times"),
    ("1 250 000 000", "the 1 250 000 000 times"),
    ("", "any text"),
    ("\u2014 \u2026 !!", "any \u2014 \u2026 !! text"),
]


def said_in(text: str, span: Span | None) -> str | None:
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(("source", "quote"), SAME)
def test_finds_a_quote_in_other_typography(source: str, quote: str) -> None:
    text = f"Before it. We read: {source}, and more. After it."

    assert said_in(text, locate(f"We read: {quote}, and more.", text)) == (
        f"We read: {source}, and more."
    )


@pytest.mark.parametrize(("quote", "text"), DIFFERENT)
def test_never_finds_what_the_text_does_not_say(quote: str, text: str) -> None:
    assert locate(quote, text) is None
    assert locate(quote, f"Here we read: {text}; and more.") is None


@pytest.mark.parametrize("name", FROM_THE_FIELD)
def test_finds_the_quotes_that_failed_in_the_field(name: str) -> None:
    if not CASES.exists():
        pytest.skip(f"the case bank is not at {CASES}")
    pairs = json.loads((CASES / name).read_text(encoding="utf-8"))[FROM_THE_FIELD[name]]

    assert pairs
    for source, quote in pairs:
        text = f"Before it. We read that {source} was said here. After it."
        assert said_in(text, locate(f"read that {quote} was said", text)) == (
            f"read that {source} was said"
        )


def test_the_word_beside_a_not_in_another_sentence_is_free() -> None:
    for text in (
        "Is it free or not?\n\nAvailable in all of Europe",
        "No, available in all of Europe",
        "It is not.\n- Available in all of Europe",
    ):
        assert locate(text[-len("vailable in all of Europe") - 1 :], text)


def test_what_only_begins_like_a_not_sets_the_words_before_it_free() -> None:
    assert locate("the tickets of Acme", "the tickets of Acme non-refundable") == Span(0, 19)
    assert locate("it costs $5 a month", "it costs $5 a month\nNo card is needed") == Span(0, 19)


def test_numbers_that_stand_beside_others_are_free() -> None:
    assert locate("250 units were sold", "in 2024 250 units were sold")
    assert locate("5 seats are included", "Limits\n\n- 5 seats are included")
    assert locate("it was founded in 2019", "it was founded in 2019. 5 years on")
    assert locate("the price is $5", "(the price is $5)")


def test_finds_the_place_nearest_to_where_it_should_be() -> None:
    text = "We have a plan. " * 9

    assert locate("We have a plan.", text) == Span(0, 15)
    assert locate("We have a plan.", text, near=35) == Span(32, 47)
    assert locate("We  have  a  plan.", text, near=66) == Span(64, 79)
    assert locate("We have a plan.", text, near=10_000) == Span(128, 143)


def test_finds_the_place_where_the_quote_stands_free() -> None:
    text = "We sell 15 seats for all. We sell 5 seats for all."

    assert said_in(text, locate("5 seats for all", text, near=9)) == "5 seats for all"
    assert locate("5 seats for all", text, near=9) == Span(34, 49)


def test_a_short_quote_is_found_where_it_stands_and_nowhere_else() -> None:
    text = "| Plan | Price |\n|---|---|\n| Pro | $29 |"
    at = text.index("Pro")

    assert locate("Pro | $29", text, near=at) == Span(at, at + 9)
    assert locate("Pro | $29", text) is None
    assert locate("Pro | $29", text, near=at + 1) is None
    assert locate("Pro | $2", text, near=at) is None


def test_white_space_around_a_quote_is_not_part_of_it() -> None:
    assert locate("\n we have a plan \n", "Now we have a plan.") == Span(4, 18)


@unhurried
@given(markdowns())
def test_finds_every_passage_again_where_it_is(markdown: str) -> None:
    text = a_text(markdown.replace("not", "so").replace("never", "ever"))
    grounds = Grounds(text.text)

    for passage in passages(text):
        if passage.kind != "code" and any(map(str.isalpha, passage.quote)):
            span = grounds.locate(passage.quote, near=passage.start)
            assert span == Span(passage.start, passage.end)


@unhurried
@given(markdowns(), st.data())
def test_what_is_found_reads_like_the_quote(markdown: str, data: st.DataObject) -> None:
    text = f"{a_text(markdown).text}\n\nIt ends here and now."
    start = data.draw(st.integers(0, len(text) - 22))
    quote = typed(text[start : data.draw(st.integers(start + 12, len(text)))])

    span = locate(quote, text)

    assert span is None or folded(text[span.start : span.end]) == folded(quote)


@unhurried
@given(markdowns())
def test_finds_a_retyped_text_again(markdown: str) -> None:
    text = f"Here it begins.\n\n{a_text(markdown).text}\n\nHere it ends."
    quote = " ".join(typed(visible(text).text).split())

    span = locate(quote, text)

    assert span == Span(0, len(text))


@settings(unhurried, max_examples=300)
@given(st.text(alphabet="ab1 5.-\u2019\u2013\u00ad\n*$%", max_size=40), st.data())
def test_digits_of_what_is_found_are_the_digits_of_the_quote(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]

    span = locate(quote, text)

    if span:
        numbers = re.findall(r"\d+", text.replace("\u00ad", ""))
        found = re.findall(r"\d+", text[span.start : span.end].replace("\u00ad", ""))
        assert set(found) <= set(numbers)
        assert found == re.findall(r"\d+", quote.replace("\u00ad", ""))


@pytest.mark.promise("R37")
@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "word\n" * 200_000,
        "a\u200d" * 500_000,
        "[" * 1_000_000,
        "[a](http:" * 100_000,
        "*" * 1_000_000,
        "a-\n" * 300_000,
        " " * 1_000_000,
        "\u00a0\u200b" * 500_000,
        "\u4fa1\u683c\u306f\u9ad8\u3044" * 200_000,
        "a a a " * 200_000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_takes_hostile_texts_of_a_megabyte(text: str) -> None:
    grounds = Grounds(text)

    assert grounds.locate("these words stand nowhere \u2014 here") is None
    assert grounds.locate("word word-word \u201cword\u201d 12", near=500_000) is None


@pytest.mark.promise("R37")
def test_finds_two_hundred_quotes_in_two_megabytes() -> None:
    lines = [f"Plan {number} costs \u201c${number}\u201d \u2013 today." for number in range(70_000)]
    text = "\n".join(lines)
    grounds = Grounds(text)

    assert len(text) > 2_000_000
    for number in range(0, 70_000, 350):
        assert said_in(text, grounds.locate(typed(lines[number]))) == lines[number]


def folded(text: str) -> str:
    """Without the marks that stand alone where a quote begins or ends inside a link or emphasis."""
    return re.sub(r"[\[*`]", "", fold(visible(text)).text).strip()


def typed(text: str) -> str:
    """As somebody types it who has a plain keyboard."""
    for fancy, plain in (("\u201c", '"'), ("\u201d", '"'), ("\u2019", "'"), ("\u2013", "-")):
        text = text.replace(fancy, plain)
    return unicodedata.normalize("NFD", text.replace("\u00ad", "").replace("\u2026", "..."))
