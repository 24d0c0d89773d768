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
from lambdas.adapters.retry_after import seconds_of
from lambdas.agent.errors import ServiceUnavailable, SourceRefused, StepError
from lambdas.agent.job_state import JobState
from lambdas.agent.model import Ability
from lambdas.agent.ports import Secrets

BUSY = 429
PASSING = {408, 409, 425, BUSY}
"""Refusals that may be over when it is asked again; so may every 5xx."""

_ID = re.compile(r"[\w.:-]{1,200}", re.ASCII)
_CODE = re.compile(r"[a-z_]{1,60}")
_ENDS = {
    "failed": ("JOB_FAILED", "the model says that it failed"),
    "cancelled": ("JOB_CANCELLED", "it was cancelled at the model's side"),
    "incomplete": ("JOB_INCOMPLETE", "the model stopped before the end of its answer"),
    "expired": ("JOB_EXPIRED", "the model did not begin it in time"),
}


class OpenAiJobs:
    """`secret` names the secret that holds the key; empty where the service asks for none."""

    ability = Ability.TOKEN

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
        self._model = model
        self._secrets = secrets
        self._secret = secret
        self._now = now

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str:
        answer = self._service.call(
            "POST",
            "/v1/responses",
            headers={**self._authorization(), "Idempotency-Key": key},
            body={**payload, "model": self._model, "background": True},
            seconds=seconds,
        )
        self._check(answer)
        job_id = str(answer.fields.get("id", ""))
        if not _ID.fullmatch(job_id):
            raise self._unclear("without a job's id")
        return job_id

    def find(self, key: str, *, seconds: float) -> str | None:
        """Never asked: its token finds the job."""
        return None

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        answer = self._service.call(
            "GET",
            f"/v1/responses/{quote(job_id, safe='')}",
            headers=self._authorization(),
            seconds=seconds,
        )
        if answer.status == 404:
            return JobState.failed("JOB_VANISHED", "the model does not know it any more")
        self._check(answer)
        return self._state(answer)

    def _authorization(self) -> Mapping[str, str]:
        key = self._secrets.get(self._secret) if self._secret else ""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _state(self, answer: Answer) -> JobState:
        status = answer.fields.get("status")
        if status in {"queued", "in_progress"}:
            return JobState.running(seconds_of(answer.retry_after, self._now()) or 0)
        if status == "completed":
            return JobState.done("".join(_texts(answer.fields)).encode(errors="replace"))
        if status in _ENDS:
            code, sentence = _ENDS[status]
            return JobState.failed(code, f"{sentence}{_reason(answer.fields)}")
        raise self._unclear("without a status that is known")

    def _check(self, answer: Answer) -> None:
        if not 200 <= answer.status < 300:
            raise self._refusal(answer)

    def _refusal(self, answer: Answer) -> StepError:
        status, host = answer.status, self._service.host
        if _error_code(answer.fields) == "insufficient_quota":
            return self._refused("MODEL_QUOTA_SPENT", "the account has no credit left: top it up")
        if status in PASSING or status >= 500:
            hint = seconds_of(answer.retry_after, self._now()) if status in {BUSY, 503} else None
            return ServiceUnavailable(
                f"{host} answered {status}: it is asked again",
                code=f"HTTP_{status}",
                dependency=host,
                wait_seconds=0 if status == BUSY and hint is None else hint,
            )
        if status in {401, 403}:
            return self._refused("MODEL_KEY_REFUSED", f"mend the key in secret {self._secret!r}")
        if 300 <= status < 400:
            return self._refused("MODEL_MOVED", "it redirects: set `model_url` to where it is")
        return self._refused(
            "MODEL_REQUEST_REFUSED",
            f"see that it has model {self._model!r} and that /v1/responses takes background jobs",
        )

    def _refused(self, code: str, what: str) -> SourceRefused:
        host = self._service.host
        return SourceRefused(f"{host} took no job: {what}.", code=code, dependency=host)

    def _unclear(self, what: str) -> ServiceUnavailable:
        host = self._service.host
        return ServiceUnavailable(
            f"{host} answered {what}: it is asked again", code="BAD_ANSWER", dependency=host
        )


def _texts(fields: Mapping[str, Any]) -> Iterator[str]:
    """The words of the answer; what it thought, called or refused is no answer."""
    for item in _objects(fields.get("output")):
        for part in _objects(item.get("content")):
            if part.get("type") == "output_text":
                yield str(part.get("text", ""))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _error_code(fields: Mapping[str, Any]) -> str:
    """A code only: the message beside it may repeat words of the page."""
    error = fields.get("error")
    code = str(error.get("code", "")) if isinstance(error, dict) else ""
    return code if _CODE.fullmatch(code) else ""


def _reason(fields: Mapping[str, Any]) -> str:
    details = fields.get("incomplete_details")
    told = str(details.get("reason", "")) if isinstance(details, dict) else ""
    reason = told if _CODE.fullmatch(told) else _error_code(fields)
    return f" ({reason})" if reason else ""
