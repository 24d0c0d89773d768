"""Objects of a bucket as sources: the same promises as on the web, in S3's own words."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import count
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, IncompleteReadError
from botocore.response import StreamingBody
from botocore.stub import Stubber
from moto import mock_aws

from lambdas.adapters.aws_faults import CLIENT
from lambdas.adapters.s3_sources import S3Sources
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError
from lambdas.agent.pages import Page, Unchanged, Validators
from tests.contracts.table import REGION

BUCKET = "any-reports"
URL = f"s3://{BUCKET}/2025/heat plan.html"
KEY = "2025/heat plan.html"
BODY = b"<html><p>any report"


@pytest.fixture
def client() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("s3", region_name=REGION, config=CLIENT)
        client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        client.put_object(Bucket=BUCKET, Key=KEY, Body=BODY, ContentType="text/html")
        yield client


@pytest.fixture
def sources(client: Any) -> S3Sources:
    return S3Sources(client, BUCKET)


@pytest.fixture
def told() -> Any:
    """A client that answers what it is told to."""
    return boto3.client("s3", region_name=REGION, config=CLIENT)


@pytest.fixture
def aws(told: Any) -> Iterator[Stubber]:
    with Stubber(told) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def page(answer: Page | Unchanged) -> Page:
    assert isinstance(answer, Page)
    return answer


def failure(sources: S3Sources, url: str = URL, seconds: float = 5) -> StepError:
    with pytest.raises(StepError) as caught:
        sources.get(url, seconds=seconds)
    assert str(caught.value).endswith(".")
    assert KEY not in str(caught.value)
    return caught.value


def refused_with(told: Any, aws: Stubber, code: str, status: int) -> StepError:
    aws.add_client_error("get_object", code, http_status_code=status)
    return failure(S3Sources(told, BUCKET))


def test_an_object_is_a_page(sources: S3Sources) -> None:
    found = page(sources.get(URL, seconds=5))

    assert (found.url, found.status, found.content_type, found.body) == (
        URL,
        200,
        "text/html",
        BODY,
    )
    assert found.validators.url == URL
    assert found.validators.etag.startswith('"')
    assert found.validators.last_modified.endswith(" GMT")


def test_a_key_may_hold_what_means_something_in_an_address(client: Any) -> None:
    client.put_object(Bucket=BUCKET, Key="a?b=1#c%20d", Body=b"odd")

    assert (
        page(S3Sources(client, BUCKET).get(f"s3://{BUCKET}/a?b=1#c%20d", seconds=5)).body == b"odd"
    )


@pytest.mark.parametrize("by", ["etag", "date", "both"])
def test_an_object_that_is_as_it_was_is_not_sent_again(sources: S3Sources, by: str) -> None:
    told = page(sources.get(URL, seconds=5)).validators
    known = Validators(
        etag=told.etag if by != "date" else "",
        last_modified=told.last_modified if by != "etag" else "",
        url=URL,
    )

    assert sources.get(URL, seconds=5, known=known) == Unchanged(url=URL, validators=known)


def test_an_object_that_was_changed_is_sent(client: Any, sources: S3Sources) -> None:
    known = page(sources.get(URL, seconds=5)).validators
    client.put_object(Bucket=BUCKET, Key=KEY, Body=b"changed")

    assert page(sources.get(URL, seconds=5, known=known)).body == b"changed"


@pytest.mark.parametrize("date", ["", "yesterday"])
def test_what_is_no_validator_asks_nothing(sources: S3Sources, date: str) -> None:
    known = Validators(last_modified=date)

    assert page(sources.get(URL, seconds=5, known=known)).body == BODY


@pytest.mark.parametrize("encoding", ["gzip", "aws-chunked,gzip"])
def test_an_object_that_lies_packed_is_unpacked(client: Any, encoding: str) -> None:
    client.put_object(
        Bucket=BUCKET, Key="packed", Body=gzip.compress(BODY, mtime=0), ContentEncoding=encoding
    )

    assert page(S3Sources(client, BUCKET).get(f"s3://{BUCKET}/packed", seconds=5)).body == BODY


@pytest.mark.parametrize("ours", ["", "another-bucket"])
@pytest.mark.usefixtures("aws")
def test_only_the_bucket_that_the_deployment_names_is_asked(told: Any, ours: str) -> None:
    error = failure(S3Sources(told, ours))

    assert isinstance(error, SourceRefused)
    assert error.code == "BUCKET_NOT_READ"
    assert f"Set `source_bucket` to {BUCKET} in cdk.json" in str(error)


def test_what_is_no_object_is_refused(sources: S3Sources) -> None:
    assert failure(sources, f"s3://{BUCKET}/folder/").code == "INVALID_URL"


def test_an_object_that_is_not_there_is_refused(sources: S3Sources) -> None:
    error = failure(sources, f"s3://{BUCKET}/nothing")

    assert isinstance(error, SourceRefused)
    assert (error.code, error.dependency) == ("NO_SUCH_KEY", BUCKET)


def test_a_bucket_that_is_not_there_is_refused(client: Any) -> None:
    error = failure(S3Sources(client, "no-such-bucket"), "s3://no-such-bucket/a")

    assert error.code == "NO_SUCH_BUCKET"
    assert "Mend `source_bucket`" in str(error)


@pytest.mark.parametrize(
    ("code", "status", "name", "says"),
    [
        ("AccessDenied", 403, "ACCESS_DENIED", "the role of the FETCH function"),
        ("KMS.DisabledException", 403, "ACCESS_DENIED", "its KMS key"),
        ("InvalidObjectState", 403, "ARCHIVED", "Restore it in the S3 console"),
        ("MethodNotAllowed", 405, "SOURCE_REFUSED", "(MethodNotAllowed)"),
    ],
)
def test_a_refusal_says_which_setting_would_mend_it(
    told: Any, aws: Stubber, code: str, status: int, name: str, says: str
) -> None:
    error = refused_with(told, aws, code, status)

    assert isinstance(error, SourceRefused)
    assert error.code == name
    assert says in str(error)


@pytest.mark.promise("R22")
@pytest.mark.parametrize(
    ("code", "status", "name", "wait"),
    [
        ("SlowDown", 503, "THROTTLED", 0),
        ("RequestLimitExceeded", 400, "THROTTLED", 0),
        ("InternalError", 500, "InternalError", None),
        ("RequestTimeout", 400, "RequestTimeout", None),
        ("502", 502, "502", None),
    ],
)
def test_what_may_pass_is_asked_again(
    told: Any, aws: Stubber, code: str, status: int, name: str, wait: float | None
) -> None:
    error = refused_with(told, aws, code, status)

    assert isinstance(error, SourceUnavailable)
    assert (error.code, error.wait_seconds) == (name, wait)


def test_an_object_that_is_too_large_is_refused_before_it_is_read(client: Any) -> None:
    client.put_object(Bucket=BUCKET, Key="large", Body=b"x" * 1001)
    error = failure(S3Sources(client, BUCKET, most_bytes=1000), f"s3://{BUCKET}/large")

    assert isinstance(error, SourceRefused)
    assert error.code == "TOO_LARGE"
    assert page(S3Sources(client, BUCKET, most_bytes=1001).get(f"s3://{BUCKET}/large", seconds=5))


def test_the_body_of_an_object_that_is_too_large_is_not_touched(told: Any, aws: Stubber) -> None:
    class Untouchable(BytesIO):
        def read(self, *_: Any) -> bytes:
            raise AssertionError("it was read")

    aws.add_response("get_object", _answer(StreamingBody(Untouchable(), 1001), 1001))

    assert failure(S3Sources(told, BUCKET, most_bytes=1000)).code == "TOO_LARGE"


def test_an_object_that_grows_when_unpacked_is_refused(client: Any) -> None:
    bomb = gzip.compress(b"\0" * 5_000_000, mtime=0)
    client.put_object(Bucket=BUCKET, Key="bomb", Body=bomb, ContentEncoding="gzip")

    assert failure(S3Sources(client, BUCKET), f"s3://{BUCKET}/bomb").code == "TOO_LARGE"


@pytest.mark.promise("R18")
def test_an_object_that_comes_too_slowly_ends_with_the_deadline(client: Any) -> None:
    clock = count(start=0, step=2)
    error = failure(S3Sources(client, BUCKET, clock=lambda: float(next(clock))), seconds=3)

    assert isinstance(error, SourceUnavailable)
    assert error.code == "DEADLINE"


def test_an_object_that_breaks_off_is_asked_for_again(told: Any, aws: Stubber) -> None:
    class Broken(BytesIO):
        def read(self, *_: Any) -> bytes:
            raise IncompleteReadError(actual_bytes=1, expected_bytes=9)

    aws.add_response("get_object", _answer(StreamingBody(Broken(), 9), 9))
    error = failure(S3Sources(told, BUCKET))

    assert isinstance(error, SourceUnavailable)
    assert error.code == "TRUNCATED"


def test_a_bucket_that_cannot_be_reached_is_asked_again() -> None:
    class Unreachable:
        def get_object(self, **_: Any) -> Any:
            raise EndpointConnectionError(endpoint_url="https://any.example")

    error = failure(S3Sources(Unreachable(), BUCKET))  # type: ignore[arg-type]  # a stand-in

    assert isinstance(error, SourceUnavailable)
    assert error.code == "CONNECT_FAILED"


def _answer(body: StreamingBody, length: int) -> dict[str, Any]:
    return {
        "Body": body,
        "ContentLength": length,
        "LastModified": datetime(2025, 1, 1, tzinfo=UTC),
        "ETag": '"any"',
    }
