"""Who is told: the stream's filter, the topic, the endpoints that a deployment names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.adapters.ledger_items import TASK_SORT_KEY
from lambdas.agent.contract import Door, Step
from lambdas.agent.endpoints import Endpoint, read
from lambdas.agent.notices import TOLD_OF
from stacks.endpoints import addresses, webhooks
from tests.infrastructure.assemblies import synthesize
from tests.infrastructure.templates import (
    Template,
    functions,
    one,
    permissions,
    references,
    resources,
    settings_of,
)

CRM = {"name": "crm", "url": "https://crm.example/hooks", "secret": "ratchet/crm"}


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Template:
    told = {"webhooks": [CRM], "mail": ["desk@example.com"]}
    return synthesize(tmp_path_factory.mktemp("telling"), told).template


def _mapping(template: Template) -> dict[str, Any]:
    found: dict[str, Any] = one(template, "AWS::Lambda::EventSourceMapping")["Properties"]
    return found


@pytest.mark.promise("R27")
def test_the_stream_wakes_the_door_for_tasks_that_are_new_or_worth_telling(
    either: Template,
) -> None:
    filters = [
        json.loads(each["Pattern"]) for each in _mapping(either)["FilterCriteria"]["Filters"]
    ]

    key = {"sk": {"S": [TASK_SORT_KEY]}}
    status = {"status": {"S": sorted(TOLD_OF)}}
    assert filters == [
        {"eventName": ["INSERT"], "dynamodb": {"Keys": key}},
        {"eventName": ["MODIFY"], "dynamodb": {"Keys": key, "NewImage": status}},
    ]
    table = one(either, "AWS::DynamoDB::Table")["Properties"]
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}


@pytest.mark.promise("R21")
def test_what_the_door_never_takes_is_kept(either: Template) -> None:
    mapping = _mapping(either)

    (queue,) = references(mapping["DestinationConfig"]["OnFailure"]["Destination"])
    assert queue.startswith("TellingUntold")
    assert either["Resources"][queue]["Properties"]["SqsManagedSseEnabled"] is True
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["StartingPosition"] == "TRIM_HORIZON"


@pytest.mark.promise("R34")
def test_the_door_reads_the_stream_and_no_record(template: Template) -> None:
    held = {
        (each.action, each.resource.rpartition(".")[2])
        for each in permissions(template)
        if each.holder == Door.NOTICE.handler and each.action.startswith("dynamodb:")
    }

    assert {action for action, _ in held} == {
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
    }


def test_only_over_tls_is_anything_published_on_aws(template: Template) -> None:
    (policy,) = resources(template, "AWS::SNS::TopicPolicy").values()
    (denied,) = policy["Properties"]["PolicyDocument"]["Statement"]

    assert denied["Effect"] == "Deny"
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_people_whose_addresses_are_named_are_asked_to_subscribe(telling: Template) -> None:
    subscribed = one(telling, "AWS::SNS::Subscription")["Properties"]

    assert (subscribed["Protocol"], subscribed["Endpoint"]) == ("email", "desk@example.com")


def test_a_deployment_that_names_nobody_tells_nobody(template: Template) -> None:
    assert not resources(template, "AWS::SNS::Subscription")
    assert settings_of(functions(template)[Step.TELL.handler]).webhooks == ""
    assert not [
        each.holder
        for each in permissions(template)
        if each.action == "secretsmanager:GetSecretValue" and each.holder == Step.TELL.handler
    ]


@pytest.mark.promise("R33", "R34")
def test_an_endpoint_is_told_to_the_functions_by_its_secrets_name(telling: Template) -> None:
    told = settings_of(functions(telling)[Step.TELL.handler]).webhooks
    (secret,) = (
        each.resource
        for each in permissions(telling)
        if each.action == "secretsmanager:GetSecretValue" and each.holder == Step.TELL.handler
    )

    knowing = {
        handler for handler, each in functions(telling).items() if settings_of(each).webhooks
    }

    assert knowing == {Door.NOTICE.handler, Step.TELL.handler}
    assert read(told) == (Endpoint(**CRM),)  # type: ignore[arg-type]  # its texts
    assert secret.endswith(":secret:ratchet/crm-??????")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "C R M"}, "webhooks[0].name: write up to 40"),
        ({"url": "http://crm.example/"}, "webhooks[0].url: it must begin with https://"),
        ({"url": "https://10.0.0.7/"}, "webhooks[0].url: write a public address"),
        ({"url": "https://localhost/"}, "webhooks[0].url: write a public address"),
        ({"url": ""}, "webhooks[0].url: write a public address"),
        ({"secret": ""}, "webhooks[0].secret: write the name"),
        ({"secret": "whsec_AAAA"}, "webhooks[0].secret: this is the secret itself"),
        ({"events": ["ReportPublished"]}, "webhooks[0].events: write a list of TaskAccepted"),
        ({"events": "TaskFailed"}, "webhooks[0].events: write a list"),
        ({"agents": [1]}, "webhooks[0].agents: write a list"),
        ({"uri": "any"}, "webhooks[0].uri: there is no such field"),
    ],
)
def test_a_webhook_that_is_wrong_is_refused_with_what_to_do(
    change: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match="have faults") as refused:
        webhooks([{**CRM, **change}])

    assert fault in str(refused.value)
    assert "whsec_AAAA" not in str(refused.value)


def test_every_fault_of_each_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="have faults") as refused:
        webhooks([{**CRM, "url": "ftp://x"}, "none", {**CRM, "secret": ""}])

    told = str(refused.value)
    assert "webhooks[0].url" in told
    assert "webhooks[1] is no object" in told
    assert "webhooks[2].secret" in told
    assert "'crm' names 2" in told


def test_more_than_a_function_can_be_told_is_refused() -> None:
    url = f"https://crm.example/{'x' * 200}"
    many = [{**CRM, "name": f"crm-{n}", "url": url} for n in range(12)]

    with pytest.raises(ValueError, match="more than 2,500 characters"):
        webhooks(many)


def test_plain_http_is_for_the_sandboxs_own_site_alone() -> None:
    (found,) = webhooks(
        [{**CRM, "url": "http://127.0.0.1:8477/hooks/crm"}], loopback_site="127.0.0.1:8477"
    )

    assert found.url.startswith("http://127.0.0.1:8477/")
    with pytest.raises(ValueError, match="have faults"):
        webhooks([{**CRM, "url": "http://127.0.0.1:8478/"}], loopback_site="127.0.0.1:8477")


@pytest.mark.parametrize("told", [["nobody"], ["a@b"], ["a@b.c, d@e.f"], ["a b@c.d"]])
def test_an_address_of_mail_that_is_none_is_refused(told: list[str]) -> None:
    with pytest.raises(ValueError, match="write a list of addresses"):
        addresses(told)


@pytest.mark.parametrize("read_it", [webhooks, addresses])
def test_what_is_no_list_is_refused(read_it: Any) -> None:
    with pytest.raises(TypeError, match="is no list"):
        read_it("desk@example.com")
    assert read_it(None) == ()


def test_the_synth_fails_for_a_wrong_webhook(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"webhooks in cdk\.json have faults"):
        synthesize(tmp_path, {"webhooks": [{**CRM, "url": "http://crm.example/"}]})
