"""What cdk-nag asks about and we have answered: each finding by itself, with its reason.

A new prefix or a new resource is a new finding, and fails the synth. cdk-nag does not look at the
actions behind a resource it was told about: `tests/infrastructure/test_grants.py` lists those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aws_cdk import Acknowledgment, CfnElement, Stack, Validations
from aws_cdk import aws_lambda as lambda_
from constructs import IConstruct

from lambdas.agent.contract import Door, Step
from stacks import grants
from stacks.bedrock import is_profile, model_behind
from stacks.functions import STARTS_RUNS

if TYPE_CHECKING:
    from stacks.research_stack import ResearchStack

_XRAY = "X-Ray takes trace segments for no resource but '*'"
_TOKENS = "Step Functions takes the answer to a task token for no resource but '*'"
_SCANS = "Textract's jobs are no resources: it takes calls for '*' alone"
_RUNTIME = (
    "python3.13 is the runtime the bundles are built and tested for; 3.14 has no lxml pin yet"
)
_PREFIX = "One prefix of one bucket: names in it hold hashes and cannot be known beforehand"
_SOURCES = "Requests name any object of the bucket that the deployment lets them read"
_REGIONS = "A profile's models in the regions it chooses among, by way of this profile alone"
_VERSIONS = (
    "CDK lets the machine call every version of its own function: running executions need it"
)
_MANIFEST = "The Map reads its manifest and writes its results under names made at run time"
_CHILDREN = "Executions and map runs of this very machine; their names are made at run time"
_DELIVERY = "Step Functions sets up its log delivery through actions that know no resource but '*'"
_STREAMS = "Who hears a stream lists streams, which knows no resource but '*'"
_LOOPBACK = "The sandbox's account answers on plain HTTP, on a loopback address"
_IS_A_DLQ = "It is a dead-letter queue: of the schedules, or of the ledger's stream"
_BY_LINK = (
    "The id in its address is what an approval's visitor is let in by; it ends with its window"
)
_ACCESS_LOG = (
    "Only this stack's functions read and write the bucket, and CloudTrail tells who: a second "
    "bucket of server access logs would cost more than it shows. Add one where policy asks for it"
)


def acknowledge(stack: ResearchStack) -> None:
    for name, function in stack.functions.everyone.items():
        _say(function, "L1", _RUNTIME)
        if function.role:
            _say(function.role, "IAM5[Resource::*]", "; ".join(_anywhere(stack, name)))
            for prefix in grants.prefixes_of(name):
                _say(function.role, f"IAM5[Resource::{_bucket(stack)}/{prefix}]", _PREFIX)
    if stack.deployment.source_bucket and (fetch := stack.functions.steps[Step.FETCH].role):
        objects = f"arn:<AWS::Partition>:s3:::{stack.deployment.source_bucket}/*"
        _say(fetch, f"IAM5[Resource::{objects}]", _SOURCES)
    model = stack.deployment.bedrock_model
    for asking in (stack.functions.steps[step].role for step in grants.ASKS_A_MODEL):
        if asking and is_profile(model):
            behind = f"arn:<AWS::Partition>:bedrock:*::foundation-model/{model_behind(model)}"
            _say(asking, f"IAM5[Resource::{behind}]", _REGIONS)
    for door in STARTS_RUNS:
        _say(_role_of(stack, door), f"IAM5[Resource::{_executions(stack)}:*]", _CHILDREN)
    for construct, finding, reason in _of_what_is_not_a_function(stack):
        _say(construct, finding, reason)
    for machine, finding, reason in _of_the_machines(stack):
        _say(machine, f"IAM5[Resource::{finding}]", reason)


def _of_what_is_not_a_function(stack: ResearchStack) -> Iterator[tuple[IConstruct, str, str]]:
    yield stack.schedules.missed, "SQS3", _IS_A_DLQ
    yield stack.telling.untold, "SQS3", _IS_A_DLQ
    yield stack.storage.artifacts, "S1", _ACCESS_LOG
    for route in stack.http.approvals:
        yield route, "APIG4", _BY_LINK
    if not stack.deployment.speaks_tls:
        yield stack.storage.artifacts, "S10", _LOOPBACK
        yield stack.schedules.missed, "SQS4", _LOOPBACK
        yield stack.telling.untold, "SQS4", _LOOPBACK
        yield stack.telling.topic, "SNS3", _LOOPBACK


def _anywhere(stack: ResearchStack, name: Step | Door) -> Iterator[str]:
    yield _XRAY
    if name in grants.WAKES_THE_RUN:
        yield _TOKENS
    if name is Door.NOTICE:
        yield _STREAMS
    if name is Step.EXTRACT and stack.deployment.ocr:
        yield _SCANS


def _of_the_machines(stack: ResearchStack) -> Iterator[tuple[IConstruct, str, str]]:
    yield from ((stack.research, *each) for each in _of_the_research(stack))
    telling = _of_any_machine(stack, [stack.functions.steps[Step.TELL]])
    yield from ((stack.telling, *each) for each in telling)


def _of_the_research(stack: ResearchStack) -> Iterator[tuple[str, str]]:
    own = [each for step, each in stack.functions.steps.items() if step is not Step.TELL]
    yield from _of_any_machine(stack, own)
    bucket = _logical_id(stack, stack.storage.artifacts)
    yield f"arn:<AWS::Partition>:s3:::<{bucket}>/*", _MANIFEST
    yield f"{_executions(stack)}:*", _CHILDREN
    yield f"{_executions(stack)}/*:*", _CHILDREN


def _of_any_machine(
    stack: ResearchStack, functions: Iterable[lambda_.IFunction]
) -> Iterator[tuple[str, str]]:
    yield "*", f"{_DELIVERY}; {_XRAY}"
    for function in functions:
        yield f"<{_logical_id(stack, function)}.Arn>:*", _VERSIONS


def _executions(stack: ResearchStack) -> str:
    machine = _logical_id(stack, stack.research.machine)
    name = f'{{"Fn::Select":[6,{{"Fn::Split":[":",{{"Ref":"{machine}"}}]}}]}}'
    return f"arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:{name}"


def _role_of(stack: ResearchStack, door: Door) -> IConstruct:
    role = stack.functions.doors[door].role
    if role is None:
        raise TypeError(f"{door} has no role of its own")
    return role


def _bucket(stack: ResearchStack) -> str:
    return f"<{_logical_id(stack, stack.storage.artifacts)}.Arn>"


def _logical_id(stack: Stack, construct: IConstruct) -> str:
    resource = construct.node.default_child
    if not isinstance(resource, CfnElement):
        raise TypeError(f"{construct.node.path} has no resource of its own")
    return str(stack.resolve(resource.logical_id))


def _say(construct: IConstruct, finding: str, reason: str) -> None:
    rule = Acknowledgment(id=f"AwsSolutions::AwsSolutions-{finding}", reason=reason)
    Validations.of(construct).acknowledge(rule)
