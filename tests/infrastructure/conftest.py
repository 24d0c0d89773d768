"""The app, synthesized once for AWS and once for the sandbox; tests read what came out."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

# Before the first import of aws_cdk, which starts the Node it finds first: ours, not the user's.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.prefix, "bin")), os.environ["PATH"]])

from statemachines.definition import TELLING, Definition, State, definition_in, every_state
from tests.infrastructure.assemblies import Assembly, synthesize
from tests.infrastructure.templates import Template


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return synthesize(tmp_path_factory.mktemp("aws"))


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    told = {
        "site": "127.0.0.1:8099",
        "bootstrap": "#!/bin/sh\nexec any-runtime\n",
        "chaos": '{"folder": "any"}',
        "sources_at_once": 4,
        "seconds_between": 0,
        "approval_window_seconds": 3600,
    }
    file = tmp_path_factory.mktemp("told") / "context.json"
    file.write_text(json.dumps(told))
    return synthesize(tmp_path_factory.mktemp("sandbox"), {"sandbox": str(file)})


@pytest.fixture(params=["template", "sandbox_template"])
def either(request: pytest.FixtureRequest) -> Template:
    """The template of each deployment in turn, for what must hold in both."""
    found: Template = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def template(aws: Assembly) -> Template:
    return aws.template


@pytest.fixture(scope="session")
def sandbox_template(sandbox: Assembly) -> Template:
    return sandbox.template


@pytest.fixture(scope="session")
def definition(template: Template) -> Definition:
    return definition_in(template)


@pytest.fixture(scope="session")
def telling(template: Template) -> Definition:
    """The machine that tells one notice."""
    return definition_in(template, TELLING)


@pytest.fixture(scope="session")
def states(definition: Definition, telling: Definition) -> dict[str, State]:
    """Every state of both machines by name, those inside the Map too."""
    return {**dict(every_state(definition)), **dict(every_state(telling))}


@pytest.fixture(scope="session")
def tasks(states: dict[str, State]) -> dict[str, State]:
    return {name: state for name, state in states.items() if state["Type"] == "Task"}
