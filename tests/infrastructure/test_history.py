"""25,000 events end an execution and nothing catches it. The worst case stays well below.

Counted is a run in which every state uses up all its retries each time it is entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

import pytest

from lambdas.adapters.http_fetcher import Limits
from lambdas.adapters.request_schema import RequestModel
from lambdas.agent.approval import EXTENSIONS, REVISIONS
from lambdas.agent.contract import Step, budget
from lambdas.agent.expanding import LAPS
from lambdas.agent.extractive import PIECE
from lambdas.agent.questioning import most_laps
from lambdas.agent.sources import MOST_SOURCES
from statemachines.definition import Definition, State, inside

MOST_EVENTS = 25_000
FEW_ENOUGH = 20_000
SECONDS_A_SOURCE = 0.5
"""To validate one, at the average of the slowest run we accept."""
SECONDS_A_LIST = 0.1
"""To write down why one could not be expanded."""

# Entered and left; for each attempt scheduled, started and ended, with a token submitted too.
_EVENTS = {"Choice": 2, "Wait": 2, "Pass": 2, "Succeed": 2, "Fail": 1, "Map": 2}
_EVENTS_AN_ATTEMPT = {"Map": 2}
_LAMBDA, _TOKEN = 3, 4
_EXECUTION = 2


@pytest.mark.promise("R19", "R29")
def test_the_largest_plan_fits_into_the_history_of_the_run(definition: Definition) -> None:
    """Case B03."""
    sources = RequestModel.model_json_schema()["properties"]["sources"]["maxItems"]

    assert sources == MOST_SOURCES >= 10_000
    assert _worst_case(definition, _LARGEST) < FEW_ENOUGH


@pytest.mark.promise("R19", "R29")
def test_the_longest_expansion_and_the_answers_of_all_revisions_fit_beside_it(
    definition: Definition,
) -> None:
    """PLAN has many laps because it waits for its turn at a host, REPORT because it waits for a
    model. One of them, and one of each revision, uses up all its retries, as every other state
    does; the others go well.
    """
    setting_aside = ceil(MOST_SOURCES * SECONDS_A_LIST / budget(Step.PLAN).step)
    answers = sum(most_laps(revision) for revision in range(1, REVISIONS + 2))

    longest = (LAPS + setting_aside + answers) * _A_LAP
    assert longest + _worst_case(definition, _LARGEST) < MOST_EVENTS * 0.95


def test_as_many_questions_as_a_request_may_have_fit_into_the_laps_of_each_revision() -> None:
    questions = RequestModel.model_json_schema()["properties"]["questions"]["maxItems"]

    assert min(map(most_laps, (1, 2, REVISIONS))) > questions


_A_LAP = _EVENTS["Choice"] + _EVENTS["Wait"] + 2 + _LAMBDA

_LARGEST = {
    **dict.fromkeys(
        ("VALIDATE", "VALIDATE_DONE?"),
        ceil(MOST_SOURCES * SECONDS_A_SOURCE / budget(Step.VALIDATE).step),
    ),
    **dict.fromkeys(("REPORT", "EXPIRE"), REVISIONS + 1),
    **dict.fromkeys(("APPROVE", "DECIDED?"), (REVISIONS + 1) * (EXTENSIONS + 1)),
}
"""How often the states of the largest run are entered."""


@pytest.mark.promise("R19")
def test_the_longest_text_fits_into_the_history_of_its_source(definition: Definition) -> None:
    one_source = inside(definition["States"]["EACH_SOURCE"])
    laps = ceil(Limits().most_bytes / PIECE)  # a lap works one piece at the least

    assert one_source
    entered = dict.fromkeys(("ANALYZE", "ANALYZE_DONE?"), laps)
    assert _worst_case(one_source, entered) < FEW_ENOUGH


@pytest.mark.promise("R29")
def test_the_sources_leave_no_events_of_their_own_in_the_history_of_the_run(
    states: dict[str, State],
) -> None:
    modes = [state["ItemProcessor"]["ProcessorConfig"]["Mode"] for state in _maps(states)]

    assert modes == ["DISTRIBUTED"]


def _worst_case(machine: Definition, entered: Mapping[str, int]) -> int:
    assert entered.keys() <= machine["States"].keys()
    each = [_events(state) * entered.get(name, 1) for name, state in machine["States"].items()]
    return _EXECUTION + sum(each)


def _events(state: State) -> int:
    attempts: int = 1 + sum(rule["MaxAttempts"] for rule in state.get("Retry", ()))
    if state["Type"] == "Task":
        waits = state["Resource"].endswith(".waitForTaskToken")
        return 2 + attempts * (_TOKEN if waits else _LAMBDA)
    return _EVENTS[state["Type"]] + attempts * _EVENTS_AN_ATTEMPT.get(state["Type"], 0)


def _maps(states: Mapping[str, State]) -> list[State]:
    return [state for state in states.values() if state["Type"] == "Map"]
