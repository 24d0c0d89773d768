"""Objects of buckets as addresses of sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.canonical_url import canonical_url
from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import check_url
from lambdas.agent.s3_uri import S3Uri, is_s3, parsed
from lambdas.agent.sources import fault_of


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("s3://any-bucket/report.pdf", "report.pdf"),
        ("S3://any-bucket/a/b c/%20?x=1#top", "a/b c/%20?x=1#top"),
        ("s3://any-bucket//a", "/a"),
        ("s3://any-bucket/\u00fcber/../x", "\u00fcber/../x"),
    ],
)
def test_a_key_is_taken_letter_by_letter(url: str, key: str) -> None:
    assert parsed(url) == S3Uri(bucket="any-bucket", key=key)
    assert fault_of(url) == ""
    assert canonical_url(url) == url


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("s3://any-bucket", "names a folder and no object"),
        ("s3://any-bucket/", "names a folder and no object"),
        ("s3://any-bucket/reports/", "names a folder and no object"),
        ("s3:///report.pdf", "no possible bucket"),
        ("s3://Any_Bucket/report.pdf", "no possible bucket"),
        ("s3://ann:secret@any-bucket/report.pdf", "no possible bucket"),
        ("s3://any..bucket/report.pdf", "no possible bucket"),
        ("s3://ab/report.pdf", "no possible bucket"),
        ("s3://any-bucket/a\nb", "nobody can see"),
        ("s3://any-bucket/\ud800", "nobody can see"),
        ("s3://any-bucket/" + "\u00fc" * 513, "more than 1,024 bytes"),
    ],
)
def test_a_uri_says_what_is_wrong_with_it(url: str, fault: str) -> None:
    assert fault in fault_of(url)
    assert "write s3://bucket/key" in fault_of(url)


@pytest.mark.parametrize("url", ["s3a://any-bucket/a", "s3:/any-bucket/a", "arn:aws:s3:::b/a"])
def test_nothing_else_is_a_uri_of_s3(url: str) -> None:
    assert not is_s3(url)
    assert "does not begin with http:// or https://" in fault_of(url)


def test_the_guard_of_the_web_lets_none_through() -> None:
    with pytest.raises(SourceRefused) as refused:
        check_url("s3://any-bucket/report.pdf")
    assert refused.value.code == "UNSUPPORTED_SCHEME"


@given(st.text(max_size=40).map("s3://".__add__))
def test_any_text_gets_a_verdict(url: str) -> None:
    assert isinstance(fault_of(url), str)
