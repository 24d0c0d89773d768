"""An OpenAI-compatible service: one exchange with its key, and what its refusals mean.

Refusals are told apart by status and by the type or code in the body, never by a message alone
but for one: that a prompt is too long has no code at most of them. No message is passed on, since
it may repeat words of the page.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from lambdas.adapters.http_json import Answer, JsonService
from lambdas.adapters.retry_after import seconds_of
from lambdas.agent.endings import is_too_long
from lambdas.agent.errors import ServiceUnavailable, SourceRefused, StepError
from lambdas.agent.model_ports import Secrets

LONGEST_ANSWER = 8_192
"""Tokens that are reckoned for an answer. No limit is sent: servers differ in its name, and models
that think first need room for that.
"""

BUSY, OVERLOADED = 429, 529
PASSING = {408, 409, 425, BUSY}
"""Refusals that may be over when it is asked again; so may every 5xx."""

_OVERLOADS = {"overloaded_error", "rate_limit_error", "rate_limit_exceeded", "engine_overloaded"}
_TOO_LONG_CODES = {"context_length_exceeded", "request_too_large", "string_above_max_length"}
_ANSWERS = {"choices", "status"}
"""One of them stands in every answer, also in that of a job that failed, beside its error."""
_CODE = re.compile(r"[a-z_]{1,60}")


class OpenAiService:
    """`secret` names the secret that holds the key; empty where the service asks for none."""

    def __init__(
        self,
        service: JsonService,
        *,
        model: str,
        secrets: Secrets,
        secret: str,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._service = service
        self._secrets = secrets
        self._secret = secret
        self._now = now
        self.model = model

    @property
    def name(self) -> str:
        return f"{self._service.host} {self.model}"

    def post(
        self, path: str, body: Mapping[str, Any], *, key: str, seconds: float
    ) -> Answer | None:
        """The answer; None where what was sent is too long for the model."""
        answer = self._service.call(
            "POST",
            path,
            headers={**self._authorization(), "Idempotency-Key": key},
            body={**body, "model": self.model},
            seconds=seconds,
        )
        if _is_too_long(answer):
            return None
        return self.checked(answer, path)

    def get(self, path: str, *, seconds: float) -> Answer:
        """The answer, a 404 too."""
        answer = self._service.call("GET", path, headers=self._authorization(), seconds=seconds)
        return answer if answer.status == 404 else self.checked(answer, path)

    def checked(self, answer: Answer, path: str) -> Answer:
        """A success that says nothing but that it is an error is none."""
        is_told = _ANSWERS & answer.fields.keys() or not error_of(answer.fields)
        if 200 <= answer.status < 300 and is_told:
            return answer
        raise self._refusal(answer, path)

    def hint(self, answer: Answer) -> float | None:
        return seconds_of(answer.retry_after, self._now())

    def unclear(self, what: str) -> ServiceUnavailable:
        host = self._service.host
        return ServiceUnavailable(
            f"{host} answered {what}: it is asked again", code="BAD_ANSWER", dependency=host
        )

    def _authorization(self) -> Mapping[str, str]:
        key = self._secrets.get(self._secret) if self._secret else ""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _refusal(self, answer: Answer, path: str) -> StepError:
        status = answer.status
        if "insufficient_quota" in error_of(answer.fields):
            return self._refused("MODEL_QUOTA_SPENT", "the account has no credit left: top it up")
        if _is_overload(answer) or status in PASSING or status >= 500 or 200 <= status < 300:
            return self._passing(answer)
        if status in {401, 403}:
            return self._refused("MODEL_KEY_REFUSED", f"mend the key in secret {self._secret!r}")
        if 300 <= status < 400:
            return self._refused("MODEL_MOVED", "it redirects: set `model_url` to where it is")
        return self._refused(
            "MODEL_REQUEST_REFUSED",
            f"see that it has model {self.model!r}, and that {path} takes what `model_api` sends",
        )

    def _passing(self, answer: Answer) -> ServiceUnavailable:
        """Who is busy is asked again when it says; who is broken, by the state machine's retry."""
        status, host = answer.status, self._service.host
        is_busy = _is_overload(answer)
        hint = self.hint(answer) if is_busy or status == 503 else None
        return ServiceUnavailable(
            f"{host} answered {status}: it is asked again",
            code=f"HTTP_{status}",
            dependency=host,
            wait_seconds=0 if is_busy and hint is None else hint,
        )

    def _refused(self, code: str, what: str) -> SourceRefused:
        host = self._service.host
        return SourceRefused(f"{host} took no job: {what}.", code=code, dependency=host)


def error_of(fields: Mapping[str, Any]) -> frozenset[str]:
    """The codes and types of an error in the body; empty where there is none."""
    error = fields.get("error")
    told = [error.get("code"), error.get("type")] if isinstance(error, dict) else []
    known = frozenset(str(each) for each in told if _CODE.fullmatch(str(each)))
    return known or (frozenset({"error"}) if error else frozenset())


def _is_overload(answer: Answer) -> bool:
    return answer.status in {BUSY, OVERLOADED} or bool(error_of(answer.fields) & _OVERLOADS)


def _is_too_long(answer: Answer) -> bool:
    if answer.status == 413 or error_of(answer.fields) & _TOO_LONG_CODES:
        return True
    error = answer.fields.get("error")
    message = error.get("message") if isinstance(error, dict) else answer.fields.get("message")
    return answer.status in {400, 422} and is_too_long(str(message))
