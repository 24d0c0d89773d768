"""Names that follow from what a thing is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.contract import Step
from lambdas.agent.identity import canonical, digest, execution_name, source_id, task_id
from lambdas.agent.model import Unit

any_text = st.text(max_size=200)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.promise("R11")
@given(value=st.dictionaries(any_text, any_json, min_size=2, max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    turned = dict(reversed(list(value.items())))

    assert digest(value) == digest(turned)


@given(parts=st.lists(any_text, min_size=2, max_size=3))
def test_parts_of_any_content_are_kept_apart(parts: list[str]) -> None:
    for joint in ("", "/", "#", "-", "\x00", '","'):
        assert digest(*parts) != digest(joint.join(parts))


def test_the_order_of_a_list_is_meaning() -> None:
    assert digest([1, 2]) != digest([2, 1])


def test_values_that_are_no_json_are_refused_and_not_guessed() -> None:
    for value in (float("nan"), float("inf"), {1, 2}, b"bytes", object()):
        with pytest.raises((ValueError, TypeError)):
            canonical({"value": value})


SOURCES = [{"id": "s1", "url": "https://a.test/1"}, {"id": "s2", "url": "https://b.test/2"}]


@pytest.mark.promise("R11")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"topic": "pumps", "limits": {"most": 5, "lang": "de"}, "sources": SOURCES},
            {
                "sources": [dict(reversed(source.items())) for source in SOURCES],
                "limits": {"lang": "de", "most": 5},
                "topic": "pumps",
            },
        ),
        (
            json.loads('{"title":"Überblick","n":1}'),
            json.loads(r'{ "n" : 1, "title" : "\u00dcberblick" }'),
        ),
    ],
)
def test_equal_data_gives_an_equal_key_however_it_is_written(one: Any, other: Any) -> None:
    """Case A07."""
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"sources": ["s1", "s2"]}, {"sources": ["s2", "s1"]}),
        ({"n": 1}, {"n": "1"}),
        ({"n": None}, {}),
        ({"t": "\u00dcberblick"}, {"t": "U\u0308berblick"}),
    ],
)
def test_data_that_differs_gives_another_key(one: Any, other: Any) -> None:
    """Case A07."""
    assert digest(one) != digest(other)


def test_a_whole_number_and_its_float_are_different_inputs() -> None:
    """Decided: what a person typed differently is not made equal behind their back."""
    assert digest({"n": 1}) != digest({"n": 1.0})


@given(agent=any_text, workflow=any_text)
def test_a_task_id_is_safe_and_leaves_room_for_a_run_number(agent: str, workflow: str) -> None:
    name = execution_name(task_id(agent, workflow), 99_999)

    assert re.fullmatch(r"[a-z0-9-]{1,80}", name)


@given(one=st.tuples(any_text, any_text), other=st.tuples(any_text, any_text))
def test_two_tasks_never_have_one_id(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (task_id(*one) == task_id(*other)) == (one == other)


@given(url=any_text)
def test_a_source_id_holds_nothing_that_means_something_in_a_key(url: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", source_id(url))


def test_a_units_key_follows_from_task_step_item_and_input() -> None:
    unit = Unit(task_id="t", step=Step.FETCH, item="s", args={"a": 1})
    others = [
        Unit(task_id="t2", step=Step.FETCH, item="s", args={"a": 1}),
        Unit(task_id="t", step=Step.EXTRACT, item="s", args={"a": 1}),
        Unit(task_id="t", step=Step.FETCH, item="s2", args={"a": 1}),
        Unit(task_id="t", step=Step.FETCH, item="s", args={"a": 2}),
    ]

    assert len({each.idempotency_key for each in (unit, *others)}) == 5
