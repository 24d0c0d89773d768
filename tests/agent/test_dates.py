"""A date of a claim is found in its quote under any spelling, and only there."""

from __future__ import annotations

import pytest

from lambdas.agent.dates import missing


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("on 31 December 2027", "am 31.12.2027", "de"),
        ("on 2027-12-31", "on December 31st, 2027", "en"),
        ("in December 2027", "on 12/31/2027", "en"),
        ("in December", "le 31 d\u00e9cembre 2027", "fr"),
        ("on 4 March", "op 4 maart 2027", "nl"),
        ("on 4 March 2027", "el 4 de marzo de 2027", "es"),
        ("am 3. M\u00e4rz", "3 March", "en"),
        ("on 03/04/2027", "by 03/04/2027 at the latest", "en"),
        ("on 3 April 2027", "03/04/2027", "fr"),
        ("on Monday", "lundi, 5 mars", "fr"),
        ("We may march on", "any", "en"),
    ],
)
def test_finds_the_same_date(claim: str, quote: str, language: str) -> None:
    assert missing(claim, quote, language) == ""


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("on 31 December 2027", "on 30 December 2027"),
        ("on 31 December 2027", "in December 2027"),
        ("in December 2027", "in December 2026"),
        ("in December", "in November"),
        ("on 3 April 2027", "on 03/04/2027"),
        ("on 2027-12-31", "on 2027-12-30"),
        ("on 31.12.2027", "version 31.12"),
        ("on Monday", "on Tuesday"),
        ("on 4 March", "4 of the march"),
    ],
)
def test_never_finds_another_date(claim: str, quote: str) -> None:
    assert missing(claim, quote, "en")


def test_what_no_calendar_has_is_no_date() -> None:
    assert missing("45.13.2027, 32 March 2027", "2027") == "march 2027"
