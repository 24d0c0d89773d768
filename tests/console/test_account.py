"""Which account is talked to, and what is said where there is none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    ProfileNotFound,
    ReadTimeoutError,
)
from botocore.stub import Stubber

from console import account
from console.account import Resources
from console.errors import Refused
from console.faults import told_in_sentences
from lambdas.adapters.aws_faults import translated
from lambdas.agent.errors import Unexpected
from sandbox.errors import DidNotStart
from sandbox.life import Running

OUTPUTS = {
    "StateMachine": "arn:aws:states:eu-west-1:123456789012:stateMachine:any",
    "LedgerTable": "any-table",
    "ArtifactBucket": "any-bucket",
    "DecideFunction": "any-function",
    "CancelFunction": "another-function",
    "HttpUrl": "https://any.example",
    "SealKey": "any-key",
    "ScheduleGroup": "any-group",
    "TickFunction": "a-third-function",
}


def test_a_sandbox_that_is_up_is_the_account() -> None:
    found = account.of_sandbox(
        Running(
            endpoint="http://127.0.0.1:1234",
            site="http://127.0.0.1:8477",
            region="us-east-1",
            outputs={"Ratchet": OUTPUTS},
        )
    )

    assert found.name == "the sandbox"
    assert found.site == "http://127.0.0.1:8477"
    assert found.s3.meta.endpoint_url == "http://127.0.0.1:1234"
    assert found.pause < 1


def test_the_stacks_outputs_name_what_is_asked_for() -> None:
    client = boto3.client("cloudformation")
    outputs = [{"OutputKey": name, "OutputValue": value} for name, value in OUTPUTS.items()]
    with Stubber(client) as stub:
        stub.add_response("describe_stacks", {"Stacks": [a_stack(outputs)]}, {"StackName": "Mine"})

        found = account.resources_of(client, "Mine")

    assert found.ledger_table == "any-table"


def test_a_stack_that_is_not_there_is_told_what_to_do() -> None:
    client = boto3.client("cloudformation")
    with Stubber(client) as stub:
        stub.add_client_error("describe_stacks", "ValidationError", "does not exist")

        with pytest.raises(Refused, match="There is no stack Mine in eu-west-1"):
            account.resources_of(client, "Mine")


def test_without_a_sandbox_and_without_aws_both_ways_on_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_region(monkeypatch)

    with pytest.raises(Refused, match="The sandbox is not running: start it with `make"):
        account.find(home=tmp_path, stack="Mine")


def test_who_wants_aws_is_told_nothing_of_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_region(monkeypatch)

    with pytest.raises(Refused, match="AWS needs to know who you are and where"):
        account.find(home=tmp_path, stack="Mine", prefer_aws=True)


def test_a_stack_of_somebody_else_is_refused() -> None:
    with pytest.raises(Refused, match="has no output 'DecideFunction'"):
        Resources.of({k: v for k, v in OUTPUTS.items() if k != "DecideFunction"}, "Mine")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ProfileNotFound(profile="work"), "Mend AWS_PROFILE"),
        (EndpointConnectionError(endpoint_url="http://127.0.0.1:9/"), "does not answer any more"),
        (ReadTimeoutError(endpoint_url="https://states.eu-west-1.amazonaws.com"), "Check the net"),
        (DidNotStart("The sample site did not come up."), "The sample site did not come up."),
    ],
)
def test_what_goes_wrong_on_the_way_is_told_in_a_sentence(error: Exception, said: str) -> None:
    with pytest.raises(Refused, match=said), told_in_sentences():
        raise error


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ExpiredTokenException", "have expired: log in again"),
        ("UnrecognizedClientException", "does not know your credentials"),
        ("AccessDeniedException", "You may not do that with these credentials: not yours"),
        ("ResourceNotFoundException", "AWS refused GetItem with ResourceNotFoundException"),
    ],
)
def test_what_aws_refuses_is_told_in_a_sentence(code: str, said: str) -> None:
    error = ClientError({"Error": {"Code": code, "Message": "not yours"}}, "GetItem")

    with pytest.raises(Refused, match=said), told_in_sentences():
        raise error
    with (
        pytest.raises(Refused, match=said),
        told_in_sentences(),
        translated("DynamoDB", "reading a task"),
    ):
        raise error


def test_what_an_adapter_finds_by_itself_is_told_in_its_own_sentence() -> None:
    with pytest.raises(Refused, match=r"^It is not what was written\.$"), told_in_sentences():
        raise Unexpected("It is not what was written")


def test_a_sandbox_that_is_gone_is_noticed_by_the_call_itself() -> None:
    nobody = boto3.client(
        "dynamodb",
        endpoint_url="http://127.0.0.1:9",
        config=Config(connect_timeout=1, retries={"total_max_attempts": 1}),
    )

    with pytest.raises(Refused, match=r"The sandbox at http://127\.0\.0\.1:9"), told_in_sentences():
        nobody.list_tables()


def without_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")


def a_stack(outputs: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "StackName": "Mine",
        "CreationTime": datetime(2026, 11, 30, tzinfo=UTC),
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": outputs,
    }
