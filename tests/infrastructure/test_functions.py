"""Every function in the template, ours or one that a construct has brought along."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from aws_cdk import App

from app import deployment_of
from lambdas.adapters.pdf_child import Limits
from lambdas.agent.contract import Step
from lambdas.settings import PREFIX
from stacks.bundles import Bundle
from tests.infrastructure.assemblies import CONTEXT
from tests.infrastructure.templates import (
    Template,
    functions,
    references,
    resources,
    settings_of,
)

SUPPORTED_UNTIL = {
    "python3.13": date(2029, 6, 30),
    "provided.al2023": date(2029, 6, 30),
}
"""From AWS's table of Lambda runtimes. On the day after, this fails and asks for a newer one."""


def test_every_function_has_a_runtime_that_aws_supports_today(either: Template) -> None:
    found = resources(either, "AWS::Lambda::Function").values()
    runtimes = {each["Properties"]["Runtime"] for each in found}

    assert runtimes <= SUPPORTED_UNTIL.keys()
    today = datetime.now(UTC).date()
    assert not {runtime for runtime in runtimes if today > SUPPORTED_UNTIL[runtime]}


def test_no_construct_has_brought_a_function_of_its_own(either: Template) -> None:
    """Such helpers run on a runtime that is not ours to choose and retires unseen."""
    found = resources(either, "AWS::Lambda::Function")

    assert len(found) == len(functions(either)) >= 12
    assert all(handler.startswith("lambdas.") for handler in functions(either))
    kinds = {resource["Type"] for resource in either["Resources"].values()}
    assert not [kind for kind in kinds if kind.startswith(("Custom::", "AWS::CloudFormation::"))]


def test_on_aws_all_run_on_arm64_and_python_without_layers(template: Template) -> None:
    for properties in functions(template).values():
        assert properties["Architectures"] == ["arm64"]
        assert properties["Runtime"] == "python3.13"
        assert "Layers" not in properties


def test_in_the_sandbox_all_bring_their_runtime_along(sandbox_template: Template) -> None:
    runtimes = {each["Runtime"] for each in functions(sandbox_template).values()}

    assert runtimes == {"provided.al2023"}


def test_every_function_is_told_where_the_deployments_resources_are(either: Template) -> None:
    for properties in functions(either).values():
        settings = settings_of(properties)
        assert settings.ledger_table == "${StorageLedger}"
        assert settings.artifact_bucket == "${StorageArtifacts}"
        assert settings.event_bus == "default"
        assert settings.contact == CONTEXT["contact"]


def test_a_function_is_told_its_settings_and_how_to_log_and_nothing_else(either: Template) -> None:
    for properties in functions(either).values():
        variables = properties["Environment"]["Variables"]
        assert {name for name in variables if name.startswith(PREFIX)} == set(
            settings_of(properties).as_environment()
        )
        assert all(name.startswith((PREFIX, "POWERTOOLS_")) for name in variables)


def test_only_in_the_sandbox_may_an_address_of_the_own_machine_be_read(
    template: Template, sandbox_template: Template
) -> None:
    told = [settings_of(each).loopback_site for each in functions(template).values()]
    in_the_sandbox = [
        settings_of(each).loopback_site for each in functions(sandbox_template).values()
    ]

    assert set(told) == {""}
    assert set(in_the_sandbox) == {"127.0.0.1:8099"}


def test_hosts_are_given_a_pause_unless_the_deployment_says_otherwise(
    template: Template, sandbox_template: Template
) -> None:
    told = {settings_of(each).seconds_between for each in functions(template).values()}
    in_the_sandbox = {
        settings_of(each).seconds_between for each in functions(sandbox_template).values()
    }

    assert (told, in_the_sandbox) == ({1.0}, {0.0})


@pytest.mark.parametrize(("told", "seconds"), [("2.5", 2.5), (0, 0.0), (60, 60.0)])
def test_the_pause_is_set_by_the_context(told: object, seconds: float) -> None:
    app = App(context={**CONTEXT, "seconds_between": told})

    assert deployment_of(app).seconds_between == seconds


@pytest.mark.parametrize("told", ["-1", "60.1", "nan", "inf", "often", "", [1]])
def test_a_pause_that_cannot_be_is_refused_with_what_to_write(told: object) -> None:
    app = App(context={**CONTEXT, "seconds_between": told})

    with pytest.raises(ValueError, match=r"seconds_between is .+: write .+ from 0 to 60"):
        deployment_of(app)


def test_only_in_the_sandbox_may_functions_be_told_to_die(
    template: Template, sandbox_template: Template
) -> None:
    told = [settings_of(each).chaos for each in functions(template).values()]
    in_the_sandbox = [settings_of(each).chaos for each in functions(sandbox_template).values()]

    assert set(told) == {""}
    assert set(in_the_sandbox) == {'{"folder": "any"}'}


def test_the_function_that_reads_pdfs_has_room_for_itself_beside_the_process_that_does(
    template: Template,
) -> None:
    memory = functions(template)[Step.EXTRACT.handler]["MemorySize"] * 2**20

    assert memory - Limits().memory >= 400 * 2**20


def test_each_function_writes_to_a_log_of_its_own(either: Template) -> None:
    logs = [
        name
        for properties in functions(either).values()
        for name in references(properties["LoggingConfig"]["LogGroup"])
    ]

    assert len(set(logs)) == len(functions(either))
    assert set(logs) <= resources(either, "AWS::Logs::LogGroup").keys()


@pytest.mark.parametrize("step", [Step.PLAN, Step.FETCH, Step.EXTRACT])
def test_what_reads_the_web_and_its_pages_is_carried_by_one_function_each(
    template: Template, step: Step
) -> None:
    bundle = {handler: each["Code"]["S3Key"] for handler, each in functions(template).items()}

    its_own = bundle[step.handler]
    assert [handler for handler, key in bundle.items() if key == its_own] == [step.handler]
    assert len(set(bundle.values())) == len(Bundle)
