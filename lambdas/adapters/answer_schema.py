"""A model's answer, at the untrusted edge. Refused whole where it is not what was asked for.

Fences and words around the JSON are tolerated; nothing in it is mended or guessed. What is said of
a fault is its place and kind, never a word of the answer, which may be the page's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from lambdas.agent.asking import Said
from lambdas.agent.citing import Sentence
from lambdas.agent.endings import WHY, Ending
from lambdas.agent.errors import SourceUnreadable

MOST_FINDINGS = 500
MOST_SENTENCES, MOST_CITES = 30, 30
MOST_FAULTS = 3

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]

Id = Annotated[str, StringConstraints(strip_whitespace=True, max_length=40)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class FindingModel(_Strict):
    question: int
    claim: Line
    quote: Line


class AnswerModel(_Strict):
    findings: Annotated[list[FindingModel], Field(max_length=MOST_FINDINGS)]


class SentenceModel(_Strict):
    text: Line
    cites: Annotated[list[Id], Field(max_length=MOST_CITES)]


class WrittenModel(_Strict):
    sentences: Annotated[list[SentenceModel], Field(max_length=MOST_SENTENCES)]


Answered = TypeVar("Answered", AnswerModel, WrittenModel)


class PydanticAnswers:
    def parse(self, body: bytes) -> tuple[Said, ...]:
        answer = _checked(AnswerModel, body)
        return tuple(Said(**finding.model_dump()) for finding in answer.findings)

    def sentences(self, body: bytes) -> tuple[Sentence, ...]:
        answer = _checked(WrittenModel, body)
        return tuple(Sentence(text=each.text, cites=tuple(each.cites)) for each in answer.sentences)


def _checked(model: type[Answered], body: bytes) -> Answered:
    try:
        return model.model_validate(_object_in(body))
    except ValidationError as error:
        raise _invalid("; ".join(_faults(error))) from None


def _object_in(body: bytes) -> dict[str, Any]:
    """The one JSON object of the answer."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _invalid("it is not UTF-8") from None
    if not text.strip():
        raise _unusable(Ending.EMPTY_ANSWER)
    before, brace, _ = text.partition("{")
    if not brace or before.rstrip().endswith("["):
        raise _invalid("it holds no JSON object")
    try:
        found, end = _STRICT.raw_decode(text, len(before))
    except json.JSONDecodeError as error:
        raise _invalid(f"{error.msg} at character {error.pos - len(before)} of the JSON") from None
    except _Refused as error:
        raise _invalid(str(error)) from None
    except (ValueError, RecursionError):
        raise _invalid("it is nested too deep, or has a number too large") from None
    if "{" in text[end:]:
        raise _invalid("it holds more than one JSON object")
    return dict(found)


class _Refused(Exception):
    """What Python's JSON would let pass."""


def _without_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _Refused("a key stands twice in one object")
    return fields


def _no_constant(_: str) -> Any:
    raise _Refused("NaN and Infinity are no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_no_constant)


def _faults(error: ValidationError) -> list[str]:
    """Its places are fields of our own schema: what else is in an answer is not looked at."""
    told = error.errors(include_url=False, include_input=False, include_context=False)
    faults = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in told[:MOST_FAULTS]]
    more = len(told) - MOST_FAULTS
    return [*faults, f"and {more} more"] if more > 0 else faults


def _invalid(fault: str) -> SourceUnreadable:
    return _unusable(Ending.MODEL_ANSWER_INVALID, f": {fault}")


def _unusable(ending: Ending, fault: str = "") -> SourceUnreadable:
    why = WHY[ending]
    sentence = f"{why[:1].upper()}{why[1:]}{fault}"
    return SourceUnreadable(sentence, code=ending, dependency="model")
