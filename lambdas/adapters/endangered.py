"""Ports among which the process dies on purpose, in the sandbox only."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lambdas.adapters.chaos import Chaos, When
from lambdas.agent.contract import LAMBDA_MAXIMUM
from lambdas.agent.identity import digest
from lambdas.agent.model import Unit, UnitRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A death that was died."""

    task_id: str
    step: str
    item: str
    when: str
    call: str
    calls: tuple[str, ...]
    """Those that had come back before, in the same invocation."""
    held: bool
    """The lease was the worker's: its attempt is lost, and its heir waits for the lease's end."""


def die(when: When) -> None:
    """Without a word: nothing is caught, flushed or closed, as when Lambda ends a process."""
    if when is When.HANG:
        time.sleep(LAMBDA_MAXIMUM)
    os.kill(os.getpid(), signal.SIGKILL)


class Endangered:
    """The ports of one invocation. Whose death it would be is known from its first claim on."""

    def __init__(self, ports: Any, chaos: Chaos, die: Callable[[When], None] = die) -> None:
        self._ports = ports
        self._chaos = chaos
        self._die = die
        self._unit: Unit | None = None
        self._held = False
        self._calls: list[str] = []

    def __getattr__(self, port: str) -> Any:
        found = getattr(self._ports, port)
        # Looking at the clock changes nothing that another worker could find.
        return found if port == "clock" or found is None else _Port(self, port, found)

    def pass_through(self, name: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Unit):
            self._unit = args[0]
        number = self._calls.count(name)
        self._perhaps_die(When.HANG, name, number)
        self._perhaps_die(When.BEFORE, name, number)
        answer = call(*args, **kwargs)
        # A generator does nothing until it is asked: its reading belongs to the call.
        answer = iter(list(answer)) if isinstance(answer, Iterator) else answer
        self._note(name, answer)
        self._perhaps_die(When.AFTER, name, number)
        return answer

    def _note(self, name: str, answer: Any) -> None:
        self._calls.append(name)
        if isinstance(answer, UnitRecord):
            self._held = not answer.is_done
        elif name == "ledger.commit":
            self._held = False

    def _perhaps_die(self, when: When, call: str, number: int) -> None:
        if self._unit is None:
            return
        death = self._chaos.death(self._unit, when, call, number)
        if death and self._is_new(death, self._unit, when, call):
            self._die(when)

    def _is_new(self, death: str, unit: Unit, when: When, call: str) -> bool:
        """Leave the marker; False where it lies already, or where the unit has died enough."""
        folder, whose = Path(self._chaos.folder), digest(unit.task_id, unit.step, unit.item)[:16]
        if len(list(folder.glob(f"{whose}-*"))) >= self._chaos.each:
            return False
        marker = Marker(
            task_id=unit.task_id,
            step=unit.step,
            item=unit.item,
            when=when,
            call=call,
            calls=tuple(self._calls),
            held=self._held,
        )
        try:
            with (folder / f"{whose}-{digest(death)[:16]}.json").open("x") as file:
                file.write(json.dumps(asdict(marker)))
        except FileExistsError:
            return False
        return True


class _Port:
    def __init__(self, endangered: Endangered, name: str, port: Any) -> None:
        self._endangered = endangered
        self._name = name
        self._port = port

    def __getattr__(self, method: str) -> Any:
        name, call = f"{self._name}.{method}", getattr(self._port, method)
        if not callable(call):
            return call
        return lambda *args, **kwargs: self._endangered.pass_through(name, call, *args, **kwargs)


def markers(folder: Path, task_id: str) -> list[Marker]:
    """The deaths of a task so far."""
    told = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    all_ = [Marker(**{**each, "calls": tuple(each["calls"])}) for each in told]
    return [marker for marker in all_ if marker.task_id == task_id]
