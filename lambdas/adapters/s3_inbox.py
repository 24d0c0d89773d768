"""Where requests are left that no execution's input has room for, under a name of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from lambdas.adapters.aws_faults import code_of, translated
from lambdas.agent.identity import canonical

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

TYPED_LIMIT = 3000
"""Bytes of a request up to which it is an execution's input; a state takes in 4 KiB."""


class S3Inbox:
    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def told(self, typed: Mapping[str, Any]) -> Mapping[str, Any]:
        body = canonical(typed)
        if len(body) <= TYPED_LIMIT:
            return typed
        name = f"requests/{hashlib.sha256(body).hexdigest()}"
        with translated("S3", "leaving a request"):
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=name,
                    Body=body,
                    ContentType="application/json",
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if code_of(error) != "PreconditionFailed":
                    raise
        return {"request_ref": name}
