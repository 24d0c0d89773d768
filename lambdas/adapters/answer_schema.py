"""A model's answer, at the untrusted edge. Refused whole where it is not what was asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from lambdas.agent.asking import Said
from lambdas.agent.errors import SourceUnreadable

MOST_FINDINGS = 500

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class FindingModel(_Strict):
    question: int
    claim: Line
    quote: Line


class AnswerModel(_Strict):
    findings: Annotated[list[FindingModel], Field(max_length=MOST_FINDINGS)]


class PydanticAnswers:
    def parse(self, body: bytes) -> tuple[Said, ...]:
        try:
            answer = AnswerModel.model_validate_json(body)
        except ValidationError as error:
            # Counted, not quoted: what a model says may be the page's words.
            raise SourceUnreadable(
                f"The model's answer is not the JSON it was asked for ({error.error_count()} "
                "faults): use a model that follows a format, or try the source again",
                code="MODEL_ANSWER_INVALID",
                dependency="model",
            ) from None
        return tuple(Said(**finding.model_dump()) for finding in answer.findings)
