"""The state machine and the code agree, and the graph holds together.

What is read is the synthesized definition, not the Python that wrote it: a Catch that was lost on
the way is missing here too.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from itertools import pairwise

import pytest

from lambdas.agent.contract import Door, Step
from statemachines.definition import (
    RESEARCH,
    TELLING,
    Definition,
    State,
    definition_in,
    inside,
    ways,
)
from tests.infrastructure.assemblies import PROJECT
from tests.infrastructure.templates import Template, functions, references, resources


@pytest.mark.promise("R25")
def test_the_states_that_run_code_are_the_steps(tasks: dict[str, State]) -> None:
    assert tasks.keys() == {step.value for step in Step}
    assert len(tasks) >= 11


@pytest.mark.parametrize(("folder", "names"), [("steps", Step), ("doors", Door)])
def test_each_step_and_each_door_is_a_file_and_each_file_is_one(
    folder: str, names: type[Step | Door]
) -> None:
    files = {path.stem for path in (PROJECT / "lambdas" / folder).glob("[!_]*.py")}

    assert files == {name.value.lower() for name in names}


@pytest.mark.parametrize("name", [*Step, *Door])
def test_what_a_handler_names_can_be_called(name: Step | Door) -> None:
    module, _, function = name.handler.rpartition(".")

    assert callable(getattr(importlib.import_module(module), function))


def test_there_is_one_function_for_each_step_and_door(either: Template) -> None:
    assert functions(either).keys() == {name.handler for name in (*Step, *Door)}


@pytest.mark.parametrize("step", Step)
def test_each_state_calls_its_own_function_and_says_which_step_it_is(
    template: Template, tasks: dict[str, State], step: Step
) -> None:
    state = tasks[step]
    handlers = {
        f"${{{name}.Arn}}": resource["Properties"]["Handler"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Lambda::Function"
    }

    called = state["Parameters"].get("FunctionName", state["Resource"])
    told = state["Parameters"].get("Payload", state["Parameters"])
    assert handlers[called] == step.handler
    assert told["step"] == step


@pytest.mark.promise("R25")
def test_the_steps_follow_each_other_as_the_story_tells(definition: Definition) -> None:
    map_, one_source = "EACH_SOURCE", inside(definition["States"]["EACH_SOURCE"])
    report = ("VALIDATE", "VALIDATE_DONE?", "REPORT", "REPORT_DONE?", "APPROVE")

    assert definition["StartAt"] == "REQUEST"
    assert definition["States"]["REQUEST"]["Next"] == "PLAN"
    assert _way(definition, "PLAN", "PLAN_DONE?", "BEGIN?", "LEFT?", map_, *report)
    assert _way(definition, "PLAN_DONE?", "PLAN_WAIT", "PLAN")
    assert _way(definition, "LEFT?", *report)  # a later run that finds everything read
    assert _way(definition, "APPROVE", "DECIDED?", "PUBLISH", "COMPLETE")
    assert one_source
    assert one_source["StartAt"] == "FETCH"
    assert _way(one_source, "FETCH", "FETCH_DONE?", "TWIN?", "EXTRACT", "EXTRACT_DONE?")
    assert _way(one_source, "TWIN?", "READ_BY_TWIN")
    assert _way(one_source, "EXTRACT_DONE?", "ANALYZE", "ANALYZE_DONE?", "SOURCE_READ")


def test_a_notice_is_told_until_it_is_taken_or_given_up(telling: Definition) -> None:
    assert telling["StartAt"] == "TELL"
    assert _way(telling, "TELL", "TELL_DONE?", "TAKEN?", "TOLD")
    assert _way(telling, "TELL_DONE?", "TELL_WAIT", "TELL")
    assert _way(telling, "TELL_DONE?", "TELL")
    assert _way(telling, "TAKEN?", "PARKED")


@pytest.mark.promise("R25")
def test_every_state_can_be_reached_and_no_way_leads_nowhere(
    definition: Definition, telling: Definition
) -> None:
    """Case B08."""
    machines = [*_machines(definition), *_machines(telling)]

    assert len(machines) == 3
    for machine in machines:
        targets = {way.to for way in ways(machine)}
        assert targets <= machine["States"].keys()
        assert _reached(machine) == machine["States"].keys()


def test_every_state_leads_on_or_ends(states: dict[str, State]) -> None:
    for name, state in states.items():
        leads_on = {"Next", "Default"} & state.keys()
        ends = state.get("End") is True or state["Type"] in {"Succeed", "Fail"}
        assert bool(leads_on) is not ends, name


def test_the_language_is_jsonpath_throughout(either: Template) -> None:
    for machine in (RESEARCH, TELLING):
        told = definition_in(either, machine)
        assert "QueryLanguage" not in json.dumps(told)
        assert "{%" not in json.dumps(told)
        assert not {"Arguments", "Output", "Assign"} & set(_keys(told))


def test_no_state_relies_on_what_an_output_path_does_to_a_caught_error(
    states: dict[str, State],
) -> None:
    """Case B10."""
    assert not [name for name, state in states.items() if {"OutputPath", "Catch"} <= state.keys()]


def test_the_machine_is_standard_for_names_are_unique_and_tokens_wait(either: Template) -> None:
    machines = resources(either, "AWS::StepFunctions::StateMachine")

    assert len(machines) == 2
    assert {each["Properties"]["StateMachineType"] for each in machines.values()} == {"STANDARD"}


@pytest.mark.promise("R33")
def test_the_machine_logs_every_event_and_no_data(either: Template) -> None:
    for machine in resources(either, "AWS::StepFunctions::StateMachine").values():
        told = machine["Properties"]["LoggingConfiguration"]
        (destination,) = told["Destinations"]
        (log,) = references(destination)
        assert told["Level"] == "ALL"
        assert told["IncludeExecutionData"] is False
        assert either["Resources"][log]["Properties"]["RetentionInDays"] > 0


@pytest.mark.promise("R30")
def test_the_machine_and_every_function_are_traced(either: Template) -> None:
    machines = resources(either, "AWS::StepFunctions::StateMachine").values()

    assert {each["Properties"]["TracingConfiguration"]["Enabled"] for each in machines} == {True}
    traced = {each["TracingConfig"]["Mode"] for each in functions(either).values()}
    assert traced == {"Active"}


def _machines(definition: Definition) -> Iterator[Definition]:
    yield definition
    for state in definition["States"].values():
        if inner := inside(state):
            yield from _machines(inner)


def _reached(machine: Definition) -> set[str]:
    reached, waiting = set[str](), {machine["StartAt"]}
    while waiting:
        reached |= waiting
        waiting = {way.to for way in ways(machine) if way.start in reached} - reached
    return reached


def _way(machine: Definition, *names: str) -> bool:
    """Whether these states follow each other when nothing fails."""
    known = {(way.start, way.to) for way in ways(machine) if not way.after_failure}
    return known >= set(pairwise(names))


def _keys(value: object) -> Iterator[str]:
    match value:
        case dict():
            yield from value
            for each in value.values():
                yield from _keys(each)
        case list():
            for each in value:
                yield from _keys(each)
