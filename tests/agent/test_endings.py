"""How an answer ended is looked at before what it says."""

from __future__ import annotations

import pytest

from lambdas.agent.endings import WHY, Ending, answered
from lambdas.agent.job_state import JobState, Phase
from tests.agent.cases import field_case

HALF = '{"findings":[{"claim":"Price fell","quote":"fell to 9,400 euro","source_id":"s1"},{"cla'
WHOLE = '{"findings":[{"claim":"Price fell","quote":"fell to 9,400 euro","source_id":"s1"}]}'
NOTHING = '{"findings":[]}'
E01 = [
    ("max_tokens", HALF, "TRUNCATED"),
    ("max_tokens", WHOLE, "TRUNCATED"),
    ("length", "", "TRUNCATED"),
    ("end_turn", NOTHING, ""),
    (None, NOTHING, "MODEL_STOP_UNKNOWN"),
]


@pytest.mark.promise("R23")
@pytest.mark.parametrize(("reason", "words", "code"), E01)
def test_what_was_cut_is_not_taken_for_complete(reason: str | None, words: str, code: str) -> None:
    """Case E01."""
    state = answered(reason, words)

    assert state.code == code
    assert state.phase is (Phase.FAILED if code else Phase.DONE)
    assert words not in state.sentence or not words


@pytest.mark.promise("R23")
def test_the_fields_cut_answers_are_told_as_the_field_tells_them() -> None:
    expected = {"TRUNCATED": "TRUNCATED", "accepted": "", "documented": "MODEL_STOP_UNKNOWN"}
    for reply in field_case("E01_replies.json")["replies"]:
        first = reply["expect"].split(" ")[0].strip(":,")
        assert answered(reply["stop_reason"], reply["text"]).code == expected[first]


@pytest.mark.promise("R23")
def test_the_fields_refusals_are_no_answers() -> None:
    """Case E03. The third refuses in prose: its ending says nothing, its form does."""
    replies = field_case("E03_refusals.json")["replies"]
    told = [
        answered(each["stop_reason"], "".join(part["text"] for part in each["content"]))
        for each in replies
    ]

    assert [state.code for state in told] == ["MODEL_REFUSED", "MODEL_REFUSED", ""]


@pytest.mark.parametrize("reason", ["END_TURN", "Stop", "completed", "eos_token", "tool_use"])
def test_the_word_for_a_whole_answer_is_any_providers(reason: str) -> None:
    assert answered(reason, NOTHING) == JobState.done(NOTHING.encode())


@pytest.mark.parametrize("reason", ["", "tool_calls", "pause_turn", 7, None])
def test_an_ending_that_nobody_knows_is_not_a_whole_answer(reason: object) -> None:
    assert answered(reason, NOTHING).code == "MODEL_STOP_UNKNOWN"


def test_every_ending_is_told_in_words() -> None:
    assert set(WHY) == set(Ending)
