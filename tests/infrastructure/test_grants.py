"""Who may do what. Every wildcard is on the list below with its reason; one more fails a test."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

import pytest

from lambdas.adapters.dynamodb_visits import FIRSTS, VISITS
from lambdas.agent.contract import Door, Step
from tests.infrastructure.templates import (
    Permission,
    Template,
    functions,
    permissions,
    readable,
    references,
    resources,
)

MACHINE = "MachineResearchRole"
SCHEDULER = "SchedulesRole"
TELLING = "TellingMachineRole"
LEDGER = "${StorageLedger.Arn}"
SEAL = "${StorageSeal.Arn}"
ARTIFACTS = "${StorageArtifacts.Arn}"
PUBLISHED, WORK, REQUESTS = (f"{ARTIFACTS}/{name}/*" for name in ("published", "tasks", "requests"))
PAGES, ROBOTS = f"{WORK}/page/*", f"{WORK}/robots/*"
POINTERS = f"{ARTIFACTS}/published/*/latest.json"
EXECUTIONS = (
    "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:execution:"
    "${MachineResearch.Name}"
)
BOTH = (Step.EXTRACT, Step.ANALYZE, Step.VALIDATE, Step.REPORT)
READ_WORK = (*BOTH, Step.PLAN, Step.APPROVE, Step.PUBLISH)
WRITE_WORK = (*BOTH, Step.PLAN, Step.FETCH)
EVERYBODY = tuple(name.handler for name in (*Step, *Door))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Wildcards that somebody has looked at."""

    why: str
    holders: tuple[str, ...]
    actions: tuple[str, ...]
    resources: tuple[str, ...]

    def permissions(self) -> Iterator[Permission]:
        for holder in self.holders:
            for action in self.actions:
                for resource in self.resources:
                    yield Permission(holder=holder, action=action, resource=resource)


REVIEWED = (
    Reviewed(
        why="X-Ray takes trace segments for no resource but '*'",
        holders=(*EVERYBODY, MACHINE, TELLING),
        actions=("xray:PutTraceSegments", "xray:PutTelemetryRecords"),
        resources=("*",),
    ),
    Reviewed(
        why="Who answers a task token names the token and no resource",
        holders=(Step.APPROVE.handler, Door.DECIDE.handler, Door.APPROVALS.handler),
        actions=("states:SendTaskSuccess",),
        resources=("*",),
    ),
    Reviewed(
        why="X-Ray tells nobody's sampling rules but all of them",
        holders=(MACHINE, TELLING),
        actions=("xray:GetSamplingRules", "xray:GetSamplingTargets"),
        resources=("*",),
    ),
    Reviewed(
        why="Step Functions sets up its log delivery through actions that know no resource",
        holders=(MACHINE, TELLING),
        actions=(
            "logs:CreateLogDelivery",
            "logs:GetLogDelivery",
            "logs:UpdateLogDelivery",
            "logs:DeleteLogDelivery",
            "logs:ListLogDeliveries",
            "logs:PutResourcePolicy",
            "logs:DescribeResourcePolicies",
            "logs:DescribeLogGroups",
        ),
        resources=("*",),
    ),
    Reviewed(
        why="Running executions call the version of a function that they began with",
        holders=(MACHINE,),
        actions=("lambda:InvokeFunction",),
        resources=tuple(
            f"${{Functions{step.replace('_', '')}.Arn}}:*" for step in Step if step != Step.TELL
        ),
    ),
    Reviewed(
        why="Who hears a stream lists streams, which knows no resource",
        holders=(Door.NOTICE.handler,),
        actions=("dynamodb:ListStreams",),
        resources=("*",),
    ),
    Reviewed(
        why="Running executions call the version of a function that they began with",
        holders=(TELLING,),
        actions=("lambda:InvokeFunction",),
        resources=("${FunctionsTELL.Arn}:*",),
    ),
    Reviewed(
        why="The Map reads its manifest and writes its results under names made at run time",
        holders=(MACHINE,),
        actions=(
            "s3:GetObject",
            "s3:PutObject",
            "s3:ListMultipartUploadParts",
            "s3:AbortMultipartUpload",
        ),
        resources=("arn:${AWS::Partition}:s3:::${StorageArtifacts}/*",),
    ),
    Reviewed(
        why="Executions of this very machine; their names are made at run time",
        holders=(MACHINE,),
        actions=("states:DescribeExecution", "states:StopExecution"),
        resources=(f"{EXECUTIONS}:*",),
    ),
    Reviewed(
        why="Who starts runs looks at whatever execution a record names, of this very machine",
        holders=(Door.SWEEP.handler, Door.TICK.handler, Door.API.handler),
        actions=("states:DescribeExecution",),
        resources=(f"{EXECUTIONS}:*",),
    ),
    Reviewed(
        why="Who calls a task off by the API has its execution stopped, of this very machine",
        holders=(Door.API.handler,),
        actions=("states:StopExecution",),
        resources=(f"{EXECUTIONS}:*",),
    ),
    Reviewed(
        why="Map runs of this very machine; their names are made at run time",
        holders=(MACHINE,),
        actions=("states:RedriveExecution",),
        resources=(f"{EXECUTIONS}/*:*",),
    ),
    Reviewed(
        why="Artifacts have the hash of their content in their names",
        holders=tuple(step.handler for step in READ_WORK),
        actions=("s3:GetObject",),
        resources=(WORK,),
    ),
    Reviewed(
        why="Artifacts have the hash of their content in their names",
        holders=tuple(step.handler for step in WRITE_WORK),
        actions=("s3:PutObject",),
        resources=(WORK,),
    ),
    Reviewed(
        why="What sites sent and what they ask of robots are two kinds of artifact in each task",
        holders=(Step.FETCH.handler,),
        actions=("s3:GetObject",),
        resources=(PAGES, ROBOTS),
    ),
    Reviewed(
        why="An approval's page, and the API, show the report of whichever task it is, and no more",
        holders=(Door.APPROVALS.handler, Door.API.handler),
        actions=("s3:GetObject",),
        resources=(f"{WORK}/report/*", f"{WORK}/report-list/*"),
    ),
    Reviewed(
        why="A large request of a schedule, or of the API, is left under a name of its bytes",
        holders=(Door.TICK.handler, Door.API.handler),
        actions=("s3:PutObject",),
        resources=(REQUESTS,),
    ),
    Reviewed(
        why="A large request is put there by whoever starts the run, under a name of their own",
        holders=(Step.PLAN.handler, Step.RECORD_FAILURE.handler),
        actions=("s3:GetObject",),
        resources=(REQUESTS,),
    ),
    Reviewed(
        why="A run is compared with the report before, which a pointer of the agent's names",
        holders=(Step.PLAN.handler,),
        actions=("s3:GetObject",),
        resources=(POINTERS,),
    ),
    Reviewed(
        why="The links that the API signs read what is published, by the API's own right",
        holders=(Door.API.handler,),
        actions=("s3:GetObject",),
        resources=(PUBLISHED,),
    ),
    Reviewed(
        why="A report is published under its task's name",
        holders=(Step.PUBLISH.handler,),
        actions=("s3:GetObject", "s3:PutObject"),
        resources=(PUBLISHED,),
    ),
)


@pytest.mark.promise("R34")
def test_every_wildcard_has_been_reviewed_and_none_that_has_is_gone(either: Template) -> None:
    assert set(_wildcards(either)) == set(_reviewed())


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "s3:DeleteObject", "Resource": "*"},
        {"Action": "dynamodb:*", "Resource": {"Fn::GetAtt": ["StorageLedger5E7CB2E3", "Arn"]}},
        {"Action": ["s3:PutObject"], "Resource": [{"Fn::Join": ["", ["arn:any:s3:::x", "/*"]]}]},
    ],
)
def test_one_more_wildcard_in_a_role_that_holds_reviewed_ones_is_noticed(
    template: Template, statement: dict[str, Any]
) -> None:
    changed = copy.deepcopy(dict(template))
    policies = resources(changed, "AWS::IAM::Policy")
    (policy,) = (each for name, each in policies.items() if name.startswith("FunctionsFETCHrole"))
    policy["Properties"]["PolicyDocument"]["Statement"].append({"Effect": "Allow", **statement})

    (more,) = set(_wildcards(changed)) - set(_reviewed())
    assert more.holder == Step.FETCH.handler


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("action", "resource", "holders"),
    [
        ("s3:PutObject", PUBLISHED, {Step.PUBLISH}),
        ("s3:GetObject", REQUESTS, {Step.PLAN, Step.RECORD_FAILURE}),
        ("events:PutEvents", None, {Step.TELL}),
        ("sns:Publish", "${TellingNotices}", {Step.TELL}),
        ("states:StartExecution", "${TellingMachine}", {Door.NOTICE}),
        ("dynamodb:GetRecords", None, {Door.NOTICE}),
        ("states:SendTaskSuccess", "*", {Step.APPROVE, Door.DECIDE, Door.APPROVALS}),
        ("dynamodb:UpdateItem", LEDGER, {*Step, *Door} - {Door.NOTICE}),
        (
            "dynamodb:PutItem",
            LEDGER,
            {
                *(Step.PLAN, Step.FETCH, Step.APPROVE, Step.PUBLISH, Step.TELL),
                *(Door.SWEEP, Door.TICK),
            },
        ),
        ("kms:Encrypt", SEAL, {Step.APPROVE}),
        ("kms:Decrypt", SEAL, {Step.APPROVE, Step.TELL, Door.DECIDE, Door.APPROVALS}),
        ("s3:GetObject", ROBOTS, {Step.FETCH}),
        ("s3:GetObject", PAGES, {Step.FETCH}),
        ("dynamodb:Query", f"{LEDGER}/index/by-time", {Door.SWEEP, Door.API}),
        ("states:StartExecution", "${MachineResearch}", {Door.SWEEP, Door.TICK, Door.API}),
        ("states:StopExecution", f"{EXECUTIONS}:*", {Door.API}),
    ],
)
def test_an_action_is_for_those_alone_whose_step_does_it(
    template: Template, action: str, resource: str | None, holders: set[Step | Door]
) -> None:
    found = {
        each.holder
        for each in permissions(template)
        if each.action == action and resource in {None, each.resource}
    }

    assert found - {MACHINE} == {holder.handler for holder in holders}


@pytest.mark.promise("R34")
def test_who_answers_the_api_reads_reports_and_leaves_requests_and_creates_no_record(
    template: Template,
) -> None:
    held = {each for each in permissions(template) if each.holder == Door.API.handler}

    assert {(each.action, each.resource) for each in held if each.action.startswith("s3:")} == {
        ("s3:GetObject", f"{WORK}/report/*"),
        ("s3:GetObject", f"{WORK}/report-list/*"),
        ("s3:GetObject", PUBLISHED),
        ("s3:PutObject", REQUESTS),
    }
    assert {each.action for each in held if each.action.startswith("dynamodb:")} == {
        "dynamodb:DeleteItem",
        "dynamodb:GetItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
    }
    assert not {each.action for each in held if each.action.startswith(("kms:", "secrets"))}


@pytest.mark.promise("R34")
def test_the_step_that_meets_the_network_can_read_what_was_found_there_alone(
    template: Template,
) -> None:
    held = {each for each in permissions(template) if each.holder == Step.FETCH.handler}

    assert {(each.action, each.resource) for each in held if each.action.startswith("s3:")} == {
        ("s3:GetObject", PAGES),
        ("s3:GetObject", ROBOTS),
        ("s3:PutObject", WORK),
    }
    assert {each.action for each in held if each.action.startswith("dynamodb:")} == {
        "dynamodb:DeleteItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
    }


@pytest.mark.promise("R34")
def test_of_the_ledger_it_reads_and_creates_visits_and_no_task_effect_or_token(
    either: Template,
) -> None:
    (policy,) = (
        each["Properties"]["PolicyDocument"]["Statement"]
        for name, each in resources(either, "AWS::IAM::Policy").items()
        if name.startswith("FunctionsFETCHrole")
    )
    bound = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"{VISITS}*", f"{FIRSTS}*"]}}

    for statement in policy:
        if {"dynamodb:GetItem", "dynamodb:PutItem"} & {*statement["Action"]}:
            assert statement["Condition"] == bound
    assert bound in [statement.get("Condition") for statement in policy]


@pytest.mark.promise("R34")
def test_nobody_may_scan_the_ledger_delete_an_artifact_or_do_whatever_a_service_can(
    either: Template,
) -> None:
    actions = {each.action for each in permissions(either)}

    assert not actions & {"dynamodb:Scan", "s3:DeleteObject", "s3:DeleteObjectVersion"}
    assert not [action for action in actions if action.startswith(("iam:", "sts:"))]
    assert {action for action in actions if action.startswith("kms:")} == {
        "kms:Encrypt",
        "kms:Decrypt",
    }
    assert not [action for action in actions if "*" in action]


@pytest.mark.promise("R34")
def test_a_function_calls_no_function_and_only_four_doors_start_an_execution(
    template: Template,
) -> None:
    calling = {"states:StartExecution", "states:StartSyncExecution", "lambda:InvokeFunction"}
    held = {(each.holder, each.action) for each in permissions(template) if each.action in calling}

    starting = (Door.SWEEP, Door.TICK, Door.API, Door.NOTICE)
    assert {each for each in held if each[0] not in {MACHINE, TELLING}} == {
        (SCHEDULER, "lambda:InvokeFunction"),
        *((door.handler, "states:StartExecution") for door in starting),
    }


@pytest.mark.promise("R34")
def test_a_function_writes_to_its_own_log_alone(either: Template) -> None:
    own = {
        handler: f"{readable(each['LoggingConfig']['LogGroup'])[:-1]}.Arn}}"
        for handler, each in functions(either).items()
    }

    written = [each for each in permissions(either) if each.action == "logs:PutLogEvents"]
    assert {each.holder for each in written} == own.keys()
    assert all(each.resource == own[each.holder] for each in written)


def test_listing_the_bucket_is_bound_to_what_is_published(template: Template) -> None:
    """Without it S3 says "forbidden" where there is nothing yet."""
    found = [
        statement
        for policy in resources(template, "AWS::IAM::Policy").values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == "s3:ListBucket"
    ]

    published = {"StringLike": {"s3:prefix": ["published/*"]}}
    assert [each["Condition"] for each in found] == [published] * 2  # PLAN and PUBLISH


@pytest.mark.promise("R34")
def test_every_role_is_for_one_service_and_has_no_managed_policy(either: Template) -> None:
    services = {
        "lambda.amazonaws.com",
        "scheduler.amazonaws.com",
        "states.amazonaws.com",
    }

    for name, role in resources(either, "AWS::IAM::Role").items():
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"].keys() == {"Service"}, name
        assert statement["Principal"]["Service"] in services, name
        assert not {"ManagedPolicyArns", "Policies"} & role["Properties"].keys(), name


def test_resources_refer_to_each_other_in_no_circle(either: Template) -> None:
    graph = _graph(either)

    assert sum(map(len, graph.values())) > 100
    TopologicalSorter(graph).prepare()


def _reviewed() -> list[Permission]:
    return [permission for each in REVIEWED for permission in each.permissions()]


def _wildcards(template: Template) -> list[Permission]:
    return [each for each in permissions(template) if "*" in each.action + each.resource]


def _graph(template: Template) -> Mapping[str, set[str]]:
    known = template["Resources"]
    return {
        name: ({*references(resource.get("Properties", {})), *resource.get("DependsOn", ())})
        & known.keys()
        for name, resource in known.items()
    }
