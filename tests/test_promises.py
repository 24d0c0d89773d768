"""The page of promises says what the tests say."""

from __future__ import annotations

from tests.promises import PAGE, page


def test_the_page_of_promises_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.promises`"
