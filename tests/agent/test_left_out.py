"""What was left out is told in one sentence, and counted in one order."""

from __future__ import annotations

import pytest

from lambdas.agent.left_out import Reason, counted, sentence, total


@pytest.mark.parametrize(
    ("dropped", "told"),
    [
        ({}, ""),
        (
            {"QUOTE_NOT_FOUND": 2, "NUMBER_NOT_IN_QUOTE": 1},
            "3 statements were left out: 2 quotes were not found in the source, 1 number differs.",
        ),
        ({"NEGATION_DIFFERS": 1}, "1 statement was left out: 1 negation differs."),
        ({"A_LATER_REASON": 1200}, "1,200 statements were left out: 1,200 a later reason."),
    ],
)
def test_tells_how_many_and_why(dropped: dict[str, int], told: str) -> None:
    assert sentence(dropped) == told


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_its_words(reason: Reason) -> None:
    one, two = (sentence({reason: count}).partition(f": {count} ")[2] for count in (1, 2))

    assert one
    assert one != two  # a reason that nobody knows is told by its name alone


def test_counts_come_in_the_reasons_order() -> None:
    late, early = Reason.NEGATION_DIFFERS, Reason.QUOTE_NOT_FOUND

    assert list(counted([late, early, late]).items()) == [(early, 1), (late, 2)]
    assert list(total([{"LATER": 1, late: 1}, {early: 1, late: 1}]).items()) == [
        (early, 1),
        (late, 2),
        ("LATER", 1),
    ]
