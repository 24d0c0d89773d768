"""Another script is certain; another language of the same script is nobody's guess."""

from __future__ import annotations

import pytest

from lambdas.agent.writing import is_other_writing, writing

GERMAN = "Was kostet der Team-Tarif?"
ENGLISH = "How much does the Team plan cost?"
RUSSIAN = "\u041f\u043b\u0430\u043d \u0441\u0442\u043e\u0438\u0442 49 \u0435\u0432\u0440\u043e"
CHINESE = "\u56e2\u961f\u8ba1\u5212\u6bcf\u6708\u8d39\u7528\u4e3a\u56db\u5341\u4e5d\u6b27\u5143"
JAPANESE = "\u30c1\u30fc\u30e0\u30d7\u30e9\u30f3\u306f\u6708\u984d\u30e6\u30fc\u30ed\u3067\u3059"
KOREAN = "\ud300 \uc694\uae08\uc81c\ub294 \ud55c \ub2ec\uc5d0 \uc720\ub85c\uc785\ub2c8\ub2e4"


@pytest.mark.parametrize(
    ("words", "script"),
    [
        (ENGLISH, "LATIN"),
        (RUSSIAN, "CYRILLIC"),
        (CHINESE, "Han"),
        (JAPANESE, "Han"),
        (KOREAN, "Hangul"),
        ("49 EUR", ""),
        ("", ""),
        (f"{ENGLISH} {RUSSIAN} {RUSSIAN}", ""),
    ],
)
def test_a_writing_is_told_where_it_is_certain(words: str, script: str) -> None:
    assert writing(words) == script


@pytest.mark.parametrize(
    ("asked", "said", "is_other"),
    [
        ([ENGLISH], [RUSSIAN], True),
        ([ENGLISH, GERMAN], [CHINESE, CHINESE, "It costs 49 euros."], True),
        ([RUSSIAN], ["The Team plan costs 49 euros."], True),
        ([ENGLISH], ["Der Team-Tarif kostet 49 Euro."], False),
        ([ENGLISH], [RUSSIAN, "It costs 49 euros."], False),
        ([ENGLISH], ["49 EUR"], False),
        ([ENGLISH], [], False),
        ([ENGLISH, RUSSIAN], [CHINESE], False),
        (["49?"], [CHINESE], False),
    ],
)
def test_an_answer_is_in_another_writing_where_most_of_it_is(
    asked: list[str], said: list[str], is_other: bool
) -> None:
    assert is_other_writing(asked, said) is is_other
