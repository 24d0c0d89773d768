"""Dates are read where they can be read in one way, and nowhere else."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.printed_dates import iso_date, spelled_dates

FROM_MACHINES = [
    *("2026-03-01", "2026-03-01T23:59:59-11:00", "2026-03-01 08:00", "2026/3/1", "2026.03.01"),
    *("20260301", "20260301080000", " 2026-03-01", "Sun, 01 Mar 2026 08:00:00 GMT", "1 Mar 2026"),
]
FROM_PEOPLE = [
    *("March 1, 2026", "Mar. 1, 2026", "on March 1st 2026 at noon", "1 March 2026"),
    *("1st March 2026", "1. M\u00e4rz 2026", "1er mars 2026", "1 de marzo de 2026"),
    *("01 marzo 2026", "2026-03-01"),
]
NEITHER = [
    *("", "03/01/2026", "2026-13-01", "2026-02-30", "0001-01-01T00:00:00Z", "9999-12-31"),
    *("yesterday", "1772352000", "2026", "2026-03", "March 2026", "202603011"),
]


@pytest.mark.parametrize("words", FROM_MACHINES)
def test_a_machines_date_is_its_day(words: str) -> None:
    assert iso_date(words) == "2026-03-01"


@pytest.mark.parametrize("words", FROM_PEOPLE)
def test_a_spelled_date_is_its_day(words: str) -> None:
    assert list(spelled_dates(f"Posted {words}, by us")) == ["2026-03-01"]


@pytest.mark.parametrize("words", NEITHER)
def test_what_can_be_read_in_two_ways_or_in_none_is_no_date(words: str) -> None:
    assert iso_date(words) == ""
    assert list(spelled_dates(words)) == []


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31)), st.sampled_from("-/."))
def test_every_day_is_found_again(day: date, dash: str) -> None:
    assert iso_date(day.isoformat().replace("-", dash)) == day.isoformat()
