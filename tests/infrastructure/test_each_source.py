"""The Distributed Map: the cursor over the manifest."""

from __future__ import annotations

import pytest

from lambdas.agent.contract import Step
from statemachines.definition import State, definition_in, inside, machine_in
from tests.infrastructure.templates import Template, permissions, references, resources

MACHINE = "${MachineResearch}"
EXECUTION = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:execution"


@pytest.fixture
def each_source(states: dict[str, State]) -> State:
    (found,) = (state for state in states.values() if state["Type"] == "Map")
    return found


@pytest.mark.promise("R26", "R29")
def test_each_source_runs_in_a_standard_execution_of_its_own(each_source: State) -> None:
    config = each_source["ItemProcessor"]["ProcessorConfig"]

    assert config == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}


@pytest.mark.promise("R16", "R26")
def test_the_items_are_a_json_array_in_the_bucket_and_come_one_by_one(each_source: State) -> None:
    reader = each_source["ItemReader"]

    assert reader["Resource"].endswith(":states:::s3:getObject")
    assert reader["ReaderConfig"] == {"InputType": "JSON"}
    assert reader["Parameters"]["Key.$"] == "$.manifest"
    assert "ItemBatcher" not in each_source


@pytest.mark.parametrize(("deployment", "at_once"), [("aws", 10), ("sandbox", 4)])
def test_the_number_of_sources_at_once_is_the_deployments(
    request: pytest.FixtureRequest, deployment: str, at_once: int
) -> None:
    template = request.getfixturevalue(deployment).template

    assert definition_in(template)["States"]["EACH_SOURCE"]["MaxConcurrency"] == at_once


@pytest.mark.promise("R4")
def test_what_the_sources_gave_goes_to_the_bucket_and_out_of_the_state(each_source: State) -> None:
    writer = each_source["ResultWriter"]

    assert writer["Resource"].endswith(":states:::s3:putObject")
    assert writer["Parameters"]["Prefix"] == "map-results"
    assert "WriterConfig" not in writer
    assert each_source["ResultPath"] is None


@pytest.mark.promise("R21")
def test_a_source_that_fails_is_set_aside_within_its_own_execution(each_source: State) -> None:
    """Case B25.

    No failure is tolerated by number, and none reaches the Map: each item catches its own.
    """
    inner = inside(each_source)
    assert inner

    for name in (Step.FETCH, Step.EXTRACT, Step.ANALYZE):
        assert [catch["Next"] for catch in inner["States"][name]["Catch"]] == [Step.SET_ASIDE]
    assert not [name for name, state in inner["States"].items() if state["Type"] == "Fail"]
    assert not [key for key in each_source if key.startswith("ToleratedFailure")]


def test_a_map_that_fails_itself_is_recorded(each_source: State) -> None:
    (catch,) = each_source["Catch"]

    assert catch["ErrorEquals"] == ["States.ALL"]
    assert catch["ResultPath"] == "$.failure"
    assert catch["Next"] == Step.RECORD_FAILURE


@pytest.mark.promise("R29")
def test_the_machine_may_start_describe_stop_and_redrive_its_own_children(
    template: Template,
) -> None:
    held = {(each.action, each.resource) for each in permissions(template)}

    assert {
        ("states:StartExecution", MACHINE),
        ("states:DescribeExecution", f"{EXECUTION}:{MACHINE[:-1]}.Name}}:*"),
        ("states:StopExecution", f"{EXECUTION}:{MACHINE[:-1]}.Name}}:*"),
        ("states:RedriveExecution", f"{EXECUTION}:{MACHINE[:-1]}.Name}}/*:*"),
    } <= held


def test_the_permission_to_start_children_stands_in_a_policy_the_machine_does_not_wait_for(
    template: Template,
) -> None:
    machine, resource = machine_in(template)
    policies = resources(template, "AWS::IAM::Policy")
    waits_for = resource["DependsOn"]

    about_the_machine = {
        name for name, policy in policies.items() if machine in set(references(policy))
    }
    assert about_the_machine
    assert not about_the_machine & set(waits_for)


def test_each_source_knows_when_the_runs_time_is_over(states: dict[str, State]) -> None:
    (each,) = (state for state in states.values() if state["Type"] == "Map")
    inner = inside(each)
    assert inner is not None

    assert each["ItemSelector"]["until.$"] == "$.until"
    for step in (Step.FETCH, Step.ANALYZE):
        assert inner["States"][step]["Parameters"]["context"]["until.$"] == "$.until"
