"""Objects of the one bucket that the deployment names, read as pages are read from the web."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from lambdas.adapters.aws_faults import PASSING, code_of
from lambdas.adapters.http_body import body_of
from lambdas.adapters.http_encodings import offered
from lambdas.adapters.http_framing import BrokenOff, Response
from lambdas.adapters.http_head import Head
from lambdas.adapters.http_wire import Deadline
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError
from lambdas.agent.pages import Page, Unchanged, Validators
from lambdas.agent.s3_uri import S3Uri, parsed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MOST_BYTES = 10_000_000
PIECE = 262_144
_BUSY = {"SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded"}


class S3Sources:
    """A `Fetcher` for s3:// alone. `bucket` is the one that may be read; empty: none."""

    def __init__(
        self,
        client: S3Client,
        bucket: str,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._most_bytes = most_bytes
        self._clock = clock

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        deadline = Deadline(seconds, self._clock)
        uri = parsed(url)
        if uri.bucket != self._bucket:
            raise _not_ours(uri.bucket, self._bucket)
        try:
            deadline.left()
            answer: Mapping[str, Any] = self._client.get_object(
                Bucket=uri.bucket, Key=uri.key, **_condition(known or Validators())
            )
            return self._page(url, uri, answer, deadline)
        except ClientError as error:
            if known and _status(error) == 304:
                return Unchanged(url=url, validators=known)
            raise _fault(uri.bucket, error) from None
        except BotoCoreError:
            raise _unavailable(uri.bucket, "CONNECT_FAILED", "could not be reached") from None
        except TimeoutError:
            late = f"did not send its whole object within {seconds:g} s"
            raise _unavailable(uri.bucket, "DEADLINE", late) from None

    def _page(self, url: str, uri: S3Uri, answer: Mapping[str, Any], deadline: Deadline) -> Page:
        response = Response(
            head=Head(status=200, fields=(("content-encoding", _encoding(answer)),)),
            length=answer["ContentLength"],
            pieces=_pieces(answer["Body"], deadline),
        )
        with answer["Body"]:  # what is not read to its end must not wait in the client's pool
            body = body_of(response, uri.bucket, most=self._most_bytes, offered=offered())
        return Page(
            url=url,
            status=200,
            content_type=answer.get("ContentType", ""),
            body=body,
            validators=Validators(
                etag=answer.get("ETag", ""),
                last_modified=format_datetime(answer["LastModified"].astimezone(UTC), usegmt=True),
                url=url,
            ),
        )


def _condition(known: Validators) -> dict[str, Any]:
    """As RFC 9110 has it: the date counts only where there is no ETag."""
    if known.etag:
        return {"IfNoneMatch": known.etag}
    try:
        date = parsedate_to_datetime(known.last_modified)
    except ValueError:
        return {}
    return {"IfModifiedSince": date}


def _encoding(answer: Mapping[str, Any]) -> str:
    """How the object lies there; "aws-chunked" is how it was sent there, and stays behind."""
    named = str(answer.get("ContentEncoding", "")).split(",")
    return ",".join(name for name in map(str.strip, named) if name != "aws-chunked")


def _pieces(body: Any, deadline: Deadline) -> Iterator[bytes]:
    try:
        for piece in body.iter_chunks(PIECE):
            yield piece
            deadline.left()
    except (BotoCoreError, HTTPError):
        raise BrokenOff from None


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _not_ours(bucket: str, ours: str) -> SourceRefused:
    reads = f"the bucket {ours} alone" if ours else "no bucket"
    return SourceRefused(
        f"This deployment reads {reads}, and not {bucket}: nothing was asked of it. "
        f"Set `source_bucket` to {bucket} in cdk.json and deploy, or copy the object.",
        code="BUCKET_NOT_READ",
        dependency=bucket,
    )


def _fault(bucket: str, error: ClientError) -> StepError:
    code, status = code_of(error), _status(error)
    if code in _BUSY:
        return _unavailable(bucket, "THROTTLED", f"is busy ({code})", wait_seconds=0)
    if code in PASSING or status >= 500:
        return _unavailable(bucket, code or f"HTTP_{status}", f"answered {code or status}")
    other = _DENIED if status == 403 else ("SOURCE_REFUSED", f"does not give it to us ({code})")
    name, meaning = _MEANINGS.get(code, other)
    return SourceRefused(f"The bucket {bucket} {meaning}.", code=name, dependency=bucket)


def _unavailable(
    bucket: str, code: str, what: str, *, wait_seconds: float | None = None
) -> SourceUnavailable:
    return SourceUnavailable(
        f"The bucket {bucket} {what}. It is asked again; if that does not help, see whether the "
        "object opens in the S3 console.",
        code=code,
        dependency=bucket,
        wait_seconds=wait_seconds,
    )


_MEANINGS = {
    "NoSuchKey": (
        "NO_SUCH_KEY",
        "holds no such object. Mend the key in the source's URI, or remove the source",
    ),
    "NoSuchBucket": (
        "NO_SUCH_BUCKET",
        "is not there. Mend `source_bucket` in cdk.json and deploy, or remove the source",
    ),
    "InvalidObjectState": (
        "ARCHIVED",
        "has archived this object. Restore it in the S3 console, then try the source again",
    ),
}
# S3 says the same of an object that is not there to whoever may not list the bucket.
_DENIED = (
    "ACCESS_DENIED",
    (
        "does not let us read this object, or has none under this key. See that the key is right, "
        "and that the bucket's policy and the policy of its KMS key let the role of the FETCH "
        "function read: `source_bucket` in cdk.json grants s3:GetObject and nothing else"
    ),
)
