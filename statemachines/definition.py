"""A synthesized definition, read back: its states, and the ways that lead from one to another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

State = Mapping[str, Any]
Definition = Mapping[str, Any]
"""A machine, or the inside of a Map: where it starts, and its states by name."""

ANY_ERROR = "States.ALL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one state follows another. `when` is empty where nothing is asked."""

    start: str
    to: str
    when: str = ""
    after_failure: bool = False


RESEARCH, TELLING = "MachineResearch", "TellingMachine"
"""What the ids of the two machines in a template begin with."""


def machine_in(template: Mapping[str, Any], named: str = RESEARCH) -> tuple[str, Mapping[str, Any]]:
    """A state machine of the template, and its id there."""
    (found,) = (
        (id_, resource)
        for id_, resource in template["Resources"].items()
        if resource["Type"] == "AWS::StepFunctions::StateMachine" and id_.startswith(named)
    )
    return found


def definition_in(template: Mapping[str, Any], named: str = RESEARCH) -> Definition:
    """The definition of a state machine, with "${Name.Arn}" for what only the deployment knows."""
    _, machine = machine_in(template, named)
    told = machine["Properties"]["DefinitionString"]
    parts = [told] if isinstance(told, str) else told["Fn::Join"][1]
    definition: Definition = json.loads("".join(map(_stand_in, parts)))
    return definition


def inside(state: State) -> Definition | None:
    """What a Map does with each of its items."""
    found: Definition | None = state.get("ItemProcessor")
    return found


def every_state(definition: Definition) -> Iterator[tuple[str, State]]:
    """Also the states inside a Map, after the Map itself."""
    for name, state in definition["States"].items():
        yield name, state
        if inner := inside(state):
            yield from every_state(inner)


def ways(definition: Definition) -> Iterator[Way]:
    """The ways of this machine alone: those inside a Map are the Map's own."""
    for name, state in definition["States"].items():
        yield from ways_from(name, state)


def ways_from(name: str, state: State) -> Iterator[Way]:
    for choice in state.get("Choices", ()):
        yield Way(start=name, to=choice["Next"], when=_condition(choice))
    if "Default" in state:
        yield Way(start=name, to=state["Default"], when="otherwise")
    if "Next" in state:
        yield Way(start=name, to=state["Next"])
    for number, catch in enumerate(state.get("Catch", ())):
        any_error = "any other error" if number else "any error"
        when = ", ".join(catch["ErrorEquals"]).replace(ANY_ERROR, any_error)
        yield Way(start=name, to=catch["Next"], when=when, after_failure=True)


def _condition(rule: Mapping[str, Any]) -> str:
    """A Choice's rule in words. That a value is there goes without saying where it is compared."""
    if "And" in rule:
        compared = [each for each in rule["And"] if "IsPresent" not in each]
        return " and ".join(map(_condition, compared or rule["And"]))
    told = {key: value for key, value in rule.items() if key not in {"Variable", "Next"}}
    ((operator, value),) = told.items()
    if "Variable" not in rule:
        raise ValueError(f"The diagram has no words for the condition {operator}: add them here")
    name = rule["Variable"].rpartition(".")[2]
    if operator == "IsPresent":
        return f"there is {name}"
    compares = "=" if operator.endswith("Equals") else _COMPARES.get(operator, operator)
    return f"{name} {compares} {value if isinstance(value, str) else json.dumps(value)}"


_COMPARES = {"NumericGreaterThan": ">"}


def _stand_in(part: str | Mapping[str, Any]) -> str:
    match part:
        case str():
            return part
        case {"Fn::GetAtt": [name, attribute]}:
            return f"${{{name}.{attribute}}}"
        case {"Ref": name}:
            return f"${{{name}}}"
    raise ValueError(f"{json.dumps(part)} in the definition: say how it is read")
