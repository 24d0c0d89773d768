"""Reports: the published files, or the revision that waits, on this machine."""

from __future__ import annotations

import json

import pytest

from console import tasks
from console.errors import Refused
from console.reports import Downloaded, download
from tests.console.bench import Bench, published, until_asked
from tests.fakes.story import Story


def test_downloads_what_was_published_with_the_page_first(bench: Bench) -> None:
    story = published(bench, bench.story())

    found = downloaded(bench, story)

    folder = bench.out / story.state["task_id"]
    assert found.files == tuple(
        folder / name for name in ("report.html", "report.md", "report.json")
    )
    assert found.is_published
    assert json.loads(found.files[2].read_bytes())["task_id"] == story.state["task_id"]


def test_downloads_the_revision_that_waits_and_says_so(bench: Bench) -> None:
    story = until_asked(bench.story())

    found = downloaded(bench, story)

    assert (found.revision, found.is_published) == (1, False)
    assert b"49 euros" in found.files[0].read_bytes()


def test_a_later_revision_replaces_the_one_before(bench: Bench) -> None:
    story = until_asked(bench.story())
    downloaded(bench, story)
    story.report()

    found = downloaded(bench, story)

    assert json.loads(found.files[2].read_bytes())["revision"] == 2
    assert len(list(found.files[0].parent.iterdir())) == 3


def test_says_where_a_run_is_that_has_no_report_yet(bench: Bench) -> None:
    story = bench.story()
    story.plan()

    with pytest.raises(Refused, match="has no report yet, it is at FETCH"):
        downloaded(bench, story)


def test_says_why_a_run_failed_before_it_had_a_report(bench: Bench) -> None:
    story = bench.story()
    story.plan()
    story.record_failure("CoverageTooLow", json.dumps({"errorMessage": "0 of 2 sources"}))

    with pytest.raises(Refused, match="ended FAILED without a report: 0 of 2 sources"):
        downloaded(bench, story)


@pytest.mark.promise("R4")
def test_refuses_an_artifact_that_was_changed_by_hand(bench: Bench) -> None:
    story = until_asked(bench.story())
    ref = story.state["report"]["ref"]
    bench.account.s3.put_object(Bucket="artifacts", Key=ref, Body=b"{}")

    with pytest.raises(Refused, match="is not what was written"):
        downloaded(bench, story)


def test_says_that_a_published_report_is_gone(bench: Bench) -> None:
    story = published(bench, bench.story())
    for found in bench.account.s3.list_objects_v2(Bucket="artifacts")["Contents"]:
        bench.account.s3.delete_object(Bucket="artifacts", Key=found["Key"])

    with pytest.raises(Refused, match="is gone from s3://artifacts/published/"):
        downloaded(bench, story)


def test_writes_no_file_outside_of_the_tasks_folder(bench: Bench) -> None:
    story = published(bench, bench.story())
    record = tasks.known_task(bench.account, story.state["task_id"])
    prefix = record.result_uri.removeprefix("s3://artifacts/")
    for name in ("deep/report.html", "../up.html", ".hidden"):
        bench.account.s3.put_object(Bucket="artifacts", Key=f"{prefix}{name}", Body=b"x")

    downloaded(bench, story)

    assert sorted(path.name for path in bench.out.rglob("*") if path.is_file()) == [
        "report.html",
        "report.json",
        "report.md",
    ]


def downloaded(bench: Bench, story: Story) -> Downloaded:
    record = tasks.known_task(bench.account, story.state["task_id"])
    return download(bench.account, record, bench.out)
