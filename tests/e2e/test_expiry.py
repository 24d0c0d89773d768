"""A person who does not answer. The deployed definition, with a wait of two seconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lambdas.agent.contract import Status
from tests.e2e.account import Account, task_of
from tests.e2e.events import Events

pytestmark = pytest.mark.e2e


@pytest.fixture
def impatient(account: Account) -> Iterator[str]:
    """The deployed state machine once more, whose APPROVE waits for two seconds."""
    sfn = account.client("stepfunctions")
    deployed = sfn.describe_state_machine(stateMachineArn=account.outputs["StateMachine"])
    definition = json.loads(deployed["definition"])
    definition["States"]["APPROVE"]["TimeoutSeconds"] = 2
    machine = sfn.create_state_machine(
        name="impatient", definition=json.dumps(definition), roleArn=deployed["roleArn"]
    )["stateMachineArn"]
    yield machine
    sfn.delete_state_machine(stateMachineArn=machine)


@pytest.mark.promise("R26")
def test_an_approval_that_nobody_gives_ends_as_expired_and_publishes_nothing(
    account: Account,
    a_request: Callable[..., dict[str, Any]],
    impatient: str,
    events: Events,
) -> None:
    request = a_request()
    task = task_of(request)

    ended = account.ended(account.start(request, machine=impatient))

    record = account.task(task)
    assert record is not None
    assert (ended.status, record.status) == ("SUCCEEDED", Status.EXPIRED)
    assert (record.result_uri, record.error_code) == ("", "")
    assert events.ends(task) == ["TaskExpired"]
    late = account.decide(task, "APPROVED")
    assert (late["decision"], late["already"], late["heard"]) == ("EXPIRED", True, False)
    after = account.task(task)
    assert after is not None
    assert (after.status, after.result_uri) == (Status.EXPIRED, "")
