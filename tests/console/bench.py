"""An account in moto with real records in it, and a command line that talks to it."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from typer.testing import CliRunner, Result

from console.account import Account, Resources
from console.app import app
from console.desk import Desk
from lambdas.adapters.dynamodb_invitations import DynamoDbInvitations
from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.adapters.dynamodb_memos import DynamoDbMemos
from lambdas.adapters.dynamodb_quota import DynamoDbQuota
from lambdas.adapters.dynamodb_schedules import DynamoDbSchedules
from lambdas.adapters.dynamodb_visits import DynamoDbVisits
from lambdas.adapters.kms_seals import KmsSeals
from lambdas.adapters.s3_artifacts import S3Artifacts
from lambdas.adapters.s3_shelf import S3Shelf
from lambdas.agent.errors import StepError
from lambdas.agent.identity import execution_name, task_id
from lambdas.agent.ports import Ports
from lambdas.doors.cancel import cancel
from lambdas.doors.decide import decide
from lambdas.doors.tick import tick
from tests.contracts.table import REGION, a_bucket, a_table
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeBus, FakeCallbacks, FakeWeb
from tests.fakes.receivers import FakeSubscribers, FakeWebhooks
from tests.fakes.story import Story
from tests.fakes.turns import MemoryTurns
from tests.fakes.world import World

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

PRICING = "https://acme.test/pricing"
GONE = "https://acme.test/gone"
PAGES = {PRICING: b"Pricing\n\nThe Team plan costs 49 euros a month for each seat.\n\nWrite to us."}
TOKEN = "a-task-token"
_DOORS = {"decide-function": decide, "cancel-function": cancel, "tick-function": tick}
WAITS = {"StartAt": "APPROVE", "States": {"APPROVE": {"Type": "Pass", "End": True}}}


@dataclass(slots=True)
class LocalFunctions:
    """Lambda, as far as the command line needs it: the door's own code, over the same ports."""

    ports: Ports
    fails_with: list[StepError] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, object]:  # noqa: N803  # AWS's names
        self.told.append(json.loads(Payload))
        try:
            if self.fails_with:
                raise self.fails_with.pop(0)
            answer = _DOORS[FunctionName](self.told[-1], self.ports, owner="door", seconds=20)
        except StepError as error:
            body = {"errorType": type(error).__name__, "errorMessage": str(error)}
            return {"FunctionError": "Unhandled", "Payload": _stream(body)}
        return {"Payload": _stream(answer)}


@dataclass(slots=True, kw_only=True)
class Bench:
    account: Account
    world: World
    functions: LocalFunctions
    callbacks: FakeCallbacks
    out: Path
    pause: Callable[[float], object] = field(default=lambda _: None)
    """What happens in the world between two looks at it."""

    def run(self, *arguments: str, typed: str = "") -> Result:
        """The command line, with everything that it would find out there in its place."""
        desk = Desk(find=lambda: self.account, out=self.out, pause=self._pause)
        return CliRunner().invoke(app, list(arguments), obj=desk, input=typed)

    def _pause(self, seconds: float) -> None:
        self.pause(seconds)

    def story(self, **fields: Any) -> Story:
        """A run over these records, told state by state; its execution is under way."""
        request = a_request(**fields)
        task = task_id(request["agent_id"], request["workflow_id"])
        name = execution_name(task, 1)
        self.account.stepfunctions.start_execution(
            stateMachineArn=self.account.resources.state_machine, name=name, input="{}"
        )
        return Story(ports=self.world, request=request, execution=name)

    def ends(self, story: Story) -> None:
        machine = self.account.resources.state_machine.replace(":stateMachine:", ":execution:")
        arn = f"{machine}:{story.execution}"
        self.account.stepfunctions.stop_execution(executionArn=arn)


def a_request(**fields: Any) -> dict[str, Any]:
    return {
        "agent_id": "competitor-monitor",
        "workflow_id": "acme-1",
        "questions": ["How much does the Team plan cost?"],
        "sources": [{"url": PRICING}, {"url": GONE}],
        "coverage": 0.5,
    } | fields


def a_bench(out: Path, definition: Mapping[str, Any] = WAITS, *, site: str = "") -> Bench:
    s3, dynamodb = a_bucket(), a_table()
    clock, callbacks = FakeClock(time.time()), FakeCallbacks()
    kms = boto3.client("kms", region_name=REGION)
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    scheduler = boto3.client("scheduler", region_name=REGION)
    scheduler.create_schedule_group(Name="schedules")
    world = World(
        clock=clock,
        ledger=DynamoDbLedger(dynamodb, "ledger", clock, retention=90),
        artifacts=S3Artifacts(s3, "artifacts"),
        fetcher=FakeWeb(PAGES),
        turns=MemoryTurns(clock),
        visits=DynamoDbVisits(dynamodb, "ledger", clock, retention=90),
        memos=DynamoDbMemos(dynamodb, "ledger", clock, retention=90),
        shelf=S3Shelf(s3, "artifacts"),
        announcer=FakeBus(),
        subscribers=FakeSubscribers(),
        webhooks=FakeWebhooks(),
        callbacks=callbacks,
        invitations=DynamoDbInvitations(dynamodb, "ledger", clock, retention=90),
        seals=KmsSeals(kms, key),
        schedules=DynamoDbSchedules(dynamodb, "ledger", clock, retention=90),
        quota=DynamoDbQuota(dynamodb, "ledger", clock),
    )
    states = boto3.client("stepfunctions", region_name=REGION)
    functions = LocalFunctions(world)
    account = Account(
        resources=Resources(
            state_machine=_a_machine(states, definition),
            ledger_table="ledger",
            artifact_bucket="artifacts",
            decide_function="decide-function",
            cancel_function="cancel-function",
            http_url="https://ratchet.example",
            seal_key=key,
            schedule_group="schedules",
            tick_function="tick-function",
        ),
        dynamodb=dynamodb,
        s3=s3,
        stepfunctions=states,
        kms=kms,
        scheduler=scheduler,
        functions=functions,
        site=site,
    )
    return Bench(account=account, world=world, functions=functions, callbacks=callbacks, out=out)


def read_what_there_is(story: Story) -> None:
    """The page that exists is read, the one that does not is set aside."""
    for source in manifest(story):
        try:
            story.read(source["item"], source["url"])
        except StepError as error:
            story.set_aside(source["item"], {"Error": type(error).__name__, "Cause": ""})


def manifest(story: Story) -> list[dict[str, str]]:
    sources: list[dict[str, str]] = json.loads(story.ports.artifacts.get(story.state["manifest"]))
    return sources


def until_asked(story: Story) -> Story:
    story.plan()
    read_what_there_is(story)
    story.validate()
    story.report()
    story.approve(TOKEN)
    return story


def published(bench: Bench, story: Story) -> Story:
    until_asked(story)
    told = {"task_id": story.state["task_id"], "decision": "APPROVED", "by": "ann"}
    decide(told, bench.world, owner="door", seconds=20)
    story.publish()
    story.complete()
    bench.ends(story)
    return story


def _a_machine(client: SFNClient, definition: Mapping[str, Any]) -> str:
    return client.create_state_machine(
        name="research",
        definition=json.dumps(definition),
        roleArn="arn:aws:iam::123456789012:role/any",
    )["stateMachineArn"]


def _stream(body: Mapping[str, Any]) -> io.BytesIO:
    return io.BytesIO(json.dumps(body).encode())
