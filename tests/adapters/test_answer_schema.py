"""A model's answer is taken apart strictly, whatever stands around it."""

from __future__ import annotations

import json

import pytest

from lambdas.adapters.answer_schema import MOST_FAULTS, PydanticAnswers
from lambdas.agent.asking import Said
from lambdas.agent.errors import SourceUnreadable
from tests.agent.cases import field_case

NOTHING = '{"findings":[]}'
ACCEPTED = [
    NOTHING,
    f"```json\n{NOTHING}\n```",
    f"```\n{NOTHING}\n```",
    f"Here is the result:\n{NOTHING}\nHope this helps!",
    f"\ufeff{NOTHING}",
]
REFUSED = {
    "a trailing comma": '{"findings":[],}',
    "a key twice": '{"findings":[{"claim":"a","claim":"b","quote":"q","question":0}]}',
    "no number": '{"findings":[{"question":NaN,"claim":"secret","quote":"q"}]}',
    "another type": '{"findings": "none"}',
    "half": '{"reasoning":"secret","is_valid":false,"violations":',
    "Python's": "{'findings': []}",
    "two": '{"findings":[]}{"findings":[{"claim":"secret"}]}',
    "null": "null",
    "a list": "[]",
    "a list with one": f"[{NOTHING}]",
    "prose": "I'm sorry, but I can't help with that page.",
    "a path": '{"findings":[{"question":0,"claim":"C:\\Users\\secret","quote":"q"}]}',
    "too deep": '{"findings":' + "[" * 100_000,
    "a huge number": '{"findings":[{"question":' + "9" * 5000 + "}]}",
    "no list": '{"findings": null}',
    "a number as a string": '{"findings": [{"question": "0", "claim": "secret", "quote": "q"}]}',
    "without a quote": '{"findings": [{"question": 0, "claim": "secret"}]}',
    "an empty claim": '{"findings": [{"question": 0, "claim": "", "quote": "secret"}]}',
    "half a question": '{"findings": [{"question": 0.5, "claim": "secret", "quote": "q"}]}',
    "half a letter": '{"findings": [{"question": 0, "claim": "\\ud800", "quote": "secret"}]}',
    "too many": json.dumps({"findings": [{"question": 0, "claim": "c", "quote": "q"}] * 501}),
}


def refusal(body: bytes) -> SourceUnreadable:
    with pytest.raises(SourceUnreadable) as refused:
        PydanticAnswers().parse(body)
    return refused.value


@pytest.mark.parametrize("words", ACCEPTED)
def test_fences_and_words_around_the_json_are_tolerated(words: str) -> None:
    """Case E18."""
    assert PydanticAnswers().parse(words.encode()) == ()


@pytest.mark.promise("R23", "R33")
@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused_whole_and_never_mended_or_quoted(words: str) -> None:
    """Case E18."""
    fault = refusal(words.encode())

    assert fault.code == "MODEL_ANSWER_INVALID"
    assert "secret" not in str(fault)
    assert len(str(fault)) < 400


@pytest.mark.promise("R23")
def test_the_fields_answers_are_taken_and_refused_as_the_field_says() -> None:
    for words, expected in field_case("E18_replies.json")["rows"]:
        if expected.startswith("accepted"):
            assert PydanticAnswers().parse(words.encode()) == (), words
        else:
            assert refusal(words.encode()).code == "MODEL_ANSWER_INVALID", words


def test_bytes_that_are_no_text_are_no_answer() -> None:
    assert refusal(b"\xff\xfe").code == "MODEL_ANSWER_INVALID"


@pytest.mark.parametrize("body", [b"", b" \n\t", b"\xef\xbb\xbf"])
def test_no_words_at_all_have_a_code_of_their_own(body: bytes) -> None:
    """Case E02."""
    assert refusal(body).code == "EMPTY_ANSWER"


def test_a_fault_is_told_by_its_place_so_that_the_model_can_mend_it() -> None:
    body = {"findings": [{"question": 0, "claim": "c", "quote": "q"}, {"question": "1"}]}

    told = str(refusal(json.dumps(body).encode()))
    assert "findings.1.question: " in told
    assert "findings.1.claim: Field required" in told


def test_many_faults_are_counted() -> None:
    told = str(refusal(json.dumps({"findings": [{}] * 9}).encode()))

    assert f"and {9 * 3 - MOST_FAULTS} more" in told


def test_a_statement_cannot_name_its_source_or_an_address() -> None:
    """Case E10: the schema has no place for them; a statement is of the text it was asked about."""
    said = {
        "question": 0,
        "claim": "c",
        "quote": "q",
        "source_id": "s7",
        "url": "https://www.linkedin.example/posts/heat-pump-expert",
    }
    body = {"findings": [said], "cites": ["s7"], "approved": True}

    assert PydanticAnswers().parse(json.dumps(body).encode()) == (
        Said(question=0, claim="c", quote="q"),
    )


def test_the_fields_reply_with_invented_citations_is_no_answer() -> None:
    reply = field_case("E10_citations.json")["reply"]

    assert refusal(json.dumps(reply).encode()).code == "MODEL_ANSWER_INVALID"
