"""What a function's role may do, changed for a while."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lambdas.agent.contract import Step
from tests.e2e.account import Account

Actions = list[str]


@contextmanager
def without(account: Account, step: Step, action: str) -> Iterator[None]:
    """Take the action out of the function's policy, and put it back."""
    with granted(account, step, lambda actions: [each for each in actions if each != action]):
        yield


@contextmanager
def granted(account: Account, step: Step, change: Callable[[Actions], Actions]) -> Iterator[None]:
    """Each statement of the function's policy with other actions, and then as it was."""
    iam = account.client("iam")
    role, name, policy = _policy(account, step)
    other = json.loads(json.dumps(policy))
    for statement in other["Statement"]:
        actions = statement["Action"]
        actions = [actions] if isinstance(actions, str) else actions
        statement["Action"] = change(actions) or ["none:None"]
    assert other != policy
    iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(other))
    try:
        yield
    finally:
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(policy))


def _policy(account: Account, step: Step) -> tuple[str, str, dict[str, Any]]:
    """The inline policy of a function's role."""
    iam = account.client("iam")
    role = account.functions()[step.handler]["Role"].rpartition("/")[2]
    (name,) = iam.list_role_policies(RoleName=role)["PolicyNames"]
    document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    return role, name, json.loads(document) if isinstance(document, str) else document
