"""An OpenAI-compatible model that answers at once: `POST /v1/chat/completions`.

For servers without background jobs. Most of them know no token by which they would tell a repeat:
an answer that was lost on its way is asked for again, and paid twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from lambdas.adapters.http_json import JsonService
from lambdas.adapters.openai_jobs import usage_of
from lambdas.adapters.openai_service import LONGEST_ANSWER, OpenAiService
from lambdas.agent.costs import Price
from lambdas.agent.endings import Ending, answered, broken
from lambdas.agent.forms import Form, form_of
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import NOT_TAKEN, JobState
from lambdas.agent.model_ports import Secrets

PATH = "/v1/chat/completions"


class OpenAiChat:
    """`secret` names the secret that holds the key; empty where the service asks for none."""

    ability = Ability.AT_LEAST_ONCE
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

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> JobState:
        messages = [
            {"role": "system", "content": payload["instructions"]},
            {"role": "user", "content": payload["input"]},
        ]
        body = {"messages": messages, "response_format": _format(form_of(payload))}
        answer = self._service.post(PATH, body, key=key, seconds=seconds)
        if answer is None:
            return broken(Ending.CONTEXT_OVERFLOW, usage=NOT_TAKEN)
        choice = _first(answer.fields.get("choices"))
        message = choice.get("message")
        if not isinstance(message, dict):
            raise self._service.unclear("without a message")
        reason = "refusal" if message.get("refusal") else choice.get("finish_reason")
        return answered(reason, _words(message.get("content")), usage=usage_of(answer.fields))

    def find(self, key: str, *, seconds: float) -> None:
        """Never asked: it keeps nothing that could be looked up."""

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        return JobState.failed("JOB_VANISHED", "the model answers at once and keeps no jobs")


def _format(form: Form) -> Mapping[str, Any]:
    schema = {"name": form.name, "strict": True, "schema": form.schema}
    return {"type": "json_schema", "json_schema": schema}


def _first(choices: Any) -> Mapping[str, Any]:
    is_list = isinstance(choices, list) and choices and isinstance(choices[0], dict)
    return choices[0] if is_list else {}


def _words(content: Any) -> str:
    """A string, or a list of parts with their texts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
