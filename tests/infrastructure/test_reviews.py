"""cdk-nag really looks, and every answer we gave it still has its question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import aws_iam as iam

from lambdas.agent.contract import Step
from stacks.research_stack import ResearchStack
from tests.infrastructure.assemblies import Assembly, synthesize

Answer = tuple[str, str]
"""Where a finding was acknowledged, and its id."""


@pytest.mark.promise("R34")
def test_the_whole_pack_passes(aws: Assembly, sandbox: Assembly) -> None:
    for assembly in (aws, sandbox):
        (report,) = _reports(assembly)
        assert report["pluginName"] == "AwsSolutions"
        assert report["conclusion"] == "success"
        assert report["violations"] == []


@pytest.mark.promise("R34")
def test_a_grant_that_nobody_has_reviewed_fails_the_synth(tmp_path: Path) -> None:
    def grant(stack: ResearchStack) -> None:
        anywhere = iam.PolicyStatement(
            actions=["s3:GetObject"], resources=[stack.storage.artifacts.arn_for_objects("*")]
        )
        stack.functions.steps[Step.FETCH].add_to_role_policy(anywhere)

    with pytest.raises(RuntimeError, match="ValidationFailed"):
        synthesize(tmp_path, change=grant)

    (report,) = _reports(Assembly(folder=tmp_path))
    (violation,) = report["violations"]
    (place,) = violation["violatingConstructs"]
    assert violation["ruleName"].startswith("AwsSolutions-IAM5[Resource::")
    assert place["constructPath"].startswith("Ratchet/Functions/FETCH-role/")


def test_every_answer_has_a_question_left(aws: Assembly) -> None:
    """An answer without one would wave through the finding that comes next."""
    assert set(_given(aws)) - set(_needed(aws)) == set()


def test_every_answer_is_a_sentence(aws: Assembly) -> None:
    reasons = set(_given(aws).values())

    assert len(reasons) >= 7
    assert all(len(reason.split()) >= 6 for reason in reasons)


def _reports(assembly: Assembly) -> list[dict[str, Any]]:
    reports: list[dict[str, Any]] = assembly.read("validation-report.json")["pluginReports"]
    return reports


def _needed(assembly: Assembly) -> Iterator[Answer]:
    for report in _reports(assembly):
        for finding in report["suppressedViolations"]:
            yield finding["acknowledgedAt"], finding["acknowledgedId"]


def _given(assembly: Assembly) -> dict[Answer, str]:
    return {
        (path.removeprefix("/"), finding): reason
        for path, entries in assembly.read("Ratchet.metadata.json").items()
        for entry in entries
        if entry["type"] == "aws:cdk:acknowledged-rules"
        for finding, reason in entry["data"].items()
    }
