"""One structured line for every transition, with the ids that join it to record and trace.

What must be counted (a refusal, a replay, what the sweeper found) is a metric beside its line.
Never page text, prompts, tokens or secrets: what is logged is chosen field by field.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from lambdas.agent.errors import InvalidRequest, Retryable, StepError, Unexpected
from lambdas.agent.job_state import Usage
from lambdas.agent.model import WHOLE_TASK, Outcome, Unit
from lambdas.agent.runtime import Ran

MESSAGE_LIMIT = 600
"""Characters of an error's sentence that Step Functions gets to see: a state stays small."""
FAULTS_LIMIT = 3000
"""The same where the sentence lists the faults of a request."""

NAMESPACE = "Ratchet"
"""Of the metrics: named as the error, the sweeper's sign, `Replayed`, or what models took, for each
step.
"""

_logger = Logger(service="ratchet")


class TransitionLog:
    def __init__(self, context: Any, logger: Logger = _logger) -> None:
        self._context = context
        self._logger = logger
        self._begun = time.monotonic()
        self._ids: dict[str, Any] = {"request_id": context.aws_request_id}

    def begins(self, event: Mapping[str, Any]) -> None:
        known = {name: event[name] for name in _KNOWN_BY if name in event}
        execution = event.get("context", {}).get("execution")
        self._ids |= known | ({"execution": execution} if execution else {})

    def concerns(self, unit: Unit) -> None:
        self._ids |= {
            "task_id": unit.task_id,
            "step": unit.step.value,
            "item": unit.item,
            **{name: unit.context[name] for name in _OF_THE_RUN if name in unit.context},
        }

    def moved(self, ran: Ran) -> None:
        if ran.is_replay:
            self._count("Replayed")
        elif sign := ran.outcome.facts.get("sign"):
            self._count(str(sign))
        self._logger.info(
            "replayed" if ran.is_replay else "committed",
            extra=self._line(
                attempt=ran.record.attempt,
                state_version=ran.state_version,
                outcome=ran.outcome.progress.value,
                error_code=_why(ran.outcome),
                result_uri=ran.outcome.ref or ran.outcome.result_ref,
                **self._used(ran.usage),
                **self._had_before(ran.reused),
            ),
        )

    def noted(self, message: str, fields: Mapping[str, Any]) -> None:
        """What was found beside the way: a line to count."""
        self._logger.info(message, extra=self._line(**fields))
        if sign := fields.get("sign"):
            self._count(str(sign))

    def answered(self) -> None:
        self._logger.info("answered", extra=self._line(outcome="DONE"))

    def failed(self, error: Exception) -> StepError:
        """The error to raise: ours, short, and without the frames that would swell its Cause."""
        told = error if isinstance(error, StepError) else self._unexpected(error)
        say = self._logger.warning if isinstance(told, Retryable) else self._logger.error
        line = self._line(
            outcome="FAILED",
            error_code=told.code,
            dependency=told.dependency or None,
            error=type(told).__name__,
            reason=str(told)[:FAULTS_LIMIT],
            cause=_where(told.__cause__ or error),
            **self._used(error.usage if isinstance(error, StepError) else None),
        )
        say("failed", extra=line)
        self._count(type(told).__name__)
        limit = FAULTS_LIMIT if isinstance(told, InvalidRequest) else MESSAGE_LIMIT
        short = type(told)(str(told)[:limit], code=told.code, dependency=told.dependency)
        return short.with_traceback(None)

    def _used(self, usage: object) -> dict[str, int]:
        """What models took, in counts alone."""
        if not isinstance(usage, Usage) or not usage.calls:
            return {}
        self._count("ModelCalls", usage.calls)
        self._count("InputTokens", usage.input_tokens)
        self._count("OutputTokens", usage.output_tokens)
        cost = {"micro_usd": usage.micro_usd} if usage.micro_usd else {}
        if cost:
            self._count("MicroUsd", usage.micro_usd)
        return {
            **cost,
            "model_calls": usage.calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        }

    def _had_before(self, answers: int) -> dict[str, int]:
        if not answers:
            return {}
        self._count("AnswersReused", answers)
        return {"answers_reused": answers}

    def _count(self, name: str, value: int = 1) -> None:
        with single_metric(
            name=name, unit=MetricUnit.Count, value=value, namespace=NAMESPACE
        ) as metric:
            metric.add_dimension(name="step", value=str(self._ids.get("step", "DOOR")))

    def _unexpected(self, error: Exception) -> StepError:
        request = self._ids["request_id"]
        return Unexpected(f"{type(error).__name__} before any work; see the log of {request}")

    def _line(self, **fields: Any) -> dict[str, Any]:
        line = {
            **self._ids,
            **fields,
            "latency_ms": round((time.monotonic() - self._begun) * 1000),
            "remaining_ms": self._context.get_remaining_time_in_millis(),
        }
        return {name: value for name, value in line.items() if value not in (None, WHOLE_TASK)}


def _why(outcome: Outcome) -> str | None:
    """The code of what was in the way of an outcome that is no failure of its step."""
    return outcome.cursor.get("error_code") or outcome.facts.get("error_code") or None


_KNOWN_BY = ("task_id", "step", "item", "http_request_id")
_OF_THE_RUN = ("agent_id", "workflow_id", "execution", "run")


def _where(error: BaseException) -> str | None:
    """Type and places of a foreign error: its message may hold what a log must not."""
    if isinstance(error, StepError):
        return None
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    return f"{type(error).__name__} at {places}"
