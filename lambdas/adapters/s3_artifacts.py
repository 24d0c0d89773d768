"""Artifacts in S3: created once, under a name that holds the hash of their bytes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.agent.errors import Unexpected

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Artifacts:
    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, task_id: str, kind: str, body: bytes) -> str:
        ref = f"tasks/{task_id}/{kind}/{hashlib.sha256(body).hexdigest()}"
        with translated("S3", f"storing a {kind}"):
            create(self._client, self._bucket, ref, body, "application/octet-stream")
        return ref

    def get(self, ref: str) -> bytes:
        with translated("S3", f"reading {ref}"):
            body = self._client.get_object(Bucket=self._bucket, Key=ref)["Body"].read()
        if hashlib.sha256(body).hexdigest() != ref.rpartition("/")[2]:
            raise Unexpected(
                f"The artifact {ref} is not what was written: it was changed by hand, "
                "start a new run",
                code="ARTIFACT_CHANGED",
                dependency="S3",
            )
        return body


def create(client: S3Client, bucket: str, key: str, body: bytes, content_type: str) -> None:
    """Write the object if there is none; what stands there already stays."""
    try:
        client.put_object(
            Bucket=bucket, Key=key, Body=body, ContentType=content_type, IfNoneMatch="*"
        )
    except ClientError as error:
        if code_of(error) != "PreconditionFailed":
            raise
