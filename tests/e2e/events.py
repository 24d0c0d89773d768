"""What others hear on the event bus: a queue behind a rule."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from lambdas.agent.notices import ENDS
from tests.e2e.account import Account, waited_for

QUIET = 2.0
"""Seconds without a message after which the queue counts as read out."""


@dataclass(slots=True)
class Events:
    account: Account
    queue: str
    heard: list[dict[str, Any]] = field(default_factory=list)

    def of(self, task: str) -> list[str]:
        """The kinds of events about a task, in the order they came."""
        self._read_out()
        return [event["detail-type"] for event in self.heard if event["detail"]["task_id"] == task]

    def ends(self, task: str) -> list[str]:
        """Those of its end, once there is one: who is told is told a moment later."""

        def look() -> list[str]:
            return [kind for kind in self.of(task) if kind in set(ENDS.values())]

        return waited_for(look, f"an event of the end of {task}")

    def _read_out(self) -> None:
        sqs, last = self.account.client("sqs"), time.monotonic()
        while time.monotonic() - last < QUIET:
            answer = sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)
            for message in answer.get("Messages", []):
                self.heard.append(json.loads(message["Body"]))
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
                last = time.monotonic()
            time.sleep(0.1)


def listening(account: Account) -> Events:
    sqs, bus = account.client("sqs"), account.client("events")
    queue = sqs.create_queue(QueueName="heard")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    bus.put_rule(Name="heard", EventPattern=json.dumps({"source": ["ratchet"]}))
    bus.put_targets(Rule="heard", Targets=[{"Id": "queue", "Arn": arn["QueueArn"]}])
    return Events(account=account, queue=queue)
