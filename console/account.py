"""Which AWS account a command talks to: the sandbox when one is up, else the credentials' own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from botocore.exceptions import NoCredentialsError, NoRegionError, PartialCredentialsError

from console.errors import Refused
from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.s3_inbox import S3Inbox
from lambdas.adapters.stepfunctions_executions import StepFunctionsExecutions
from lambdas.adapters.system_clock import SystemClock
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.ports import Clock, Executions, Inbox
from sandbox.life import Running, running

if TYPE_CHECKING:
    from boto3.session import Session
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_stepfunctions import SFNClient

ROOT = Path(__file__).resolve().parent.parent
STACK = "Ratchet"
_NO_SANDBOX = "The sandbox is not running: start it with `make sandbox`, or"
_SET_CREDENTIALS = (
    "set AWS credentials and a region (`aws configure`, or AWS_PROFILE and AWS_REGION) to use a "
    "deployed stack."
)


_READS_ONLY = 0
"""Days of retention: what the command line never writes."""


class Invoker(Protocol):
    """All that is asked of Lambda."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, object]: ...  # noqa: N803 - AWS's names


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What the stack's outputs name."""

    state_machine: str
    ledger_table: str
    artifact_bucket: str
    decide_function: str
    cancel_function: str
    http_url: str
    seal_key: str
    schedule_group: str
    tick_function: str

    @classmethod
    def of(cls, outputs: Mapping[str, str], stack: str) -> Self:
        try:
            return cls(
                state_machine=outputs["StateMachine"],
                ledger_table=outputs["LedgerTable"],
                artifact_bucket=outputs["ArtifactBucket"],
                decide_function=outputs["DecideFunction"],
                cancel_function=outputs["CancelFunction"],
                http_url=outputs["HttpUrl"],
                seal_key=outputs["SealKey"],
                schedule_group=outputs["ScheduleGroup"],
                tick_function=outputs["TickFunction"],
            )
        except KeyError as missing:
            raise Refused(
                f"The stack {stack} has no output {missing}: it is not Ratchet's, or older than "
                "this command line. Deploy it anew with `make deploy`."
            ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """`site` is the sample site's address, and empty outside of the sandbox."""

    resources: Resources
    dynamodb: DynamoDBClient
    s3: S3Client
    stepfunctions: SFNClient
    kms: KMSClient
    scheduler: EventBridgeSchedulerClient
    functions: Invoker
    site: str = ""

    @property
    def name(self) -> str:
        if self.site:
            return "the sandbox"
        _, _, _, region, number, *_ = self.resources.state_machine.split(":")
        return f"AWS account {number} in {region}"

    @property
    def clock(self) -> Clock:
        return SystemClock()

    @property
    def ledger(self) -> Ledger:
        """To be read: what is written to it is for the functions to write."""
        table = self.resources.ledger_table
        return DynamoDbLedger(self.dynamodb, table, self.clock, retention=_READS_ONLY)

    @property
    def executions(self) -> Executions:
        return StepFunctionsExecutions(self.stepfunctions, self.resources.state_machine)

    @property
    def inbox(self) -> Inbox:
        return S3Inbox(self.s3, self.resources.artifact_bucket)

    @property
    def pause(self) -> float:
        """Seconds between two looks. AWS counts the requests."""
        return 0.4 if self.site else 2.0


def find(*, home: Path | None, stack: str, prefer_aws: bool = False) -> Account:
    sandbox = None if prefer_aws else running(ROOT, home=home)
    if sandbox:
        return of_sandbox(sandbox)
    try:
        return of_aws(stack)
    except (NoCredentialsError, NoRegionError, PartialCredentialsError) as error:
        why = "AWS needs to know who you are and where:" if prefer_aws else _NO_SANDBOX
        raise Refused(f"{why} {_SET_CREDENTIALS} ({error})") from error


def of_sandbox(sandbox: Running) -> Account:
    import boto3
    import botocore.session

    # A session that knows no profile: AWS_PROFILE may name one of the user's.
    plain = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
    plain.set_config_variable("config_file", "/dev/null")
    known = sandbox.environment
    session = boto3.Session(
        botocore_session=plain,
        region_name=sandbox.region,
        aws_access_key_id=known["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=known["AWS_SECRET_ACCESS_KEY"],
    )
    resources = Resources.of(sandbox.outputs.get(STACK, {}), STACK)
    return _with_clients(session, resources, endpoint=sandbox.endpoint, site=sandbox.site)


def of_aws(stack: str) -> Account:
    import boto3

    # boto3 alone looks at AWS_DEFAULT_REGION only; the CDK and AWS's other tools know both.
    session = boto3.Session(region_name=os.environ.get("AWS_REGION"))
    return _with_clients(session, resources_of(session.client("cloudformation"), stack))


def resources_of(client: CloudFormationClient, stack: str) -> Resources:
    from botocore.exceptions import ClientError

    try:
        found = client.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        raise Refused(
            f"There is no stack {stack} in {client.meta.region_name} of your AWS account. Start "
            "the sandbox with `make sandbox`, deploy with `make deploy`, or name your stack with "
            "--stack."
        ) from None
    outputs = {out["OutputKey"]: out["OutputValue"] for out in found[0].get("Outputs", [])}
    return Resources.of(outputs, stack)


def _with_clients(
    session: Session, resources: Resources, *, endpoint: str | None = None, site: str = ""
) -> Account:
    from botocore.config import Config

    quick = Config(connect_timeout=3, read_timeout=20, retries={"mode": "standard"})
    # A function is not called twice because its answer takes long.
    once = Config(connect_timeout=3, read_timeout=60, retries={"total_max_attempts": 1})
    return Account(
        resources=resources,
        dynamodb=session.client("dynamodb", endpoint_url=endpoint, config=quick),
        s3=session.client("s3", endpoint_url=endpoint, config=quick),
        stepfunctions=session.client("stepfunctions", endpoint_url=endpoint, config=quick),
        kms=session.client("kms", endpoint_url=endpoint, config=quick),
        scheduler=session.client("scheduler", endpoint_url=endpoint, config=quick),
        functions=session.client("lambda", endpoint_url=endpoint, config=once),
        site=site,
    )
