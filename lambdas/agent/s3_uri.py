"""s3://bucket/key: an object of a bucket as a source. Its key is taken letter by letter.

Nothing in it is escaped, and "?" and "#" are characters like others: S3 has them in its keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lambdas.agent.errors import SourceRefused

SCHEME = "s3://"
LONGEST_KEY = 1024
"""Bytes that S3 takes."""

BUCKET = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?=[a-z0-9])){1,61}[a-z0-9]")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Uri:
    bucket: str
    key: str


def is_s3(url: str) -> bool:
    return url[: len(SCHEME)].lower() == SCHEME


def parsed(url: str) -> S3Uri:
    """Bucket and key; SourceRefused with what is wrong with the URI."""
    bucket, _, key = url[len(SCHEME) :].partition("/")
    if not is_s3(url) or not BUCKET.fullmatch(bucket):
        raise _invalid("names no possible bucket")
    if not key or key.endswith("/"):
        raise _invalid("names a folder and no object")
    if _UNSEEN.search(key):
        raise _invalid("holds a character that nobody can see")
    if len(key.encode()) > LONGEST_KEY:
        raise _invalid(f"has a key of more than {LONGEST_KEY:,} bytes")
    return S3Uri(bucket=bucket, key=key)


def _invalid(what: str) -> SourceRefused:
    return SourceRefused(
        f"The source's URI {what}: write s3://bucket/key as the S3 console shows it.",
        code="INVALID_URL",
    )
