"""The nouns of a run: a unit of work, its outcome, its record. Values are frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from lambdas.agent.contract import Progress, Step
from lambdas.agent.identity import digest
from lambdas.agent.intents import Effect
from lambdas.agent.tasks import Move

WHOLE_TASK = "-"
"""The item of a unit that belongs to the task and to no single source."""
BESIDE = "beside/"
"""What the items of units begin with that are none of the run's: what others are told of it. Who
asks for the units of a task is not given them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One bounded piece of work: this step, of this task, for this item.

    `args` are the content-relevant input; they are the unit's fingerprint. `context` is what
    the state machine knows beside it (an error it caught, an execution's name): it may differ
    from one delivery to the next.
    """

    task_id: str
    step: Step
    item: str = WHOLE_TASK
    args: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Self:
        item = f"r{event['revision']}" if "revision" in event else event.get("item", WHOLE_TASK)
        return cls(
            task_id=event["task_id"],
            step=Step(event["step"]),
            item=item,
            args=event.get("args", {}),
            context=event.get("context", {}),
        )

    @property
    def fingerprint(self) -> str:
        return digest("unit", self.args)

    @property
    def idempotency_key(self) -> str:
        return digest(self.task_id, self.step, self.item, self.args)

    def __str__(self) -> str:
        whose = "" if self.item == WHOLE_TASK else f" of {self.item}"
        return f"{self.step}{whose} in task {self.task_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a step commits.

    facts    the few small values the state machine branches on; committed, so that a replay
             tells the state machine the same story. Never page text.
    ref      the artifact that the next state works on: a page, a text, a report.
    result   what the step found, in bytes; the runtime keeps it in the record or, above
             INLINE_LIMIT, as an artifact of its own under `result_ref`.
    cursor   where the next invocation goes on, with CONTINUE and PENDING.
    callback the task token of a WAITING unit; kept in the record, never answered or logged.
    effects  what the runtime brings about outside, in this order, before it commits the rest:
             whatever could not be stored is refused while nothing has happened yet.
    """

    progress: Progress
    facts: Mapping[str, Any] = field(default_factory=dict)
    ref: str | None = None
    result: bytes | None = field(default=None, repr=False)
    result_ref: str | None = None
    cursor: Mapping[str, Any] = field(default_factory=dict)
    callback: str = field(default="", repr=False)
    move: Move | None = field(default=None, compare=False)
    effects: tuple[Effect, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def done(
        cls,
        *,
        ref: str | None = None,
        result: bytes | None = None,
        move: Move | None = None,
        callback: str = "",
        effects: tuple[Effect, ...] = (),
        **facts: Any,
    ) -> Self:
        return cls(
            progress=Progress.DONE,
            ref=ref,
            result=result,
            move=move,
            callback=callback,
            effects=effects,
            facts=facts,
        )

    @classmethod
    def go_on(cls, cursor: Mapping[str, Any], *, result: bytes | None = None) -> Self:
        """More of the same, at once. `result` is what the laps so far have found."""
        return cls(progress=Progress.CONTINUE, cursor=cursor, result=result)

    @classmethod
    def wait(cls, cursor: Mapping[str, Any], *, seconds: int, result: bytes | None = None) -> Self:
        """More of the same, in so many seconds. `result` is what the laps so far have found."""
        return cls(
            progress=Progress.PENDING,
            cursor=cursor,
            facts={"wait_seconds": seconds},
            result=result,
        )

    @classmethod
    def ask(cls, *, callback: str, move: Move, **facts: Any) -> Self:
        """A person's turn."""
        return cls(progress=Progress.WAITING, callback=callback, move=move, facts=facts)

    def as_event(self) -> dict[str, Any]:
        """What the state machine gets to see: the same at the first run and at each replay."""
        ref = {"ref": self.ref} if self.ref else {}
        return {"progress": self.progress.value, **ref, **self.facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRecord:
    """A unit's item in the ledger. Times are epoch seconds."""

    step: Step
    item: str
    fingerprint: str
    version: int
    outcome: Outcome | None = None
    owner: str | None = None
    leased_until: float = 0.0
    attempt: int = 0
    error_code: str = ""
    last_error: str = ""
    dependency: str = ""
    updated_at: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.outcome is not None and self.outcome.progress is Progress.DONE

    @property
    def cursor(self) -> Mapping[str, Any]:
        return self.outcome.cursor if self.outcome else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why an invocation ended without an outcome, as the ledger keeps it."""

    error_code: str
    message: str
    dependency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """Where a model's answer is kept, and which unit has paid for it."""

    ref: str
    by: str
