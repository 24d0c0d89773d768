"""Messages to subscribers over moto: what arrives, and what a subject may be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from lambdas.adapters.sns_subscribers import SUBJECT_LIMIT, SnsSubscribers, one_line
from lambdas.agent.errors import ServiceUnavailable, Unexpected
from tests.contracts.table import REGION

KEY = "k" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    subscribers: SnsSubscribers
    sqs: Any
    queue: str

    def heard(self) -> list[dict[str, Any]]:
        found = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in found.get("Messages", [])]


@pytest.fixture
def topic() -> Iterator[Topic]:
    with mock_aws():
        sns, sqs = boto3.client("sns", region_name=REGION), boto3.client("sqs", region_name=REGION)
        arn = sns.create_topic(Name="notices")["TopicArn"]
        queue = sqs.create_queue(QueueName="ann")["QueueUrl"]
        attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
        sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=attributes["Attributes"]["QueueArn"])
        yield Topic(subscribers=SnsSubscribers(sns, arn), sqs=sqs, queue=queue)


@pytest.mark.promise("R27")
def test_a_subscriber_gets_subject_text_and_the_notices_id(topic: Topic) -> None:
    receipt = topic.subscribers.publish("A report is published: acme", "größer\n2 of 3", key=KEY)

    (message,) = topic.heard()
    assert message["MessageId"] == receipt
    assert (message["Subject"], message["Message"]) == (
        "A report is published: acme",
        "größer\n2 of 3",
    )
    assert message["MessageAttributes"]["notice_id"]["Value"] == KEY


@pytest.mark.parametrize(
    ("told", "sent"),
    [
        ("A report waits", "A report waits"),
        ("Zürich, naïve café", "Zurich, naive cafe"),
        ("two\nlines\r\nBcc: all@acme.test", "two lines Bcc: all@acme.test"),
        ("  blanks\tand \u2028 signs ", "blanks and signs"),
        ("水", "Ratchet"),
        ("", "Ratchet"),
        ("x" * SUBJECT_LIMIT, "x" * SUBJECT_LIMIT),
        ("x" * (SUBJECT_LIMIT + 1), "x" * (SUBJECT_LIMIT - 3) + "..."),
        ("word " * 40, ("word " * 19) + "wo..."),
    ],
)
def test_a_subject_is_one_line_of_ascii_that_aws_takes(topic: Topic, told: str, sent: str) -> None:
    assert one_line(told) == sent
    topic.subscribers.publish(told, "any", key=KEY)
    (message,) = topic.heard()
    assert message["Subject"] == sent


@pytest.mark.promise("R21")
@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("Throttled", ServiceUnavailable),
        ("InternalError", ServiceUnavailable),
        ("AuthorizationError", Unexpected),
        ("NotFound", Unexpected),
    ],
)
def test_what_may_pass_is_told_from_what_will_not(code: str, error: type[Exception]) -> None:
    client = boto3.client("sns", region_name=REGION)
    with Stubber(client) as refusing:
        refusing.add_client_error("publish", code, http_status_code=400)
        with pytest.raises(error):
            SnsSubscribers(client, "arn:aws:sns:eu-west-1:111122223333:t").publish(
                "any", "any", key=KEY
            )
