"""A deployment that names a model at Bedrock: it may invoke that one, and nothing else there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

from app import deployment_of
from lambdas.adapters.aws_faults import single_attempt
from lambdas.agent.contract import Step, budget
from stacks import bedrock
from tests.infrastructure.assemblies import CONTEXT, SHIPPED, Assembly, synthesize
from tests.infrastructure.templates import (
    Permission,
    Template,
    functions,
    permissions,
    readable,
    settings_of,
)

PROFILE = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
MODEL = "anthropic.claude-haiku-4-5-20251001-v1:0"
INVOKE = "bedrock:InvokeModel"
ARN = "arn:aws:bedrock:eu-west-1:123456789012"
HERE = "arn:${AWS::Partition}:bedrock:${AWS::Region}"
OURS = f"{HERE}:${{AWS::AccountId}}:inference-profile/{PROFILE}"


IN_THE_SANDBOX = {
    "bootstrap": "any",
    "site": "",
    "sources_at_once": 4,
    "approval_window_seconds": 60,
}


@pytest.fixture(scope="module")
def with_bedrock(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return synthesize(tmp_path_factory.mktemp("bedrock"), {"bedrock_model": PROFILE})


@pytest.mark.promise("R34")
def test_who_asks_may_invoke_the_profile_and_the_model_behind_it_and_nothing_else_is_granted(
    with_bedrock: Assembly, template: Template
) -> None:
    more = set(permissions(with_bedrock.template)) - set(permissions(template))

    anywhere = f"arn:${{AWS::Partition}}:bedrock:*::foundation-model/{MODEL}"
    assert more == {
        Permission(holder=step.handler, action=action, resource=resource)
        for step in (Step.ANALYZE, Step.REPORT)
        for action, resource in (
            ("dynamodb:GetItem", "${StorageLedger.Arn}"),
            ("dynamodb:PutItem", "${StorageLedger.Arn}"),
            (INVOKE, OURS),
            (INVOKE, anywhere),
        )
    }


def test_what_is_deployed_as_it_stands_asks_bedrock_and_the_sandbox_asks_nobody(
    tmp_path: Path,
) -> None:
    told = tmp_path / "context.json"
    told.write_text(json.dumps(IN_THE_SANDBOX))

    shipped = deployment_of(App(context=SHIPPED)).bedrock_model
    assert shipped.startswith("global.")  # in whatever region it is deployed to
    assert bedrock.is_profile(shipped)
    sandbox = App(context={**SHIPPED, "sandbox": str(told)})
    assert deployment_of(sandbox).bedrock_model == ""


@pytest.mark.promise("R34")
def test_the_whole_pack_passes_with_bedrock_too(with_bedrock: Assembly) -> None:
    (report,) = with_bedrock.read("validation-report.json")["pluginReports"]

    assert (report["conclusion"], report["violations"]) == ("success", [])


def test_functions_are_told_the_model(with_bedrock: Assembly, either: Template) -> None:
    for properties in functions(with_bedrock.template).values():
        assert settings_of(properties).bedrock_model == PROFILE
    for properties in functions(either).values():
        settings = settings_of(properties)
        assert (settings.bedrock_model, settings.model_api) == ("", "responses")


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("name", "resources"),
    [
        ("amazon.nova-lite-v1:0", [f"{HERE}::foundation-model/amazon.nova-lite-v1:0"]),
        ("zai.glm-4.7", [f"{HERE}::foundation-model/zai.glm-4.7"]),
        (PROFILE, [OURS, f"arn:${{AWS::Partition}}:bedrock:*::foundation-model/{MODEL}"]),
        (
            f"{ARN}:inference-profile/global.amazon.nova-2-lite-v1:0",
            [
                f"{ARN}:inference-profile/global.amazon.nova-2-lite-v1:0",
                "arn:${AWS::Partition}:bedrock:*::foundation-model/amazon.nova-2-lite-v1:0",
            ],
        ),
        (
            f"{ARN}:application-inference-profile/abc123",
            [
                f"{ARN}:application-inference-profile/abc123",
                "arn:${AWS::Partition}:bedrock:*::foundation-model/*",
            ],
        ),
        (
            f"{ARN}:provisioned-model/abc123",
            [f"{ARN}:provisioned-model/abc123"],
        ),
    ],
)
def test_a_name_stands_for_these_resources(name: str, resources: list[str]) -> None:
    stack = Stack(App(), "Any")
    told = [each.to_statement_json() for each in bedrock.statements(stack, name)]

    assert [readable(stack.resolve(each["Resource"])) for each in told] == resources
    assert {each["Action"] for each in told} == {INVOKE}
    for each in told[1:]:
        by_way_of = each["Condition"]["StringEquals"]["bedrock:InferenceProfileArn"]
        assert readable(stack.resolve(by_way_of)) == resources[0]


@pytest.mark.parametrize(
    "name",
    ["*", "claude", "arn:aws:s3:::bucket", "amazon.nova-*", "arn:aws:bedrock:*:1:x/y", "a b"],
)
def test_what_names_no_single_model_is_refused(name: str) -> None:
    app = App(context={**CONTEXT, "bedrock_model": name})

    with pytest.raises(ValueError, match=r"bedrock_model is .* write a model's id"):
        deployment_of(app)


def test_the_way_a_model_is_asked_is_one_of_two() -> None:
    assert deployment_of(App(context={**CONTEXT, "model_api": "chat"})).model_api == "chat"
    with pytest.raises(ValueError, match="write one of responses, chat"):
        deployment_of(App(context={**CONTEXT, "model_api": "completions"}))


@pytest.mark.promise("R17", "R18")
def test_the_worst_case_of_a_call_ends_before_the_function(template: Template) -> None:
    """Case E06."""
    limits = budget(Step.ANALYZE)
    config: Any = single_attempt(limits.call)
    worst = (config.connect_timeout + config.read_timeout) * config.retries["total_max_attempts"]

    assert worst + limits.margin < functions(template)[Step.ANALYZE.handler]["Timeout"]
