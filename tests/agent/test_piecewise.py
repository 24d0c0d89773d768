"""The way on from each ending: never the same question twice, and always an end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.endings import Ending
from lambdas.agent.findings import Block, Text
from lambdas.agent.piecewise import LONGEST_FAULT, MOST_HALVINGS, SMALLEST, Place, way_on

TEXT = Text(
    title="",
    text=("A sentence of the page. " * 40 + "\n\n") * 50,
    blocks=tuple(Block(kind="paragraph", start=n * 962, end=n * 962 + 960) for n in range(50)),
)
WHOLE = Place.of({}, TEXT)


@pytest.mark.parametrize("code", [Ending.TRUNCATED, Ending.CONTEXT_OVERFLOW])
def test_what_was_cut_or_too_long_is_asked_about_by_halves(code: Ending) -> None:
    """Cases E02, E16."""
    sizes, place = [], WHOLE
    while smaller := way_on(place, place.piece(TEXT), code, "any"):
        place = smaller
        sizes.append(place.piece(TEXT).end - place.at)

    assert len(sizes) == MOST_HALVINGS
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[0] <= len(TEXT.text) / 2, "of the piece as it was, not of what a piece may be"


def test_a_small_piece_is_not_made_smaller() -> None:
    short = Text(title="", text="x" * (2 * SMALLEST - 1), blocks=())
    place = Place.of({}, short)

    assert way_on(place, place.piece(short), Ending.TRUNCATED, "any") is None


@pytest.mark.parametrize(
    "code", [Ending.MODEL_ANSWER_INVALID, Ending.EMPTY_ANSWER, Ending.MODEL_STOP_UNKNOWN]
)
def test_what_is_of_no_use_is_asked_once_more(code: Ending) -> None:
    again = way_on(WHOLE, WHOLE.piece(TEXT), code, "a fault " * 100)

    assert again is not None
    assert (again.at, again.piece(TEXT)) == (WHOLE.at, WHOLE.piece(TEXT))
    assert len(again.again) == LONGEST_FAULT
    assert again.subject(again.piece(TEXT)) != WHOLE.subject(WHOLE.piece(TEXT))
    assert way_on(again, again.piece(TEXT), code, "any") is None


@pytest.mark.parametrize("code", [Ending.MODEL_REFUSED, Ending.MODEL_BLOCKED])
def test_a_refusal_is_not_asked_again(code: Ending) -> None:
    """Case E03."""
    assert way_on(WHOLE, WHOLE.piece(TEXT), code, "any") is None


@given(st.lists(st.sampled_from(Ending), max_size=60))
def test_no_question_is_asked_twice_whatever_is_answered(endings: list[Ending]) -> None:
    place, asked = WHOLE, []
    for ending in endings:
        if place.at >= len(TEXT.text):
            break
        piece = place.piece(TEXT)
        asked.append((piece, place.again))
        place = way_on(place, piece, ending, "any fault") or place.behind(piece)

    assert len(set(asked)) == len(asked)


def test_a_place_comes_back_from_its_cursor() -> None:
    place = Place(at=7, most=900, halved=2, again="no JSON", anew=3)

    assert Place.of(place.cursor(), TEXT) == place
    assert Place.of({"piece": 4, "job": {}}, TEXT) == WHOLE, "of another version: from the start"


def test_who_has_a_source_tried_again_asks_the_first_question_anew() -> None:
    asked = WHOLE.once_more("no JSON")
    assert asked
    anew = Place.of(asked.cursor(), TEXT, anew=2)

    assert (anew.again, anew.anew) == ("", 2)
    piece = anew.piece(TEXT)
    assert anew.subject(piece) not in {WHOLE.subject(piece), asked.subject(piece)}
