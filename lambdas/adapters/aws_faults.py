"""What AWS' clients raise, in the words of our errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from lambdas.agent.errors import ServiceUnavailable, Unexpected

CLIENT = Config(
    connect_timeout=2,
    read_timeout=4,
    # Two attempts of 6 s stay inside every step's budget; Step Functions does the patient retrying.
    retries={"mode": "standard", "total_max_attempts": 2},
)

CONNECTING = 2.0
"""Seconds for a connection."""


def single_attempt(seconds: float) -> Config:
    """For a call that is paid for: one attempt, over in so many seconds, also where nobody answers.

    Who tries again is the state machine, which counts.
    """
    return Config(
        connect_timeout=min(CONNECTING, seconds / 2),
        read_timeout=seconds - min(CONNECTING, seconds / 2),
        retries={"mode": "standard", "total_max_attempts": 1},
    )


PASSING = {
    "InternalServerError",
    "InternalError",
    "InternalFailure",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "Throttled",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
}


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated(dependency: str, doing: str) -> Iterator[None]:
    """Raise ServiceUnavailable for what may pass, Unexpected for what will not."""
    try:
        yield
    except ClientError as error:
        code = code_of(error)
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in PASSING or status >= 500:
            raise ServiceUnavailable(
                f"{dependency} answered {code} to {doing}: it is tried again", dependency=dependency
            ) from error
        raise Unexpected(
            f"{dependency} refused {doing} with {code}: check the function's permissions and "
            "that the stack is deployed whole",
            code="ACCESS_DENIED" if code.startswith("AccessDenied") else "",
            dependency=dependency,
        ) from error
    except BotoCoreError as error:
        raise ServiceUnavailable(
            f"{dependency} could not be reached for {doing} ({type(error).__name__}): "
            "it is tried again",
            dependency=dependency,
        ) from error
