"""What a diagram cannot show: the timeout, the retries and the data of each state that works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import ascii_lowercase
from typing import Any

from statemachines.definition import Definition, State, every_state, ways_from

_HEAD = ("state", "timeout", "retries", "a failure goes to", "is told", "its answer stays at")


def state_table(definition: Definition) -> str:
    """A row for each Task state, and under it how the retries go that the rows name."""
    tasks = {name: state for name, state in every_state(definition) if state["Type"] == "Task"}
    manners: dict[str, str] = {}
    for state in tasks.values():
        for retry in state["Retry"]:
            manners.setdefault(_manner(retry), ascii_lowercase[len(manners)])
    rows = [_row(name, state, manners) for name, state in tasks.items()]
    lines = [_line(_HEAD), _line(("---",) * len(_HEAD)), *map(_line, rows)]
    legend = [f"* **{letter}**: {manner}" for manner, letter in manners.items()]
    return "\n".join([*lines, "", *legend])


def _row(name: str, state: State, manners: Mapping[str, str]) -> tuple[str, ...]:
    retries = (
        f"{manners[_manner(retry)]} × {retry['MaxAttempts']}"  # noqa: RUF001 a times sign
        for retry in state["Retry"]
    )
    failures = (f"{way.to} ({way.when})" for way in ways_from(name, state) if way.after_failure)
    told = state["Parameters"].get("Payload", state["Parameters"])
    kept = state.get("ResultPath", "$")
    return (
        name,
        _span(state["TimeoutSeconds"]),
        ", ".join(retries),
        "<br>".join(failures),
        "<br>".join(_paths(told)),
        f"`{kept}`" if kept else "not kept",
    )


def _manner(retry: Mapping[str, Any]) -> str:
    """How it is retried, in words; how often is the state's own affair."""
    errors = ", ".join(f"`{name}`" for name in retry["ErrorEquals"])
    first, rate = retry["IntervalSeconds"], retry["BackoffRate"]
    words = [f"every {first} s" if rate == 1 else f"after {first} s, then {rate} times as long"]
    if "MaxDelaySeconds" in retry:
        words.append(f"at most {retry['MaxDelaySeconds']} s")
    if "JitterStrategy" in retry:
        words.append(f"{retry['JitterStrategy'].lower()} jitter")
    return f"{', '.join(words)}, on {errors}"


def _paths(told: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Each value that is looked up, and where; what is always the same is left out."""
    for key, value in told.items():
        name = within + key.removesuffix(".$")
        if isinstance(value, Mapping):
            yield from _paths(value, f"{name}.")
        elif key.endswith(".$"):
            yield f"`{name}` from `{value}`"


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds % 3600 else f"{seconds // 3600} h"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
