"""Numbers are compared by what they are worth, where that is sure, and by their letters else."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent import numbers
from lambdas.agent.dates import dates
from lambdas.agent.legible import legible
from lambdas.agent.numerals import value
from tests.agent.texts import unhurried

CASES = Path(__file__).resolve().parents[3] / "shared/cases/inputs/E17_numbers.json"
AMBIGUOUS, DATE, RANGE = "ambiguous", "date, not a number", "range, not -12"
ROWS: list[tuple[str, str | None, Any]] = [
    ("103.000", "de", 103000),
    ("103.000", None, AMBIGUOUS),
    ("49,10", "de", 49.1),
    ("1.200.000,50", None, 1200000.5),
    ("1,200,000.50", None, 1200000.5),
    ("1\u202f250", "fr", 1250),
    ("1'250.00", "de-CH", 1250),
    ("12,34,567", "en-IN", 1234567),
    ("31.12.2027", None, DATE),
    ("\u22125", "en", -5),
    ("(5)", "en", AMBIGUOUS),
    ("3.5 Mio.", "de", 3500000),
    ("1,5 Mrd. \u20ac", "de", 1500000000),
    ("12.5 %", "en", 12.5),
    ("12,5\u00a0%", "de", 12.5),
    ("0.1", "en", 0.1),
    ("1e3", "en", 1000),
    ("\u0661\u0662\u0663", "ar", 123),
    ("10-12", "en", RANGE),
]


def reading(written: str, language: str | None) -> Any:
    text = legible(written)
    if list(dates(text, language or "")):
        return DATE
    (number,) = numbers.numbers(text, language or "")
    if len(number.values) == 2:
        return RANGE
    return float(number.values[0]) if number.values else AMBIGUOUS


@pytest.mark.parametrize(("written", "language", "expected"), ROWS)
def test_reads_a_numeral_or_says_that_it_cannot(
    written: str, language: str | None, expected: Any
) -> None:
    assert reading(written, language) == expected


def test_reads_the_numerals_from_the_field() -> None:
    """Case E17."""
    if not CASES.exists():
        pytest.skip(f"the case bank is not at {CASES}")
    rows = json.loads(CASES.read_text(encoding="utf-8"))["rows"]

    assert rows
    for written, language, expected in rows:
        assert reading(written, language) == expected, written


@pytest.mark.parametrize(
    ("numeral", "language", "worth"),
    [
        ("1 250", "", None),
        ("1 250", "fr", "1250"),
        ("1.250", "de-CH", None),
        ("103,000", "en-US", "103000"),
        ("103,000", "es-MX", None),
        ("0.125", "de", "0.125"),
        ("1234.567", "", "1234.567"),
        ("1.2.3", "", None),
        ("1,2,3", "", None),
        ("12:30", "", None),
        ("1/2", "", None),
        ("1.234.567", "", "1234567"),
        ("1,234.567,8", "", None),
        ("12,34.5", "", None),
        ("\u0661\u066c\u0662\u0663\u0664\u066b\u0665", "ar", "1234.5"),
        ("9" * 30, "", None),
        ("1e9999", "", None),
    ],
)
def test_a_numeral_of_two_readings_or_none_is_worth_nothing(
    numeral: str, language: str, worth: str | None
) -> None:
    assert value(numeral, language) == (None if worth is None else Decimal(worth))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("It costs $5.", "Only $5 for all"),
        ("It costs 5 dollars.", "Only $5 for all"),
        ("It costs $5.50", "US$5.50 for each"),
        ("It costs \u20ac1.5 billion", "1,5 Mrd. \u20ac"),
        ("It sold 5 million", "5M were sold"),
        ("It grew by 12.5 percent", "ein Plus von 12,5\u00a0%"),
        ("It takes 30 days", "a 30-day trial"),
        ("five seats", "5 seats"),
        ("twenty-five seats", "25 seats"),
        ("two hundred thousand users", "200,000.0 users"),
        ("10 to 12 million euros", "\u20ac10\u201312 million"),
        ("between 10 and 12 %", "10-12 %"),
        ("$29 per month", "$29/mo"),
        ("$29 a month", "The monthly price is $29"),
        ("$29", "$29 per user per month"),
        ("\u22125 \u00b0C", "minus 5 \u00b0C"),
        ("103.000 units", "103.000 units"),
        ("founded in 2019", "since 3 March 2019"),
        ("H100 and v3.2.1", "the h100, at V3.2.1"),
        ("at 12:30", "It begins at 12:30."),
        ("1250 users", "1\u202f250 users"),
        ("3x faster", "3\u00d7 as fast"),
        ("5 yen", "5\u5186"),
        ("a price of 5", "the price - 5 in all"),
    ],
)
def test_the_same_number_is_found_in_another_spelling(claim: str, quote: str) -> None:
    said, proof = legible(claim), legible(quote)
    language = "fr" if "\u202f" in quote else "de" if "ein " in quote else "en"

    assert numbers.missing(said, proof, dates(proof), language) == ""


@unhurried
@given(st.text(alphabet="0123456789.,'-\u00a0 \u2212$%kMm/:()eE\u00b2\u0661\u4e07x", max_size=40))
def test_every_digit_belongs_to_a_number_or_a_date(text: str) -> None:
    seen = legible(text)
    spans = [(each.start, each.end) for each in numbers.numbers(seen)]
    spans += [(each.start, each.end) for each in dates(seen)]
    covered = {at for span in spans for at in range(*span)}

    assert all(at in covered for at, one in enumerate(seen) if one.isdigit())


@pytest.mark.parametrize(
    "hostile",
    ["1-" * 2000, "1 000 " * 700, "a1." * 1400, "$" * 4000, "five " * 800, "1." * 2000, "(" * 4000],
    ids=lambda text: text[:6],
)
def test_takes_hostile_claims(hostile: str) -> None:
    assert numbers.missing(legible(hostile), legible(hostile), ()) == ""


def test_a_numeral_of_two_readings_is_not_the_number_it_may_be() -> None:
    assert numbers.missing("1,250 users", "1250 users", ()) == "1,250"
    assert numbers.missing("1,250 users", "1,250 users", ()) == ""
