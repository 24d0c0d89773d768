"""IAM is enforced: a run in an account where one grant is missing fails, and says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lambdas.agent.contract import Status, Step
from tests.e2e.account import Account, task_of
from tests.e2e.grants import without

pytestmark = pytest.mark.e2e


@pytest.mark.promise("R34")
@pytest.mark.parametrize(
    ("function", "action", "dependency"),
    [(Step.PLAN, "s3:PutObject", "S3"), (Step.PLAN, "dynamodb:UpdateItem", "DynamoDB")],
)
def test_a_run_without_one_grant_fails_and_names_what_was_refused(
    account: Account,
    a_request: Callable[..., dict[str, Any]],
    function: Step,
    action: str,
    dependency: str,
) -> None:
    request = a_request()
    with without(account, function, action):
        ended = account.ended(account.start(request))

    assert (ended.status, ended.error) == ("FAILED", "Unexpected")
    assert f"{dependency} refused" in ended.cause
    task = account.task(task_of(request))
    assert task is None or task.status is Status.FAILED
