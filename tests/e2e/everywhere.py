"""All that the account keeps, as text that can be searched."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from tests.e2e.account import Account, waited_for

PAGE = 10
"""Messages that SQS gives at once."""
HIDDEN = 1
"""Seconds for which SQS gives none of them again: whoever listens waits longer than that."""


def kept(account: Account) -> dict[str, str]:
    """By where it is kept: each item of each table, object of each bucket, line of each log, and
    message of each queue.
    """
    found = {
        "DynamoDB": _items(account),
        "S3": _objects(account),
        "CloudWatch Logs": _lines(account),
        "SQS": messages(account),
    }
    return {where: "\n".join(texts) for where, texts in found.items()}


def _items(account: Account) -> Iterator[str]:
    client = account.client("dynamodb")
    for table in client.list_tables()["TableNames"]:
        for page in client.get_paginator("scan").paginate(TableName=table):
            yield from (str(_readable(item)) for item in page["Items"])


def _readable(value: Any) -> Any:
    """With what is packed in it unpacked."""
    if isinstance(value, dict):
        return {name: _readable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_readable(each) for each in value]
    if not isinstance(value, bytes):
        return value
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def _objects(account: Account) -> Iterator[str]:
    client = account.client("s3")
    for bucket in client.list_buckets()["Buckets"]:
        name = bucket["Name"]
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=name):
            for each in page.get("Contents", []):
                found = client.get_object(Bucket=name, Key=each["Key"])
                body = found["Body"].read().decode(errors="replace")
                yield f"{each['Key']} {found['Metadata']} {body}"


def _lines(account: Account) -> Iterator[str]:
    client = account.client("logs")
    for page in client.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            name = group["logGroupName"]
            yield name
            for said in client.get_paginator("filter_log_events").paginate(logGroupName=name):
                yield from (event["message"] for event in said["events"])


def messages(account: Account) -> Iterator[str]:
    """Each once; all of them stay for whoever they are for."""
    client = account.client("sqs")
    for queue in client.list_queues().get("QueueUrls", []):
        yield queue
        yield from _queued(client, queue)


def _queued(client: Any, queue: str) -> Iterator[str]:
    waited_for(lambda: _many(client, queue, "NotVisible") == 0, "all messages to be back")
    many, seen = _many(client, queue), set[str]()
    while len(seen) < many:
        got = client.receive_message(
            QueueUrl=queue,
            MaxNumberOfMessages=PAGE,
            VisibilityTimeout=HIDDEN,
            MessageAttributeNames=["All"],
        )
        for message in got.get("Messages", []):
            seen.add(message["MessageId"])
            yield str(message)


def _many(client: Any, queue: str, which: str = "") -> int:
    name = f"ApproximateNumberOfMessages{which}"
    told = client.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])
    return int(told["Attributes"][name])
