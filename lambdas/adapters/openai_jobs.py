"""Jobs at an OpenAI-compatible model, run in background: `POST /v1/responses`, then `GET`.

The key of the effect is sent as Idempotency-Key: the same key again is answered with the same job.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from lambdas.adapters.http_json import Answer, JsonService
from lambdas.adapters.openai_service import LONGEST_ANSWER, OpenAiService, error_of
from lambdas.agent.costs import Price
from lambdas.agent.endings import Ending, answered, broken
from lambdas.agent.forms import Form, form_of
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import NOT_TAKEN, JobState, Usage
from lambdas.agent.model_ports import Secrets

PATH = "/v1/responses"
_ID = re.compile(r"[\w.:-]{1,200}", re.ASCII)
_REASON = re.compile(r"[a-z_]{1,60}")
_CUT = {"max_output_tokens", "max_tokens", "content_filter"}
_ENDS = {
    "failed": ("JOB_FAILED", "the model says that it failed"),
    "cancelled": ("JOB_CANCELLED", "it was cancelled at the model's side"),
    "incomplete": ("JOB_INCOMPLETE", "the model stopped before the end of its answer"),
    "expired": ("JOB_EXPIRED", "the model did not begin it in time"),
}


class OpenAiJobs:
    """`secret` names the secret that holds the key; empty where the service asks for none."""

    ability = Ability.TOKEN
    longest_answer = LONGEST_ANSWER

    def __init__(
        self,
        service: JsonService,
        *,
        model: str,
        secrets: Secrets,
        secret: str,
        price: Price | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.price = price
        self._service = OpenAiService(service, model=model, secrets=secrets, secret=secret, now=now)

    @property
    def name(self) -> str:
        return self._service.name

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        asked = {
            "instructions": payload["instructions"],
            "input": payload["input"],
            "text": {"format": _format(form_of(payload))},
            "background": True,
        }
        answer = self._service.post(PATH, asked, key=key, seconds=seconds)
        if answer is None:
            return broken(Ending.CONTEXT_OVERFLOW, usage=NOT_TAKEN)
        job_id = str(answer.fields.get("id", ""))
        if not _ID.fullmatch(job_id):
            raise self._service.unclear("without a job's id")
        return job_id

    def find(self, key: str, *, seconds: float) -> str | None:
        """Never asked: its token finds the job."""
        return None

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        answer = self._service.get(f"{PATH}/{quote(job_id, safe='')}", seconds=seconds)
        if answer.status == 404:
            return JobState.failed("JOB_VANISHED", "the model does not know it any more")
        return self._state(answer)

    def _state(self, answer: Answer) -> JobState:
        status, usage = answer.fields.get("status"), usage_of(answer.fields)
        if status in {"queued", "in_progress"}:
            return JobState.running(self._service.hint(answer) or 0)
        if status == "completed":
            words = "".join(_texts(answer.fields, "output_text", "text"))
            refused = not words and any(_texts(answer.fields, "refusal", "refusal"))
            return answered("refusal" if refused else status, words, usage=usage)
        if status not in _ENDS:
            raise self._service.unclear("without a status that is known")
        reason = _reason(answer.fields)
        if reason in _CUT or reason == "context_length_exceeded":
            return answered(reason, "", usage=usage)
        code, sentence = _ENDS[status]
        return JobState.failed(code, sentence + (f" ({reason})" if reason else ""), usage=usage)


def _format(form: Form) -> Mapping[str, Any]:
    return {"type": "json_schema", "name": form.name, "strict": True, "schema": form.schema}


def usage_of(fields: Mapping[str, Any]) -> Usage | None:
    """By either API's names; None where it tells none that can be counted."""
    told = fields.get("usage")
    if not isinstance(told, dict):
        return None
    given = told.get("input_tokens", told.get("prompt_tokens"))
    taken = told.get("output_tokens", told.get("completion_tokens"))
    if not (isinstance(given, int) and isinstance(taken, int)) or min(given, taken) < 0:
        return None
    return Usage(input_tokens=given, output_tokens=taken)


def _texts(fields: Mapping[str, Any], kind: str, name: str) -> Iterator[str]:
    """The words of the answer; what it thought or called is no answer."""
    for item in _objects(fields.get("output")):
        for part in _objects(item.get("content")):
            if part.get("type") == kind:
                yield str(part.get(name, ""))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _reason(fields: Mapping[str, Any]) -> str:
    """A code only: the message beside it may repeat words of the page."""
    details = fields.get("incomplete_details")
    told = str(details.get("reason", "")) if isinstance(details, dict) else ""
    if _REASON.fullmatch(told):
        return told
    return min(error_of(fields) - {"error"}, default="")
