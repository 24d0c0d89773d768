"""Signed addresses of objects: what they say, and what they are good for."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from lambdas.adapters.s3_links import SIGNING, S3Links

KEY = "tasks/a/report/0123"


def signed(**more: Any) -> tuple[str, str, dict[str, list[str]]]:
    client = boto3.client("s3", region_name="eu-west-1", config=SIGNING, **more)
    link = S3Links(client, "artifacts").signed(KEY, content_type="text/html", seconds=300)
    parts = urlsplit(link)
    return parts.netloc, parts.path, parse_qs(parts.query)


def test_a_link_leads_to_the_buckets_own_region_where_its_signature_holds() -> None:
    host, path, query = signed()

    assert (host, path) == ("artifacts.s3.eu-west-1.amazonaws.com", f"/{KEY}")
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]


def test_on_a_machines_own_address_the_bucket_stands_in_the_path() -> None:
    host, path, _ = signed(endpoint_url="http://127.0.0.1:4566")

    assert (host, path) == ("127.0.0.1:4566", f"/artifacts/{KEY}")


@pytest.mark.promise("R34")
def test_it_ends_and_says_what_the_object_is() -> None:
    _, _, query = signed()

    assert query["X-Amz-Expires"] == ["300"]
    assert query["response-content-type"] == ["text/html"]
