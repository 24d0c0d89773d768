"""The ledger's table and the bucket in moto, saved once and restored before each play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3

from lambdas.adapters.s3_shelf import PUBLISHED, S3Shelf
from tests.contracts.table import REGION

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client


class Account:
    def __init__(self, table: DynamoDBClient, bucket: S3Client) -> None:
        self.table = table
        self.bucket = bucket
        self._rows = boto3.resource("dynamodb", region_name=REGION).Table("ledger")
        self._items: list[dict[str, Any]] = []
        self._objects: dict[str, bytes] = {}
        self._tags: dict[str, str] = {}

    def save(self) -> None:
        self._items = list(self._rows.scan()["Items"])
        self._tags = tags(self.bucket)
        self._objects = {key: self._body(key) for key in self._tags}

    def restore(self) -> None:
        there, saved = self._rows.scan()["Items"], self._items
        with self._rows.batch_writer() as batch:
            for item in saved:
                if item not in there:
                    batch.put_item(Item=item)
            for written in {_key(item) for item in there} - {_key(item) for item in saved}:
                batch.delete_item(Key=dict(written))
        for key, tag in tags(self.bucket).items():
            if key not in self._objects:
                self.bucket.delete_object(Bucket="artifacts", Key=key)
            elif tag != self._tags[key]:
                self.bucket.put_object(Bucket="artifacts", Key=key, Body=self._objects[key])

    def _body(self, key: str) -> bytes:
        return self.bucket.get_object(Bucket="artifacts", Key=key)["Body"].read()


def _key(item: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return ("pk", item["pk"]), ("sk", item["sk"])


class SeenShelf(S3Shelf):
    """The shelf on S3, and what its readers could notice."""

    def noticed(self) -> list[str]:
        return list(tags(self._client, f"{PUBLISHED}/"))


def tags(bucket: S3Client, prefix: str = "") -> dict[str, str]:
    """The keys under the prefix, in order, each with what tells its content from another."""
    found = bucket.list_objects_v2(Bucket="artifacts", Prefix=prefix).get("Contents", [])
    return {each["Key"]: each["ETag"] for each in found}
