"""What Bedrock's refusals mean, whatever wraps them and however their names are spelt."""

from __future__ import annotations

from collections.abc import Mapping

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of
from lambdas.agent.endings import Ending, broken, is_too_long
from lambdas.agent.errors import ServiceUnavailable, SourceRefused, StepError
from lambdas.agent.job_state import NOT_TAKEN, JobState

BEDROCK = "Bedrock"

_BUSY = {
    "modelnotreadyexception",
    "serviceunavailableexception",
    "throttling",
    "throttlingexception",
    "toomanyrequestsexception",
}
_PASSING = {
    "internalserverexception",
    "modelerrorexception",
    "modelstreamerrorexception",
    "modeltimeoutexception",
    "requesttimeout",
}
_MENDING: Mapping[str, tuple[str, str]] = {
    "accessdeniedexception": (
        "MODEL_ACCESS_DENIED",
        "see that this account has access to the model here, and deploy with that `bedrock_model`",
    ),
    "resourcenotfoundexception": (
        "MODEL_NOT_FOUND",
        "this region has no such model or inference profile: set `bedrock_model` to one it has",
    ),
    "servicequotaexceededexception": (
        "MODEL_QUOTA_SPENT",
        "the account's quota for this model is used up: ask AWS to raise it",
    ),
}
_NO_CREDENTIALS = {"expiredtokenexception", "unrecognizedclientexception"}


def outcome_of(error: ClientError, model: str) -> JobState:
    """CONTEXT_OVERFLOW is an answer about this size; everything else is raised."""
    code, message = code_of(error).lower(), str(error.response.get("Error", {}).get("Message", ""))
    if code == "validationexception" and is_too_long(message):
        return broken(Ending.CONTEXT_OVERFLOW, usage=NOT_TAKEN)
    raise _fault(code, _status(error), _hint(error), model) from None


def _fault(code: str, status: int, hint: float | None, model: str) -> StepError:
    if code in _BUSY or status in {429, 529}:
        return _unavailable(code, wait_seconds=hint or 0)
    if code in _PASSING or status >= 500 or status == 408:
        return _unavailable(code, wait_seconds=hint)
    if code in _NO_CREDENTIALS:
        return _refused("MODEL_ACCESS_DENIED", model, "the function's own credentials were refused")
    if code in _MENDING:
        return _refused(_MENDING[code][0], model, _MENDING[code][1])
    return _refused(
        "MODEL_REQUEST_REFUSED",
        model,
        f"it answered {code or status}; see that the model takes tools and system prompts through "
        "Converse, and whether it is to be called by an inference profile",
    )


def _unavailable(code: str, *, wait_seconds: float | None) -> ServiceUnavailable:
    return ServiceUnavailable(
        f"{BEDROCK} is busy or broken ({code}): it is asked again",
        code="THROTTLED" if wait_seconds is not None else "MODEL_UNAVAILABLE",
        dependency=BEDROCK,
        wait_seconds=wait_seconds,
    )


def _refused(code: str, model: str, what: str) -> SourceRefused:
    return SourceRefused(
        f"{BEDROCK} did not take the request for {model}: {what}", code=code, dependency=BEDROCK
    )


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _hint(error: ClientError) -> float | None:
    """Its Retry-After, where it sends one in seconds."""
    told = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("retry-after", "")
    return float(told) if told.isascii() and told.isdigit() else None
