"""Starting: two starts of one request are one task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from console.begin import begin
from console.errors import Refused
from console.requests import Prepared, prepare
from lambdas.agent.identity import execution_name
from tests.console.bench import Bench, a_request, published, until_asked


@pytest.mark.promise("R27")
def test_starts_an_execution_named_after_the_task(bench: Bench) -> None:
    prepared = a_prepared()

    begun = begin(bench.account, prepared)

    assert begun.is_new
    assert not begun.is_over
    assert names(bench) == [execution_name(prepared.task_id, 1)]


@pytest.mark.promise("R28")
def test_two_starts_at_once_are_one_execution(bench: Bench) -> None:
    begin(bench.account, a_prepared())

    begin(bench.account, a_prepared())

    assert len(names(bench)) == 1


@pytest.mark.promise("R28")
def test_a_start_that_others_won_is_followed_before_it_has_a_record(bench: Bench) -> None:
    bench.story()

    begun = begin(bench.account, a_prepared())

    assert not begun.is_new
    assert not begun.is_over
    assert len(names(bench)) == 1


@pytest.mark.promise("R28")
def test_a_task_that_is_under_way_is_found_and_not_started(bench: Bench) -> None:
    story = until_asked(bench.story())

    begun = begin(bench.account, a_prepared())

    assert begun.name == story.execution
    assert not begun.is_over
    assert len(names(bench)) == 1


def test_a_task_that_is_done_is_over(bench: Bench) -> None:
    published(bench, bench.story())

    begun = begin(bench.account, a_prepared())

    assert begun.is_over
    assert begun.task
    assert begun.task.result_uri.startswith("s3://artifacts/published/")


def test_a_task_whose_execution_broke_off_is_over_though_its_record_says_otherwise(
    bench: Bench,
) -> None:
    bench.ends(until_asked(bench.story()))

    assert begin(bench.account, a_prepared()).is_over


def test_an_execution_that_failed_before_there_was_a_record_is_over(bench: Bench) -> None:
    bench.ends(bench.story())

    begun = begin(bench.account, a_prepared())

    assert begun.is_over
    assert begun.task is None


@pytest.mark.promise("R28")
@pytest.mark.parametrize("is_the_same", [True, False])
def test_a_record_that_is_written_while_a_start_looks_is_held_against_it(
    bench: Bench, is_the_same: bool
) -> None:
    story = until_asked(bench.story())
    account = replace(bench.account, dynamodb=cast("Any", SeenLate(bench.account.dynamodb)))

    if is_the_same:
        assert begin(account, a_prepared()).name == story.execution
    else:
        with pytest.raises(Refused, match=r"of its own, or add --fresh\.$"):
            begin(account, a_prepared(coverage=0.9))


def test_another_request_under_the_same_workflow_is_refused(bench: Bench) -> None:
    until_asked(bench.story())

    with pytest.raises(Refused, match="was started with another request"):
        begin(bench.account, a_prepared(coverage=0.9))

    assert len(names(bench)) == 1


class SeenLate:
    """DynamoDB, whose first look finds nothing yet."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._looks = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def get_item(self, **asked: Any) -> Any:
        self._looks += 1
        return self._client.get_item(**asked) if self._looks > 1 else {}


def a_prepared(**fields: object) -> Prepared:
    return prepare(a_request(**fields), site="")


def names(bench: Bench) -> list[str]:
    machine = bench.account.resources.state_machine
    found = bench.account.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    return [execution["name"] for execution in found]
