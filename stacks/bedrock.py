"""Which resources at Bedrock a model's name stands for, and so what may be invoked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

INVOKE = "bedrock:InvokeModel"
"""What Converse asks for; there is no permission of its own."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-zA-Z0-9-]+)+(?::[0-9a-z]+)*")
_ARN = re.compile(
    r"arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\d*:(?:foundation-model|inference-profile"
    r"|application-inference-profile|provisioned-model|custom-model-deployment|imported-model)"
    r"/[a-zA-Z0-9.:-]+"
)
_GEOGRAPHY = re.compile(r"(?:global|apac|us-gov|[a-z]{2})\.(?=[a-z0-9-]+\.)")
"""What a profile of AWS's own begins with; no provider of models has a name of two letters."""


def is_model_name(name: str) -> bool:
    return bool(_ID.fullmatch(name) or _ARN.fullmatch(name))


def statements(stack: Stack, name: str) -> Iterator[iam.PolicyStatement]:
    """The model or the profile alone. A profile sends the request on to its model in other regions,
    which may be invoked by way of this profile and no other.
    """
    arn = _arn(stack, name)
    yield iam.PolicyStatement(actions=[INVOKE], resources=[arn])
    if is_profile(name):
        yield iam.PolicyStatement(
            actions=[INVOKE],
            resources=[_model(stack, model_behind(name), region="*")],
            conditions={"StringEquals": {"bedrock:InferenceProfileArn": arn}},
        )


def model_behind(profile: str) -> str:
    """What one of AWS's own profiles says of itself; an application's says nothing: any model."""
    name = profile.rpartition("/")[2]
    return _GEOGRAPHY.sub("", name, count=1) if _GEOGRAPHY.match(name) else "*"


def is_profile(name: str) -> bool:
    return "inference-profile/" in name or bool(_GEOGRAPHY.match(name))


def _arn(stack: Stack, name: str) -> str:
    if name.startswith("arn:"):
        return name
    if is_profile(name):
        return stack.format_arn(service="bedrock", resource="inference-profile", resource_name=name)
    return _model(stack, name)


def _model(stack: Stack, name: str, region: str | None = None) -> str:
    return stack.format_arn(
        service="bedrock",
        region=region,
        account="",
        resource="foundation-model",
        resource_name=name,
    )
