"""The answers that a model has written so far, and what becomes of them in the report.

A report is whole without them: what a model did not write, or what did not stand of it, is told
by the statements it was to be written from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from lambdas.agent.answering import Shown
from lambdas.agent.endings import WHY
from lambdas.agent.identity import canonical
from lambdas.agent.job_state import NOTHING_USED, Usage
from lambdas.agent.report import NEW, STILL, Answer, Report, Statement
from lambdas.agent.supporting import Supported

NOTHING_STANDS, NOTHING_SAID = "NOTHING_STANDS", "NOTHING_SAID"
SILENT, ABSENT, LATE, TOO_MANY_LAPS = "MODEL_SILENT", "ANALYST_ABSENT", "JOB_EXPIRED", "OUT_OF_LAPS"

_WHY: Mapping[str, str] = {
    **{ending.value: why for ending, why in WHY.items()},
    NOTHING_STANDS: "none of its sentences was borne out by the findings it cites",
    NOTHING_SAID: "the model found no answer in them",
    SILENT: "the model did not answer",
    ABSENT: "this deployment does not have the model any more",
    LATE: "the model was busy for too long",
    TOO_MANY_LAPS: "the other answers took too long",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of one question; `code` says why there are no sentences, where there are none."""

    question: int
    sentences: tuple[Statement, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """The questions that a model was to answer, and what it took."""

    answers: tuple[Written, ...] = ()
    usage: Usage = NOTHING_USED

    def with_answer(self, question: int, stands: Supported, shown: Shown) -> Self:
        sentences = tuple(
            Statement(
                text=each.text,
                citations=tuple(
                    dict.fromkeys(number for cite in each.cites for number in shown.numbers[cite])
                ),
            )
            for each in stands.standing
        )
        code = "" if sentences else NOTHING_STANDS if stands.dropped else NOTHING_SAID
        return self._with(
            Written(question=question, sentences=sentences, left_out=stands.dropped, code=code)
        )

    def without(self, questions: Iterable[int], code: str) -> Self:
        told = self
        for question in questions:
            told = told._with(Written(question=question, code=code))
        return told

    def took(self, usage: Usage | None) -> Self:
        return replace(self, usage=self.usage + usage) if usage else self

    def into(self, report: Report) -> Report:
        """The report with these answers above its statements, which stay as they are."""
        written = {each.question: each for each in self.answers}
        answers = tuple(
            _told(answer, written[number]) if number in written else answer
            for number, answer in enumerate(report.answers)
        )
        return replace(report, answers=answers)

    def body(self) -> bytes | None:
        """None where no model was asked."""
        return canonical(asdict(self)) if self.answers or self.usage.calls else None

    @classmethod
    def of(cls, body: bytes | None) -> Self:
        told: Mapping[str, Any] = json.loads(body) if body else {}
        return cls(
            answers=tuple(_written(**each) for each in told.get("answers", ())),
            usage=Usage(**told["usage"]) if told else NOTHING_USED,
        )

    def _with(self, written: Written) -> Self:
        return replace(self, answers=(*self.answers, written))


def _written(*, sentences: Iterable[Mapping[str, Any]], **fields: Any) -> Written:
    told = tuple(
        Statement(text=each["text"], citations=tuple(each["citations"])) for each in sentences
    )
    return Written(sentences=told, **fields)


def _told(answer: Answer, written: Written) -> Answer:
    return replace(
        answer,
        written=tuple(_marked(each, answer.statements) for each in written.sentences),
        left_out=written.left_out,
        note=_note(written.code) if written.code else "",
    )


def _marked(sentence: Statement, statements: Iterable[Statement]) -> Statement:
    """As new as the statements whose quotes it rests on: still true where one of them is."""
    cited = set(sentence.citations)
    marks = {each.mark for each in statements if cited & set(each.citations)} - {""}
    mark = "" if not marks else NEW if marks == {NEW} else STILL
    return replace(sentence, mark=mark)


def _note(code: str) -> str:
    why = _WHY.get(code, "the model gave no answer")
    return f"The answer is given in the statements as they were found: {why} ({code})."
