"""Models that answer at once, as the deployed functions reach them, on a loopback server."""

from __future__ import annotations

from functools import partial
from typing import Any

import boto3

from lambdas.adapters.aws_faults import single_attempt
from lambdas.adapters.bedrock_jobs import BedrockJobs
from lambdas.adapters.http_json import JsonService
from lambdas.adapters.openai_chat import OpenAiChat
from lambdas.agent.forms import ANSWER, FINDINGS
from tests.fakes.secrets import FakeSecrets

CLAUDE = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
PAYLOAD = {"form": FINDINGS.name, "instructions": "read", "input": "page"}
TO_WRITE = {**PAYLOAD, "form": ANSWER.name}
KEY = "f" * 64
LONG, SHORT = 20.0, 0.3
"""Seconds: more than any exchange here takes, and less than a silent server does."""


def bedrock(address: str, model: str = CLAUDE) -> BedrockJobs:
    """Through the real client, with the real limits."""
    return BedrockJobs(partial(_client, address), model=model)


def chat(address: str) -> OpenAiChat:
    return OpenAiChat(
        JsonService(address), model="small-1", secrets=FakeSecrets("sk-made-up-key"), secret="any"
    )


def _client(address: str, seconds: float) -> Any:
    return boto3.client("bedrock-runtime", endpoint_url=address, config=single_attempt(seconds))
