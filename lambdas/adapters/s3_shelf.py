"""Published reports in S3, and the pointer to an agent's latest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.adapters.s3_artifacts import create
from lambdas.agent.errors import ServiceUnavailable
from lambdas.agent.identity import canonical
from lambdas.agent.intents import Ability

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PUBLISHED = "published"
CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json; charset=utf-8",
}
TRIES = 5
ORDER = "order"
"""The field of a pointer by which it moves forward."""


class S3Shelf:
    ability = Ability.TOKEN

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def address(self, folder: str) -> str:
        return f"s3://{self._bucket}/{PUBLISHED}/{folder}/"

    def place(self, folder: str, files: Mapping[str, bytes]) -> None:
        with translated("S3", f"publishing into {folder}"):
            for name, body in files.items():
                content_type = CONTENT_TYPES[name.rpartition(".")[2]]
                key = f"{PUBLISHED}/{folder}/{name}"
                create(self._client, self._bucket, key, body, content_type)

    def point(self, name: str, to: Mapping[str, Any], *, order: str) -> bool:
        """Compare and swap on the pointer's ETag. Orders are compared as strings."""
        key = _key(name)
        for _ in range(TRIES):
            told, etag = self._pointer(key)
            stands = str(told.get(ORDER, ""))
            if stands >= order:
                return stands == order
            if self._swap(key, {**to, ORDER: order}, etag):
                return True
        raise ServiceUnavailable(f"{key} is written by others at every try", dependency="S3")

    def pointed(self, name: str) -> Mapping[str, Any] | None:
        told, _ = self._pointer(_key(name))
        return {field: value for field, value in told.items() if field != ORDER} or None

    def _pointer(self, key: str) -> tuple[Mapping[str, Any], str]:
        """What stands there, and its ETag; both empty where there is nothing."""
        with translated("S3", f"reading {key}"):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=key)
            except ClientError as error:
                if code_of(error) != "NoSuchKey":
                    raise
                return {}, ""
        return json.loads(answer["Body"].read()), answer["ETag"]

    def _swap(self, key: str, to: Mapping[str, Any], etag: str) -> bool:
        condition: dict[str, Any] = {"IfMatch": etag} if etag else {"IfNoneMatch": "*"}
        with translated("S3", f"writing {key}"):
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=key,
                    Body=canonical(to),
                    ContentType=CONTENT_TYPES["json"],
                    **condition,
                )
            except ClientError as error:
                if code_of(error) not in {"PreconditionFailed", "ConditionalRequestConflict"}:
                    raise
                return False
        return True


def _key(name: str) -> str:
    return f"{PUBLISHED}/{name}/latest.json"
