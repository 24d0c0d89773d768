"""Who may do what: each function what its step does, and nothing more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3

from lambdas.agent.contract import Door, Step

WORK = "tasks/*"
REQUESTS = "requests/*"
PUBLISHED = "published/*"

# Claim and commit are updates; what is past its retention is deleted to make room.
_EVERY_STEP = ("dynamodb:UpdateItem", "dynamodb:DeleteItem")
_LEDGER: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: ("dynamodb:PutItem", "dynamodb:GetItem"),
    Step.SET_ASIDE: ("dynamodb:Query",),
    Step.VALIDATE: ("dynamodb:Query",),
    Step.REPORT: ("dynamodb:Query",),
    Step.PUBLISH: ("dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:Query"),
    Step.RECORD_FAILURE: ("dynamodb:GetItem", "dynamodb:Query"),
    Door.DECIDE: ("dynamodb:GetItem", "dynamodb:Query"),
}
_READS: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: (REQUESTS,),
    Step.EXTRACT: (WORK,),
    Step.ANALYZE: (WORK,),
    Step.VALIDATE: (WORK,),
    Step.REPORT: (WORK,),
    Step.APPROVE: (WORK,),
    Step.PUBLISH: (WORK, PUBLISHED),
    Step.RECORD_FAILURE: (REQUESTS,),
}
_WRITES: Mapping[Step | Door, tuple[str, ...]] = {
    Step.PLAN: (WORK,),
    Step.FETCH: (WORK,),
    Step.EXTRACT: (WORK,),
    Step.ANALYZE: (WORK,),
    Step.VALIDATE: (WORK,),
    Step.REPORT: (WORK,),
    Step.PUBLISH: (PUBLISHED,),
}
WAKES_THE_RUN: tuple[Step | Door, ...] = (Step.APPROVE, Door.DECIDE)

Functions = Mapping[Step | Door, lambda_.IFunction]


def prefixes_of(name: Step | Door) -> list[str]:
    """The parts of the bucket that this function may read or write."""
    return sorted({*_READS.get(name, ()), *_WRITES.get(name, ())})


def grant_ledger(functions: Functions, table: dynamodb.ITable) -> None:
    for name, function in functions.items():
        actions = (*_EVERY_STEP, *_LEDGER.get(name, ()))
        function.add_to_role_policy(_allow(sorted(actions), [table.table_arn]))


def grant_artifacts(functions: Functions, bucket: s3.IBucket) -> None:
    for name, function in functions.items():
        for action, prefixes in (("s3:GetObject", _READS), ("s3:PutObject", _WRITES)):
            if name in prefixes:
                where = [bucket.arn_for_objects(prefix) for prefix in prefixes[name]]
                function.add_to_role_policy(_allow([action], where))
    # Without it S3 answers "forbidden", not "absent", for a pointer that is not there yet.
    functions[Step.PUBLISH].add_to_role_policy(
        iam.PolicyStatement(
            actions=["s3:ListBucket"],
            resources=[bucket.bucket_arn],
            conditions={"StringLike": {"s3:prefix": [PUBLISHED]}},
        )
    )


def grant_events(functions: Functions, bus: events.IEventBus) -> None:
    functions[Step.PUBLISH].add_to_role_policy(_allow(["events:PutEvents"], [bus.event_bus_arn]))


def grant_waking(functions: Functions) -> None:
    """The call names no resource, only the token: who has that, and the right to say it, may.
    The tokens lie in the ledger, which nobody but these functions reads them from.
    """
    for name in WAKES_THE_RUN:
        functions[name].add_to_role_policy(_allow(["states:SendTaskSuccess"], ["*"]))


def _allow(actions: Iterable[str], resources: list[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=list(actions), resources=resources)
