"""How a model's answer ended, in the words of any provider, and what it is worth then.

An answer counts only where the model says that it was through. What was cut off may be whole by
its form, and is not: it would lose findings without a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from lambdas.agent.job_state import JobState, Usage


class Ending(StrEnum):
    """Why there is no answer that counts. Each has its own way on (lambdas/agent/piecewise.py)."""

    TRUNCATED = "TRUNCATED"
    CONTEXT_OVERFLOW = "CONTEXT_OVERFLOW"
    MODEL_REFUSED = "MODEL_REFUSED"
    MODEL_BLOCKED = "MODEL_BLOCKED"
    EMPTY_ANSWER = "EMPTY_ANSWER"
    MODEL_ANSWER_INVALID = "MODEL_ANSWER_INVALID"
    MODEL_STOP_UNKNOWN = "MODEL_STOP_UNKNOWN"
    BUDGET_SPENT = "BUDGET_SPENT"


WHY: Mapping[Ending, str] = {
    Ending.TRUNCATED: "the model's answer was cut off at its limit",
    Ending.CONTEXT_OVERFLOW: "it was too long for the model",
    Ending.MODEL_REFUSED: "the model, or its provider's filter, refused to answer",
    Ending.MODEL_BLOCKED: "a guardrail of the model's account blocked it",
    Ending.EMPTY_ANSWER: "the model answered nothing at all",
    Ending.MODEL_ANSWER_INVALID: "the model's answer was not the JSON it was asked for",
    Ending.MODEL_STOP_UNKNOWN: "the model did not say whether its answer was whole",
    Ending.BUDGET_SPENT: "what was left of the run's budget was not enough to ask about it",
}

_WHOLE = frozenset(
    {"completed", "end_turn", "eos", "eos_token", "stop", "stop_sequence", "tool_use"},
)
_BROKEN: Mapping[str, Ending] = {
    "content_filter": Ending.MODEL_REFUSED,
    "content_filtered": Ending.MODEL_REFUSED,
    "context_length_exceeded": Ending.CONTEXT_OVERFLOW,
    "guardrail_intervened": Ending.MODEL_BLOCKED,
    "length": Ending.TRUNCATED,
    "malformed_model_output": Ending.MODEL_ANSWER_INVALID,
    "malformed_tool_use": Ending.MODEL_ANSWER_INVALID,
    "max_output_tokens": Ending.TRUNCATED,
    "max_tokens": Ending.TRUNCATED,
    "model_context_window_exceeded": Ending.CONTEXT_OVERFLOW,
    "model_length": Ending.TRUNCATED,
    "refusal": Ending.MODEL_REFUSED,
    "safety": Ending.MODEL_REFUSED,
}


_TOO_LONG = re.compile(
    r"too long|too many (?:input )?tokens|maximum context|context (?:length|window|size)"
    r"|tokens > \d+ maximum|exceeds? the (?:model|available|maximum)[^.]{0,40}(?:context|token)",
    re.IGNORECASE,
)


def is_too_long(message: str) -> bool:
    """What a refused request's message says, for most providers have no code for it. It is looked
    at and never passed on: it may repeat words of the page.
    """
    return _TOO_LONG.search(message) is not None


def answered(reason: object, words: str, *, usage: Usage | None = None) -> JobState:
    """The state of an answer whose provider says that it ended for this reason."""
    said = reason.lower() if isinstance(reason, str) else ""
    if said in _BROKEN:
        return broken(_BROKEN[said], usage=usage)
    if said not in _WHOLE:
        return broken(Ending.MODEL_STOP_UNKNOWN, usage=usage)
    if not words.strip():
        return broken(Ending.EMPTY_ANSWER, usage=usage)
    return JobState.done(words.encode(errors="replace"), usage=usage)


def broken(ending: Ending, *, usage: Usage | None = None) -> JobState:
    return JobState.failed(ending.value, WHY[ending], usage=usage)
