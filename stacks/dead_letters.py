"""A queue in which what nobody has taken is kept until a person finds it."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.deployment import Deployment


def dead_letters(scope: Construct, id_: str, *, deployment: Deployment) -> sqs.Queue:
    return sqs.Queue(
        scope,
        id_,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=deployment.speaks_tls,
        retention_period=Duration.days(14),
    )
