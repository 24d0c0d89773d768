"""Messages to whoever subscribes to an SNS topic. At least once: `notice_id` tells a repeat."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated
from lambdas.agent.intents import Ability

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient

SUBJECT_LIMIT = 100
"""Characters of a subject; AWS takes one line of printable ASCII."""


class SnsSubscribers:
    ability = Ability.AT_LEAST_ONCE

    def __init__(self, client: SNSClient, topic: str) -> None:
        self._client = client
        self._topic = topic

    def publish(self, subject: str, text: str, *, key: str) -> str:
        with translated("SNS", "publishing a notice"):
            answer = self._client.publish(
                TopicArn=self._topic,
                Subject=one_line(subject),
                Message=text,
                MessageAttributes={"notice_id": {"DataType": "String", "StringValue": key}},
            )
        return answer["MessageId"]


def one_line(subject: str) -> str:
    """What of it is printable ASCII, cut to what a subject may have; it begins with no blank."""
    plain = unicodedata.normalize("NFKD", subject).encode("ascii", "ignore").decode()
    shown = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    if len(shown) <= SUBJECT_LIMIT:
        return shown or "Ratchet"
    return f"{shown[: SUBJECT_LIMIT - 3].rstrip()}..."
