"""The story as a page of documentation: a Mermaid diagram, as GitHub draws it, and a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from statemachines.definition import Definition, State, Way, every_state, inside, ways
from statemachines.state_table import state_table

_PAGE = """\
# The story

`make diagram` writes this page from the synthesized state machine, and `make check` fails when it
is out of date. Do not edit it.

{diagram}

An arrow says when it is taken; one without words is the ordinary way. *any error* is what no retry
has healed. Dashed states only choose, orange ones are entered by what was caught, and in red ones
the execution fails. The states in the box run for each entry of the manifest, each entry in an
execution of its own, {at_once} at a time.

## What each state is given

{table}

## How others are told

Beside the run, and after it: one execution for each notice and each channel
([what is told](events.md)). What nobody takes ends in PARKED and undoes nothing.

{told_diagram}

{told_table}
"""

_STYLES = """\
classDef asks stroke-dasharray:4 4
classDef caught stroke:#d97706,stroke-width:2px
classDef fails stroke:#dc2626,stroke-width:3px"""


def page(definition: Definition, telling: Definition) -> str:
    states = dict(every_state(definition)).values()
    at_once = {state["MaxConcurrency"] for state in states if state["Type"] == "Map"}
    return _PAGE.format(
        diagram=diagram(definition),
        table=state_table(definition),
        told_diagram=diagram(telling),
        told_table=state_table(telling),
        at_once=", ".join(map(str, sorted(at_once))),
    )


def diagram(definition: Definition) -> str:
    lines = [*_machine(definition), *_STYLES.splitlines(), *_styled(definition)]
    return "\n".join(["```mermaid", "stateDiagram-v2", *_indented(lines), "```"])


def _machine(definition: Definition) -> Iterator[str]:
    yield f"[*] --> {_id(definition['StartAt'])}"
    for name, state in definition["States"].items():
        yield from _state(name, state)
    for way in ways(definition):
        yield _arrow(way)
    for name, state in definition["States"].items():
        if state.get("End") or state["Type"] == "Succeed":
            yield f"{_id(name)} --> [*]"


def _state(name: str, state: State) -> Iterator[str]:
    """Declared only where Mermaid would not draw it by its mere name."""
    if inner := inside(state):
        yield f"state {_id(name)} {{"
        yield from _indented(_machine(inner))
        yield "}"
    elif _id(name) != name:
        yield f'state "{name}" as {_id(name)}'


def _arrow(way: Way) -> str:
    arrow = f"{_id(way.start)} --> {_id(way.to)}"
    return f"{arrow}: {way.when}" if way.when else arrow


def _styled(definition: Definition) -> Iterator[str]:
    """Beside the states and not within a Map's box, where Mermaid ignores it."""
    states = dict(every_state(definition))
    caught = {catch["Next"] for state in states.values() for catch in state.get("Catch", ())}
    for name, state in states.items():
        if state["Type"] == "Fail":
            yield f"class {_id(name)} fails"
        elif name in caught:
            yield f"class {_id(name)} caught"
        elif state["Type"] == "Choice":
            yield f"class {_id(name)} asks"


def _id(name: str) -> str:
    """Mermaid knows letters, digits and underscores; two names never become one."""
    return re.sub(r"\W", lambda found: f"_{ord(found.group())}_", name)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
