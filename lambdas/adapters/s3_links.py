"""Signed addresses of objects in S3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Without them botocore signs for s3.amazonaws.com, which sends a reader on to the bucket's region,
# where the signature does not hold.
SIGNING = Config(signature_version="s3v4", s3={"addressing_style": "virtual"})


class S3Links:
    """The client must be made with SIGNING."""

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def signed(self, key: str, *, content_type: str, seconds: int) -> str:
        return self._client.generate_presigned_url(
            "get_object",
            Params={"Bucket": self._bucket, "Key": key, "ResponseContentType": content_type},
            ExpiresIn=seconds,
        )
