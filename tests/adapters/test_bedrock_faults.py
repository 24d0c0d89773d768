"""Bedrock's exceptions, built by hand: in any wrapper and any spelling (case E05), and the limits
of a client that is paid for (case E06).
"""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, EventStreamError

from lambdas.adapters.aws_faults import single_attempt
from lambdas.adapters.bedrock_faults import outcome_of
from lambdas.agent.contract import Step, budget
from lambdas.agent.errors import ServiceUnavailable

MODEL = "amazon.nova-lite-v1:0"


@pytest.mark.promise("R22")
@pytest.mark.parametrize("wrapper", [ClientError, EventStreamError])
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ThrottlingException", "Too many requests, please wait before trying again."),
        ("throttlingException", "Too many requests"),
        ("ThrottlingException", "Too many tokens, please wait before trying again."),
        ("modelTimeoutException", "The model took too long"),
        ("ModelTimeoutException", ""),
        ("modelStreamErrorException", ""),
        ("serviceUnavailableException", ""),
        ("internalServerException", ""),
    ],
)
def test_what_may_pass_is_known_by_any_spelling_in_any_wrapper(
    wrapper: type[ClientError], code: str, message: str
) -> None:
    error = wrapper({"Error": {"Code": code, "Message": message}}, "ConverseStream")

    with pytest.raises(ServiceUnavailable):
        outcome_of(error, MODEL)


@pytest.mark.promise("R18")
@pytest.mark.parametrize("seconds", [1, 10, budget(Step.ANALYZE).call])
def test_connecting_reading_and_all_attempts_together_stay_in_the_call(seconds: float) -> None:
    config: Any = single_attempt(seconds)
    attempts = config.retries["total_max_attempts"]

    assert (config.connect_timeout + config.read_timeout) * attempts <= seconds
    assert config.read_timeout > 0
