"""A model at Amazon Bedrock, asked through Converse, which answers at once.

Converse takes no token: an answer that was lost on its way is asked for again, and paid twice. It
is not streamed, so there is no half of an answer to be taken for a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from lambdas.adapters.bedrock_faults import BEDROCK, outcome_of
from lambdas.agent.costs import Price
from lambdas.agent.endings import answered
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.forms import Form, form_of
from lambdas.agent.identity import canonical
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState, Usage

MOST_TOKENS = 4096
"""Of an answer: as many as any model with tools can say; a longer one is cut."""

_MADE_TO_USE_IT = re.compile(r"anthropic\.claude|amazon\.nova")
"""Models that can be made to use a tool. The prompt asks the others to, and those behind a profile
that does not tell its model; they may answer in JSON instead.
"""


class BedrockJobs:
    """`connect` gives a client whose single attempt takes so many seconds at the most. `model` is
    a model's id, or the id or ARN of an inference profile.
    """

    ability = Ability.AT_LEAST_ONCE
    longest_answer = MOST_TOKENS

    def __init__(
        self, connect: Callable[[float], Any], *, model: str, price: Price | None = None
    ) -> None:
        self._connect = connect
        self._model = model
        self.price = price

    @property
    def name(self) -> str:
        return f"bedrock {self._model}"

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> JobState:
        form = form_of(payload)
        try:
            told = self._connect(seconds).converse(
                modelId=self._model,
                system=[{"text": payload["instructions"]}],
                messages=[{"role": "user", "content": [{"text": payload["input"]}]}],
                inferenceConfig={"maxTokens": MOST_TOKENS},
                toolConfig=self._tools(form),
            )
        except ClientError as error:
            return outcome_of(error, self._model)
        except (BotoCoreError, ResponseParserError) as error:
            raise _silent(type(error).__name__) from None
        if "output" not in told:
            raise _silent("an answer without its output")
        return answered(told.get("stopReason"), _words(told, form.tool), usage=_usage(told))

    def find(self, key: str, *, seconds: float) -> None:
        """Never asked: Bedrock keeps nothing that could be looked up."""

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        return JobState.failed("JOB_VANISHED", "Bedrock answers at once and keeps no jobs")

    def _tools(self, form: Form) -> Mapping[str, Any]:
        tool = {
            "name": form.tool,
            "description": form.purpose,
            "inputSchema": {"json": form.schema},
        }
        tools = {"tools": [{"toolSpec": tool}]}
        if not _MADE_TO_USE_IT.search(self._model):
            return tools
        return {**tools, "toolChoice": {"tool": {"name": form.tool}}}


def _words(told: Mapping[str, Any], tool: str) -> str:
    """What was given to the tool, as JSON; else what was said. Two answers stay two. A tool that
    nobody offered is what a page asked for: it is passed over.
    """
    blocks = list(_blocks(told))
    uses = [block["toolUse"] for block in blocks if "toolUse" in block]
    given = [use.get("input") for use in uses if use.get("name") == tool]
    if given:
        return "\n".join(canonical(each).decode() for each in given)
    return "".join(str(block.get("text", "")) for block in blocks)


def _blocks(told: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from told["output"].get("message", {}).get("content", ())


def _usage(told: Mapping[str, Any]) -> Usage | None:
    usage = told.get("usage")
    if not usage:
        return None
    cached = usage.get("cacheReadInputTokens", 0) + usage.get("cacheWriteInputTokens", 0)
    return Usage(input_tokens=usage["inputTokens"] + cached, output_tokens=usage["outputTokens"])


def _silent(what: str) -> ServiceUnavailable:
    return ServiceUnavailable(
        f"{BEDROCK} did not answer ({what}): it is asked again",
        code="NO_ANSWER",
        dependency=BEDROCK,
    )
