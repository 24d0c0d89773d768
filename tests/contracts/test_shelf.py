"""One contract for the shelf in memory and in S3."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from moto import mock_aws

from lambdas.adapters.s3_shelf import S3Shelf
from lambdas.agent.ports import Shelf
from tests.contracts.table import a_bucket
from tests.fakes.outside import FakeShelf

FILES = {"report.html": "<p>größer</p>".encode(), "report.md": b"# R\n", "report.json": b"{}"}


@pytest.fixture(params=["memory", "s3"])
def shelf(request: pytest.FixtureRequest) -> Iterator[Shelf]:
    if request.param == "memory":
        yield FakeShelf()
        return
    with mock_aws():
        yield S3Shelf(a_bucket(), "artifacts")


def test_files_are_placed_at_an_address_and_again_at_the_same(shelf: Shelf) -> None:
    before = shelf.address("agent/task/1")
    shelf.place("agent/task/1", FILES)
    shelf.place("agent/task/1", FILES)
    assert shelf.address("agent/task/1") == before
    assert shelf.address("agent/task/2") != before


@pytest.mark.promise("R15")
@pytest.mark.parametrize(
    ("orders", "moved"),
    [
        (["2026-01-01"], [True]),
        (["2026-01-01", "2026-01-02"], [True, True]),
        (["2026-01-02", "2026-01-01"], [True, False]),
        (["2026-01-02", "2026-01-02"], [True, True]),
    ],
)
def test_the_pointer_moves_only_forward(shelf: Shelf, orders: list[str], moved: list[bool]) -> None:
    assert [shelf.point("agent", {"to": order}, order=order) for order in orders] == moved


def test_a_stale_run_leaves_both_reports_and_the_newer_pointer() -> None:
    with mock_aws():
        bucket = a_bucket()
        shelf = S3Shelf(bucket, "artifacts")
        for version in ("2", "1"):
            shelf.place(f"agent/v{version}", FILES)
            place = shelf.address(f"agent/v{version}")
            shelf.point("agent", {"result_uri": place}, order=version)

        keys = [each["Key"] for each in bucket.list_objects_v2(Bucket="artifacts")["Contents"]]
        found = bucket.get_object(Bucket="artifacts", Key="published/agent/latest.json")
        latest = json.loads(found["Body"].read())
    assert latest["result_uri"].endswith("/v2/")
    assert sum(key.endswith("report.html") for key in keys) == 2


def test_readers_are_told_the_character_set() -> None:
    with mock_aws():
        bucket = a_bucket()
        S3Shelf(bucket, "artifacts").place("agent/v1", FILES)

        types = {
            name: bucket.head_object(Bucket="artifacts", Key=f"published/agent/v1/{name}")[
                "ContentType"
            ]
            for name in FILES
        }
    assert types == {
        "report.html": "text/html; charset=utf-8",
        "report.md": "text/markdown; charset=utf-8",
        "report.json": "application/json; charset=utf-8",
    }


def test_a_pointer_tells_what_it_was_last_set_to(shelf: Shelf) -> None:
    assert shelf.pointed("agent") is None
    shelf.point("agent", {"task_id": "second"}, order="2")
    shelf.point("agent", {"task_id": "first"}, order="1")
    shelf.point("agent/others", {"task_id": "third"}, order="3")

    assert shelf.pointed("agent") == {"task_id": "second"}
    assert shelf.pointed("agent/others") == {"task_id": "third"}
