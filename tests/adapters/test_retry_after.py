"""What servers write into Retry-After, and how long that is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.adapters.retry_after import LONGEST, seconds_of

NOW = datetime(2026, 7, 29, 10, 0, tzinfo=UTC).timestamp()


@pytest.mark.promise("R22")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("-5", None),
        ("1.5", None),
        ("Wed, 29 Jul 2026 10:00:30 GMT", 30),
        ("Wed, 29 Jul 2026 09:00:00 GMT", 0),
        ("Wed, 29 Jul 2026 12:00:30 +0200", 30),
        ("Wed, 29 Jul 2026 10:00:30", 30),
        ("Thu, 01 Jan 2099 00:00:00 GMT", LONGEST),
        ("1785319200", LONGEST),
        ("soon", None),
        ("", None),
        ("120, 60", None),
        ("٣", None),
        ("999999999999999999999", LONGEST),
        ("Wed, 99 Jul 2026 10:00:30 GMT", None),
    ],
)
def test_a_header_is_seconds_or_a_date_or_no_hint(header: str, seconds: float | None) -> None:
    assert seconds_of(header, NOW) == seconds


DATES = st.builds(
    "{}, {:02} {} {:04} {:02}:{:02}:{:02} {}".format,
    st.sampled_from(["Wed", "Any"]),
    st.integers(0, 32),
    st.sampled_from(["Jan", "Jul", "Dec", "Any"]),
    st.integers(0, 10_000),
    st.integers(0, 25),
    st.integers(0, 61),
    st.integers(0, 61),
    st.sampled_from(["GMT", "+2359", "-2359", "+9999", "-0000", "EST", ""]),
)


@given(st.text() | st.integers().map(str) | DATES)
def test_whatever_stands_there_is_none_or_a_number_up_to_the_limit(header: str) -> None:
    seconds = seconds_of(header, NOW)
    assert seconds is None or 0 <= seconds <= LONGEST
