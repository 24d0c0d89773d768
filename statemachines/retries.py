"""What is tried again, how often and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from aws_cdk import Duration
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks

from lambdas.agent.contract import CLOCK_SKEW, Step, budget
from lambdas.agent.errors import ASK_SOURCE_AGAIN, TRY_AGAIN, WAIT_FOR_LEASE

REFUSED = (
    "Lambda.AWSLambdaException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.SdkClientException",
    "Lambda.ServiceException",
    "Lambda.TooManyRequestsException",
)
"""Lambda's own faults. CDK's list lacks the throttling, so it is switched off and ours is said."""

KILLED = (
    "Lambda.Unknown",
    "Runtime.ExitError",
    "Runtime.OutOfMemory",
    "Runtime.Unknown",  # killed before it was ready
    "Sandbox.Timedout",
    "States.Timeout",
)
"""A worker that died: its lease ends by itself, then the next one goes on."""

LEASE_STEP = 10
"""Seconds between two looks at a lease that somebody else holds, or more where it is long."""

MOST_LOOKS = 5
"""Looks at one lease: each is an event in a history that may hold 25,000."""

HEIRS = 3
"""Workers of one unit that may die after their claim, one after the other: a state's retries are
counted over all of its attempts, and each dead worker leaves a whole lease to wait for.
"""


def retry_what_may_pass(task: tasks.LambdaInvoke, step: Step, *, killed: Sequence[str]) -> None:
    """`killed` are the errors that tell of a dead worker; a timeout somebody expects is none."""
    _retry_until_the_lease_is_over(task, step)
    _retry(task, _names(ASK_SOURCE_AGAIN), first=1, attempts=2)
    _retry(task, [*_names(TRY_AGAIN), *REFUSED, *killed], first=2, attempts=6)


def _retry_until_the_lease_is_over(task: tasks.LambdaInvoke, step: Step) -> None:
    """Even steps without jitter: their sum must reach past the leases of all who may die."""
    lease = budget(step).lease + CLOCK_SKEW
    interval = max(LEASE_STEP, ceil(lease / MOST_LOOKS))
    looks = ceil(lease / interval)
    task.add_retry(
        errors=_names(WAIT_FOR_LEASE),
        interval=Duration.seconds(interval),
        backoff_rate=1,
        max_attempts=HEIRS * looks + 1,
    )


def _retry(task: tasks.LambdaInvoke, errors: Sequence[str], *, first: int, attempts: int) -> None:
    task.add_retry(
        errors=list(errors),
        interval=Duration.seconds(first),
        backoff_rate=2,
        max_attempts=attempts,
        max_delay=Duration.minutes(1),
        jitter_strategy=sfn.JitterType.FULL,
    )


def _names(errors: Sequence[type[Exception]]) -> list[str]:
    return [error.__name__ for error in errors]
