"""Who may do what: each function what its step does, and nothing more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn

from lambdas.agent.contract import Door, Step
from stacks import bedrock
from stacks.storage import BY_TIME

WORK = "tasks/*"
PAGES = "tasks/*/page/*"
ROBOTS = "tasks/*/robots/*"
REPORTS, REPORT_LISTS = "tasks/*/report/*", "tasks/*/report-list/*"
REQUESTS = "requests/*"
PUBLISHED = "published/*"
POINTERS = "published/*/latest.json"

# Claim and commit are updates; what is past its retention is deleted to make room.
_EVERY_STEP = ("dynamodb:UpdateItem", "dynamodb:DeleteItem")
_LEDGER: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: ("dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:Query"),
    Step.SET_ASIDE: ("dynamodb:Query",),
    Step.VALIDATE: ("dynamodb:Query",),
    Step.REPORT: ("dynamodb:Query",),
    Step.APPROVE: ("dynamodb:Query",),
    Step.PUBLISH: ("dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:Query"),
    Step.COMPLETE: ("dynamodb:GetItem", "dynamodb:Query"),
    Step.RECORD_FAILURE: ("dynamodb:GetItem", "dynamodb:Query"),
    Door.DECIDE: ("dynamodb:GetItem", "dynamodb:Query"),
    Door.APPROVALS: ("dynamodb:GetItem", "dynamodb:Query"),
    Door.CANCEL: ("dynamodb:GetItem",),
    Door.SWEEP: ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"),
    Door.TICK: ("dynamodb:GetItem", "dynamodb:PutItem"),
    Door.API: ("dynamodb:GetItem", "dynamodb:Query"),
    Step.TELL: ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"),
}
_HEARS_THE_STREAM = frozenset({Door.NOTICE})
"""Who reads no record: the stream brings what it needs."""
_READS: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: (REQUESTS, WORK, POINTERS),
    Step.FETCH: (PAGES, ROBOTS),
    Step.EXTRACT: (WORK,),
    Step.ANALYZE: (WORK,),
    Step.VALIDATE: (WORK,),
    Step.REPORT: (WORK,),
    Step.APPROVE: (WORK,),
    Step.PUBLISH: (WORK, PUBLISHED),
    Step.RECORD_FAILURE: (REQUESTS,),
    Door.APPROVALS: (REPORTS, REPORT_LISTS),
    Door.API: (REPORTS, REPORT_LISTS, PUBLISHED),  # who follows a signed link reads by its rights
}
_WRITES: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: (WORK,),
    Step.FETCH: (WORK,),
    Step.EXTRACT: (WORK,),
    Step.ANALYZE: (WORK,),
    Step.VALIDATE: (WORK,),
    Step.REPORT: (WORK,),
    Step.PUBLISH: (PUBLISHED,),
    Door.TICK: (REQUESTS,),
    Door.API: (REQUESTS,),
}
ASKS_A_MODEL = (Step.ANALYZE, Step.REPORT)
WAKES_THE_RUN: tuple[Step | Door, ...] = (Step.APPROVE, Door.DECIDE, Door.APPROVALS)
OPENS_SEALS: tuple[Step | Door, ...] = (*WAKES_THE_RUN, Step.TELL)

VISITS = ("VISIT#*", "BYTES#*")
"""The partitions in which is kept what was found at addresses; turns at a host are updates."""
ANSWERS = "ANSWER#*"
"""Those in which is kept where models' answers are."""

INVITATIONS = "INVITATION#*"
"""Those in which is kept where the links of approvals lead."""

READS_SCANS = ("textract:GetDocumentTextDetection", "textract:StartDocumentTextDetection")

Functions = Mapping[Step | Door, lambda_.IFunction]


def prefixes_of(name: Step | Door) -> list[str]:
    """The parts of the bucket that this function may read or write."""
    return sorted({*_READS.get(name, ()), *_WRITES.get(name, ())})


def grant_ledger(functions: Functions, table: dynamodb.ITable) -> None:
    for name, function in functions.items():
        if name in _HEARS_THE_STREAM:
            continue
        actions = (*_EVERY_STEP, *_LEDGER.get(name, ()))
        function.add_to_role_policy(_allow(sorted(actions), [table.table_arn]))


def grant_visits(fetch: lambda_.IFunction, table: dynamodb.ITable) -> None:
    """The step that meets the network reads what was found there, and no task, token or report.
    PLAN, which meets it too, reads and creates tasks as well.
    """
    fetch.add_to_role_policy(
        _allow_partitions(["dynamodb:GetItem", "dynamodb:PutItem"], table, VISITS)
    )


def grant_artifacts(functions: Functions, bucket: s3.IBucket) -> None:
    for name, function in functions.items():
        for action, prefixes in (("s3:GetObject", _READS), ("s3:PutObject", _WRITES)):
            if name in prefixes:
                where = [bucket.arn_for_objects(prefix) for prefix in prefixes[name]]
                function.add_to_role_policy(_allow([action], where))
    # Without it S3 answers "forbidden", not "absent", for a pointer that is not there yet.
    for name in (Step.PLAN, Step.PUBLISH):
        functions[name].add_to_role_policy(
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[bucket.bucket_arn],
                conditions={"StringLike": {"s3:prefix": [PUBLISHED]}},
            )
        )


def grant_events(functions: Functions, bus: events.IEventBus) -> None:
    functions[Step.TELL].add_to_role_policy(_allow(["events:PutEvents"], [bus.event_bus_arn]))


def grant_waking(functions: Functions) -> None:
    """The call names no resource, only the token: who has that, and the right to say it, may.
    The tokens lie in the ledger, which nobody but these functions reads them from.
    """
    for name in WAKES_THE_RUN:
        functions[name].add_to_role_policy(_allow(["states:SendTaskSuccess"], ["*"]))


def grant_seals(functions: Functions, key: kms.IKey) -> None:
    """APPROVE seals what opens a waiting state; those who answer it open the seal, and TELL does,
    to send the link to those who may.
    """
    functions[Step.APPROVE].add_to_role_policy(_allow(["kms:Encrypt"], [key.key_arn]))
    for name in OPENS_SEALS:
        functions[name].add_to_role_policy(_allow(["kms:Decrypt"], [key.key_arn]))


def grant_inviting(approve: lambda_.IFunction, table: dynamodb.ITable) -> None:
    approve.add_to_role_policy(_allow_partitions(["dynamodb:PutItem"], table, [INVITATIONS]))


def grant_listing(doors: Iterable[lambda_.IFunction], table: dynamodb.ITable) -> None:
    """The sweeper lists tasks, and the API does."""
    for door in doors:
        door.add_to_role_policy(_allow(["dynamodb:Query"], [f"{table.table_arn}/index/{BY_TIME}"]))


def grant_starting(doors: Iterable[lambda_.IFunction], machine: sfn.IStateMachine) -> None:
    """The machine calls none of these, so naming the machine to them makes no circle."""
    for door in doors:
        machine.grant_start_execution(door)
        machine.grant_execution(door, "states:DescribeExecution")


def grant_stopping(api: lambda_.IFunction, machine: sfn.IStateMachine) -> None:
    machine.grant_execution(api, "states:StopExecution")


def grant_telling(
    functions: Functions,
    *,
    machine: sfn.IStateMachine,
    topic: sns.ITopic,
    secrets: Iterable[str],
) -> None:
    """NOTICE begins what tells, TELL does it, with the secrets of the endpoints it signs for."""
    machine.grant_start_execution(functions[Door.NOTICE])
    tell = functions[Step.TELL]
    tell.add_to_role_policy(_allow(["sns:Publish"], [topic.topic_arn]))
    if named := sorted(secrets):
        tell.add_to_role_policy(_allow(["secretsmanager:GetSecretValue"], named))


def grant_sources(fetch: lambda_.IFunction, objects: str) -> None:
    """Reading what a source names, and not listing what else is there."""
    fetch.add_to_role_policy(_allow(["s3:GetObject"], [objects]))


def grant_model(functions: Functions, table: dynamodb.ITable, secret: str | None) -> None:
    """A job is an effect: it is reserved before it begins."""
    for function in _asking(functions):
        _grant_answers(function, table)
        if secret:
            function.add_to_role_policy(_allow(["secretsmanager:GetSecretValue"], [secret]))


def grant_bedrock(functions: Functions, table: dynamodb.ITable, model: str) -> None:
    """One model, or one profile and the models behind it."""
    for function in _asking(functions):
        _grant_answers(function, table)
        for statement in bedrock.statements(Stack.of(function), model):
            function.add_to_role_policy(statement)


def _asking(functions: Functions) -> list[lambda_.IFunction]:
    return [functions[step] for step in ASKS_A_MODEL]


def _grant_answers(function: lambda_.IFunction, table: dynamodb.ITable) -> None:
    """It creates effects, and memos of answers, and gets no item but those."""
    function.add_to_role_policy(_allow(["dynamodb:PutItem"], [table.table_arn]))
    function.add_to_role_policy(_allow_partitions(["dynamodb:GetItem"], table, [ANSWERS]))


def grant_ocr(extract: lambda_.IFunction, table: dynamodb.ITable) -> None:
    """Textract reads the document with the caller's own rights, and knows no resources."""
    extract.add_to_role_policy(_allow(["dynamodb:PutItem"], [table.table_arn]))
    extract.add_to_role_policy(_allow(READS_SCANS, ["*"]))


def objects_arn(stack: Stack, bucket: str) -> str:
    """Of all objects of a bucket by its name, which is unique in the whole partition."""
    return stack.format_arn(service="s3", region="", account="", resource=bucket, resource_name="*")


def secret_arn(stack: Stack, name: str) -> str:
    """Of a secret by its name: AWS adds six characters that nobody knows beforehand."""
    return stack.format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def _allow_partitions(
    actions: Iterable[str], table: dynamodb.ITable, keys: Iterable[str]
) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=list(actions),
        resources=[table.table_arn],
        conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)}},
    )


def _allow(actions: Iterable[str], resources: list[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=list(actions), resources=resources)
