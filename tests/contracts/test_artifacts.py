"""One contract for artifacts in memory and in S3."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from moto import mock_aws

from lambdas.adapters.s3_artifacts import S3Artifacts
from lambdas.agent.errors import Unexpected
from lambdas.agent.ports import Artifacts
from tests.contracts.table import a_bucket
from tests.fakes.artifacts import MemoryArtifacts


@pytest.fixture(params=["memory", "s3"])
def artifacts(request: pytest.FixtureRequest) -> Iterator[Artifacts]:
    if request.param == "memory":
        yield MemoryArtifacts()
        return
    with mock_aws():
        yield S3Artifacts(a_bucket(), "artifacts")


@pytest.mark.promise("R4")
def test_the_same_bytes_have_the_same_name_and_come_back(artifacts: Artifacts) -> None:
    body = "größer\n".encode() * 1000

    first, again = artifacts.put("task", "text", body), artifacts.put("task", "text", body)

    assert first == again == f"tasks/task/text/{hashlib.sha256(body).hexdigest()}"
    assert artifacts.get(first) == body


def test_other_bytes_and_other_kinds_have_other_names(artifacts: Artifacts) -> None:
    refs = {
        artifacts.put(task, kind, body)
        for task in ("t1", "t2")
        for kind in ("page", "text")
        for body in (b"", b"a")
    }

    assert len(refs) == 8


def test_an_artifact_that_was_never_written_is_no_empty_one(artifacts: Artifacts) -> None:
    with pytest.raises(Unexpected):
        artifacts.get("tasks/t/text/" + "0" * 64)


def test_bytes_that_were_changed_behind_our_back_are_not_believed() -> None:
    with mock_aws():
        bucket = a_bucket()
        artifacts = S3Artifacts(bucket, "artifacts")
        ref = artifacts.put("task", "text", b"true")
        bucket.put_object(Bucket="artifacts", Key=ref, Body=b"false")

        with pytest.raises(Unexpected) as refused:
            artifacts.get(ref)
    assert refused.value.code == "ARTIFACT_CHANGED"


def test_what_stands_already_is_not_written_over() -> None:
    with mock_aws():
        bucket = a_bucket()
        bucket.put_bucket_versioning(
            Bucket="artifacts", VersioningConfiguration={"Status": "Enabled"}
        )
        artifacts = S3Artifacts(bucket, "artifacts")
        ref = artifacts.put("task", "text", b"once")
        artifacts.put("task", "text", b"once")

        versions = bucket.list_object_versions(Bucket="artifacts", Prefix=ref)["Versions"]
    assert len(versions) == 1
