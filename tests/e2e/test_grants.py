"""IAM is enforced: a run in an account where one grant is missing fails, and says which."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lambdas.agent.contract import Status, Step
from tests.e2e.account import Account, task_of

pytestmark = pytest.mark.e2e


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("function", "action", "dependency"),
    [("PLAN", "s3:PutObject", "S3"), ("PLAN", "dynamodb:UpdateItem", "DynamoDB")],
)
def test_a_run_without_one_grant_fails_and_names_what_was_refused(
    account: Account,
    a_request: Callable[..., dict[str, Any]],
    function: str,
    action: str,
    dependency: str,
) -> None:
    request = a_request()
    with _without(account, function, action):
        ended = account.ended(account.start(request))

    assert (ended.status, ended.error) == ("FAILED", "Unexpected")
    assert f"{dependency} refused" in ended.cause
    task = account.task(task_of(request))
    assert task is None or task.status is Status.FAILED


@contextmanager
def _without(account: Account, function: str, action: str) -> Iterator[None]:
    """Take the action out of the function's policy, and put it back."""
    iam = account.client("iam")
    role, name, policy = _policy(account, function)
    lesser = json.loads(json.dumps(policy))
    for statement in lesser["Statement"]:
        actions = statement["Action"]
        actions = [actions] if isinstance(actions, str) else actions
        statement["Action"] = [each for each in actions if each != action] or ["none:None"]
    assert lesser != policy
    iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(lesser))
    try:
        yield
    finally:
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(policy))


def _policy(account: Account, function: str) -> tuple[str, str, dict[str, Any]]:
    """The inline policy of a function's role; the role's name begins with its logical id."""
    iam = account.client("iam")
    role = account.functions()[Step(function).handler]["Role"].rpartition("/")[2]
    (name,) = iam.list_role_policies(RoleName=role)["PolicyNames"]
    document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    return role, name, json.loads(document) if isinstance(document, str) else document
