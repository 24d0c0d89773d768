"""A deployment that names a model and an OCR service: who may reach them, and how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aws_cdk import App

from app import deployment_of
from lambdas.adapters.dynamodb_memos import ANSWERS
from lambdas.agent.contract import Step
from tests.infrastructure.assemblies import CONTEXT, Assembly, synthesize
from tests.infrastructure.templates import (
    Permission,
    Template,
    functions,
    permissions,
    resources,
    settings_of,
)

MODEL = {
    "model_url": "https://model.example/api",
    "model_name": "small-1",
    "model_secret": "ratchet/model",
}
SECRET = (
    "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:"
    "ratchet/model-??????"
)
LEDGER = "${StorageLedger.Arn}"


@pytest.fixture(scope="module")
def with_jobs(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return synthesize(tmp_path_factory.mktemp("jobs"), {**MODEL, "ocr": "true"})


@pytest.mark.promise("R34")
def test_what_jobs_need_is_granted_to_the_steps_that_have_them_and_nothing_else_is(
    with_jobs: Assembly, template: Template
) -> None:
    more = set(permissions(with_jobs.template)) - set(permissions(template))

    extract, asking = Step.EXTRACT.handler, (Step.ANALYZE.handler, Step.REPORT.handler)
    scans = ("textract:GetDocumentTextDetection", "textract:StartDocumentTextDetection")
    assert more == {
        *(Permission(holder=each, action="dynamodb:GetItem", resource=LEDGER) for each in asking),
        *(Permission(holder=each, action="dynamodb:PutItem", resource=LEDGER) for each in asking),
        *(
            Permission(holder=each, action="secretsmanager:GetSecretValue", resource=SECRET)
            for each in asking
        ),
        Permission(holder=extract, action="dynamodb:PutItem", resource=LEDGER),
        *(Permission(holder=extract, action=action, resource="*") for action in scans),
    }


@pytest.mark.promise("R34")
@pytest.mark.parametrize("step", [Step.ANALYZE, Step.REPORT])
def test_of_the_ledger_who_asks_a_model_gets_what_was_answered_and_nothing_else(
    with_jobs: Assembly, step: Step
) -> None:
    (policy,) = (
        each["Properties"]["PolicyDocument"]["Statement"]
        for name, each in resources(with_jobs.template, "AWS::IAM::Policy").items()
        if name.startswith(f"Functions{step}role")
    )
    bound = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"{ANSWERS}*"]}}

    reading = [each["Condition"] for each in policy if "dynamodb:GetItem" in each["Action"]]
    assert reading == [bound]


@pytest.mark.promise("R34")
def test_the_whole_pack_passes_with_jobs_too(with_jobs: Assembly) -> None:
    (report,) = with_jobs.read("validation-report.json")["pluginReports"]

    assert (report["conclusion"], report["violations"]) == ("success", [])


@pytest.mark.promise("R33")
def test_functions_are_told_the_secrets_name_and_where_the_model_is(with_jobs: Assembly) -> None:
    for properties in functions(with_jobs.template).values():
        settings = settings_of(properties)
        assert (settings.model_url, settings.model_name) == ("https://model.example/api", "small-1")
        assert (settings.model_secret, settings.ocr) == ("ratchet/model", True)


def test_a_deployment_that_names_neither_has_neither(either: Template) -> None:
    for properties in functions(either).values():
        settings = settings_of(properties)
        assert (settings.model_url, settings.model_secret, settings.ocr) == ("", "", False)


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    "url",
    [
        "http://model.example",
        "http://127.0.0.1:8000",
        "ftp://model.example",
        "model.example",
        "https:///v1",
    ],
)
def test_the_model_of_a_deployment_to_aws_is_reached_over_https_alone(url: str) -> None:
    app = App(context={**CONTEXT, **MODEL, "model_url": url})

    with pytest.raises(ValueError, match="it must begin with https"):
        deployment_of(app)


def test_a_deployment_says_what_its_models_cost() -> None:
    told = App(context={**CONTEXT, **MODEL, "model_price": "0.80/4", "bedrock_price": "0.06/0.24"})

    deployment = deployment_of(told)
    assert (deployment.model_price, deployment.bedrock_price) == ("0.80/4", "0.06/0.24")
    assert deployment_of(App(context=CONTEXT)).model_price == ""


@pytest.mark.parametrize("price", ["4", "1/2/3", "-1/2", "a/b", "0.8 / 4", "1e3/2"])
def test_a_price_that_nobody_can_read_is_refused(price: str) -> None:
    app = App(context={**CONTEXT, "bedrock_price": price})

    with pytest.raises(ValueError, match=r"bedrock_price is .*: write \"INPUT/OUTPUT\""):
        deployment_of(app)


def test_a_model_has_a_name() -> None:
    app = App(context={**CONTEXT, **MODEL, "model_name": ""})

    with pytest.raises(ValueError, match="without a `model_name`"):
        deployment_of(app)


@pytest.mark.parametrize(
    ("url", "is_taken"), [("http://127.0.0.1:8000", True), ("http://10.0.0.1:8000", False)]
)
def test_the_sandboxs_model_is_on_this_machine(tmp_path: Path, url: str, is_taken: bool) -> None:
    told = {
        "site": "127.0.0.1:8099",
        "bootstrap": "any",
        "sources_at_once": 4,
        "approval_window_seconds": 3600,
        **MODEL,
        "model_url": url,
    }
    file = tmp_path / "context.json"
    file.write_text(json.dumps(told))
    app = App(context={**CONTEXT, "sandbox": str(file), **MODEL})

    if is_taken:
        assert deployment_of(app).model_url == url
    else:
        with pytest.raises(ValueError, match="it must begin with https"):
            deployment_of(app)
