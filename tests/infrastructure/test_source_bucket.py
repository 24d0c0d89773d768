"""A deployment whose sources may be objects of a bucket: one bucket, one function, one action."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aws_cdk import App

from app import deployment_of
from lambdas.agent.contract import Step
from lambdas.settings import PREFIX
from tests.infrastructure.assemblies import CONTEXT, Assembly, synthesize
from tests.infrastructure.templates import Permission, Template, functions, permissions

BUCKET = "any-reports"


@pytest.fixture(scope="module")
def with_bucket(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return synthesize(tmp_path_factory.mktemp("bucket"), {"source_bucket": BUCKET})


@pytest.mark.promise("R34")
def test_fetch_alone_may_read_the_objects_and_list_nothing(
    with_bucket: Assembly, template: Template
) -> None:
    objects = f"arn:${{AWS::Partition}}:s3:::{BUCKET}/*"

    assert set(permissions(with_bucket.template)) - set(permissions(template)) == {
        Permission(holder=Step.FETCH.handler, action="s3:GetObject", resource=objects)
    }


@pytest.mark.promise("R34")
def test_the_whole_pack_passes_with_a_bucket_too(with_bucket: Assembly) -> None:
    (report,) = with_bucket.read("validation-report.json")["pluginReports"]

    assert (report["conclusion"], report["violations"]) == ("success", [])


def test_functions_are_told_the_buckets_name(with_bucket: Assembly, either: Template) -> None:
    for template, told in ((with_bucket.template, BUCKET), (either, "")):
        for properties in functions(template).values():
            assert properties["Environment"]["Variables"][f"{PREFIX}SOURCE_BUCKET"] == told


@pytest.mark.parametrize("name", ["s3://any-reports", "any-reports/2025", "Any_Reports", "*", "a"])
def test_what_is_no_buckets_name_is_refused_with_what_to_write(name: str) -> None:
    app = App(context={**CONTEXT, "source_bucket": name})

    with pytest.raises(ValueError, match=r"source_bucket is .+: write the name of one bucket"):
        deployment_of(app)


def test_the_sandbox_has_one_where_it_is_told(tmp_path: Path) -> None:
    told = {
        "site": "127.0.0.1:8099",
        "bootstrap": "any",
        "sources_at_once": 4,
        "seconds_between": 0,
        "approval_window_seconds": 3600,
        "source_bucket": BUCKET,
    }
    file = tmp_path / "context.json"
    file.write_text(json.dumps(told))

    app = App(context={**CONTEXT, "sandbox": str(file)})
    assert deployment_of(app).source_bucket == BUCKET
