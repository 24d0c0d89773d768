"""Deadlines nest: a call in its step, a step in its function, a function in its state and lease."""

from __future__ import annotations

import pytest

from lambdas.agent.contract import LAMBDA_MAXIMUM, LEASE_MARGIN, Step, budget
from statemachines.definition import State, definition_in
from tests.infrastructure.assemblies import Assembly
from tests.infrastructure.templates import Template, functions

WAITS_FOR_A_PERSON = ".waitForTaskToken"
every_step = pytest.mark.parametrize("step", Step)
steps_that_do_not_wait = pytest.mark.parametrize(
    "step", [step for step in Step if step is not Step.APPROVE]
)


@every_step
@pytest.mark.promise("R17", "R18")
def test_a_function_outlives_its_step_and_the_steps_calls(either: Template, step: Step) -> None:
    timeout = functions(either)[step.handler]["Timeout"]

    limits = budget(step)
    assert limits.call < limits.step
    assert limits.step + limits.margin <= timeout
    assert timeout <= LAMBDA_MAXIMUM


@steps_that_do_not_wait
@pytest.mark.promise("R18", "R23")
def test_a_state_gives_up_after_its_function_and_before_the_lease_is_over(
    template: Template, tasks: dict[str, State], step: Step
) -> None:
    """After: it is Lambda that says which timeout fired. Before: nobody takes over from a worker
    that may still be alive.
    """
    timeout = functions(template)[step.handler]["Timeout"]

    assert timeout < tasks[step]["TimeoutSeconds"] < budget(step).lease


@every_step
@pytest.mark.promise("R9")
def test_a_lease_ends_shortly_after_the_function_would_have_been_killed(
    template: Template, step: Step
) -> None:
    """Case A16."""
    timeout = functions(template)[step.handler]["Timeout"]

    assert timeout < budget(step).lease <= timeout + LEASE_MARGIN


@pytest.mark.promise("R26")
def test_every_state_that_works_or_waits_has_an_end_in_time(tasks: dict[str, State]) -> None:
    for name, state in tasks.items():
        assert state["TimeoutSeconds"] > 0, name


@pytest.mark.promise("R26")
def test_only_approve_waits_for_a_person(tasks: dict[str, State]) -> None:
    waiting = {name for name, state in tasks.items() if WAITS_FOR_A_PERSON in state["Resource"]}

    assert waiting == {Step.APPROVE}
    assert tasks[Step.APPROVE]["Parameters"]["Payload"]["context"]["task_token.$"]


@pytest.mark.parametrize(("deployment", "seconds"), [("aws", 72 * 3600), ("sandbox", 3600)])
def test_a_person_has_as_long_as_the_deployment_says(
    request: pytest.FixtureRequest, deployment: str, seconds: int
) -> None:
    assembly: Assembly = request.getfixturevalue(deployment)

    approve = definition_in(assembly.template)["States"][Step.APPROVE]
    assert approve["TimeoutSeconds"] == seconds
