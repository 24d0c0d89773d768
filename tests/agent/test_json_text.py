"""JSON as a text: every value in a line, exactly as it is spelled, with the way to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.json_text import (
    MOST_CHARACTERS,
    MOST_DEPTH,
    MOST_VALUES,
    NotJson,
    TooMuch,
    markdown_of_json,
)


def lines(raw: str) -> list[str]:
    return [line for line in markdown_of_json(raw).markdown.split("\n") if line]


def test_a_document_becomes_headings_and_lines_with_their_paths() -> None:
    raw = """{"name": "Any Company", "plans": [
        {"name": "Basic", "price": 9.00, "tags": ["small", "new"], "ended": null, "free": false},
        {"name": "Pro", "limits": {"users": 25, "per day": [[1, 2], [3]]}, "extras": {}}
    ]}"""
    found = markdown_of_json(raw)
    assert found.title == "Any Company"
    assert found.notes == ()
    assert lines(raw) == [
        "- name: Any Company",
        "## plans",
        "### plans[0] Basic",
        "- plans[0].name: Basic",
        "- plans[0].price: 9.00",
        "- plans[0].tags: small, new",
        "- plans[0].ended: null",
        "- plans[0].free: false",
        "### plans[1] Pro",
        "- plans[1].name: Pro",
        "- plans[1].extras: {}",
        "- plans[1].limits.users: 25",
        '- plans[1].limits["per day"][0]: 1, 2',
        '- plans[1].limits["per day"][1]: 3',
    ]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1e400", "1e400"),
        ("-0.10", "-0.10"),
        ('"\\u00fc\\ud83d\\ude00\\u0001"', "\u00fc\U0001f600\x01"),
        ('"one\\ntwo"', "one\n  two"),
        ('""', '""'),
        ("[]", "[]"),
        ("true", "true"),
    ],
)
def test_values_stand_as_they_are_spelled(raw: str, shown: str) -> None:
    assert f"- any: {shown}" in markdown_of_json(f'{{"any": {raw}}}').markdown


def test_a_key_that_comes_twice_is_told_twice() -> None:
    assert lines('{"a": 1, "a": 2}') == ["- a: 1", "- a: 2"]


def test_json_lines_are_a_list() -> None:
    assert lines('{"id": "a", "n": 1}\n\n{"id": "b", "n": 2}\n') == [
        "## [0] a",
        "- [0].id: a",
        "- [0].n: 1",
        "## [1] b",
        "- [1].id: b",
        "- [1].n: 2",
    ]


def test_a_broken_line_among_others_is_left_out_and_told() -> None:
    found = markdown_of_json('{"a": 1}\n{"a": 2}\n{"a": 3}\n{"a": ')
    assert "[2].a: 3" in found.markdown
    assert found.notes == ("1 of its lines are no JSON, and left out.",)


@pytest.mark.parametrize(
    "raw", ["", "{", '{"a": NaN}', '{"a" 1}', "{'a': 1}", "<html>\n<p>", '{"a": 1}}', "a\nb\nc\nd"]
)
def test_what_is_no_json_is_told_with_its_place_and_without_its_words(raw: str) -> None:
    with pytest.raises(NotJson) as caught:
        markdown_of_json(raw)
    assert "line" in str(caught.value) or "number" in str(caught.value)


def test_more_values_than_can_be_read_are_cut_and_told() -> None:
    found = markdown_of_json(json.dumps({f"k{n}": n for n in range(MOST_VALUES + 5)}))
    assert found.markdown.count("\n") == MOST_VALUES - 1
    assert found.notes == (f"Only the first {MOST_VALUES:,} of its values are read.",)


def test_more_lines_than_can_be_read_are_cut_and_told() -> None:
    found = markdown_of_json('{"a": "any words"}\n' * (MOST_CHARACTERS // 15))
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000 + "]" * 100_000,
        "[" * (MOST_DEPTH + 3) + "[],{}" + "]" * (MOST_DEPTH + 3),
        '"' + "a" * MOST_CHARACTERS + '"',
    ],
)
def test_what_is_too_deep_or_too_large_is_told(raw: str) -> None:
    with pytest.raises(TooMuch):
        markdown_of_json(raw)


@pytest.mark.parametrize(
    ("raw", "is_error"),
    [
        ('{"error": "not found"}', True),
        ('{"errors": [{"message": "any"}]}', True),
        ('{"error": null, "plans": 3}', False),
        ('{"errors": [], "plans": 3}', False),
        ('{"error": "any", "plans": "' + "x" * 1_000 + '"}', False),
        ('["error"]', False),
    ],
)
def test_a_short_document_about_an_error_is_known(raw: str, is_error: bool) -> None:
    assert markdown_of_json(raw).is_error is is_error


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inside: (
        st.lists(inside) | st.dictionaries(st.text(st.characters(codec="utf-8")), inside)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_every_leaf_is_in_the_text(value: Any) -> None:
    text = markdown_of_json(json.dumps(value, ensure_ascii=False)).markdown.replace("\n  ", "\n")
    for leaf in leaves(value):
        assert leaf in text


def leaves(value: Any) -> list[str]:
    match value:
        case None:
            return ["null"]
        case bool():
            return [str(value).lower()]
        case int() | str():
            return [str(value)]
        case dict():
            return [leaf for child in value.values() for leaf in leaves(child)]
    return [leaf for child in value for leaf in leaves(child)]
