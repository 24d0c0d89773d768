"""The nouns of a run. Values are frozen; nothing here does I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from lambdas.agent.contract import Progress, Status, Step
from lambdas.agent.identity import digest

WHOLE_TASK = "-"
"""The item of a unit that belongs to the task and to no single source."""


class SourceKind(StrEnum):
    """What a request may name: a page, or a list of pages."""

    PAGE = "page"
    FEED = "feed"
    SITEMAP = "sitemap"

    @property
    def is_list(self) -> bool:
        return self is not SourceKind.PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A source as a request names it. The last three belong to lists only.

    limit                how many of its pages are read at the most, the newest first
    include, exclude     globs over a page's path and query; without any, all are included
    """

    url: str
    kind: SourceKind = SourceKind.PAGE
    limit: int = 0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thing to read. `item` is its place in unit records and artifacts.

    also    the other names of the same page that were given
    kind    of a list that could not be expanded, or not wholly; everything else is a page
    """

    item: str
    url: str
    also: tuple[str, ...] = ()
    kind: SourceKind = SourceKind.PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What somebody asked for, checked and with every default filled in."""

    agent_id: str
    workflow_id: str
    questions: tuple[str, ...]
    sources: tuple[Asked, ...]
    approval: str
    coverage: float
    analyst: str = ""
    """Who finds what bears on the questions; empty where the deployment is to say."""


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
class Move:
    """How the task's record moves in the transaction that commits a task-level unit."""

    to: Step
    status: Status = Status.RUNNING
    fields: Mapping[str, str | int] = field(default_factory=dict)
    """Attributes of the task record to set beside it: result_uri, error_code, ..."""


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
class TaskRecord:
    """A task's item in the ledger: where it stands, whoever asks. Times are epoch seconds."""

    task_id: str
    agent_id: str
    workflow_id: str
    input_id: str
    status: Status
    current_step: Step
    state_version: int
    schema_version: int
    execution: str
    run: int
    request: str = ""
    """The artifact that holds the request; empty in records older than continuations."""
    sources: int = 0
    read: int = 0
    revision: int = 0
    result_uri: str = ""
    error_code: str = ""
    last_error: str = ""
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """What PLAN knows of a task before it has a record. `input_id` is the request's digest,
    `request` the artifact that holds it.
    """

    task_id: str
    agent_id: str
    workflow_id: str
    input_id: str
    execution: str
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why an invocation ended without an outcome, as the ledger keeps it."""

    error_code: str
    message: str
    dependency: str = ""


class ExecutionStatus(StrEnum):
    """How an execution of the state machine stands."""

    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    ABORTED = "ABORTED"
    ABSENT = "ABSENT"  # there never was one of that name, or it is forgotten after 90 days

    @property
    def is_over(self) -> bool:
        return self is not ExecutionStatus.RUNNING


class Stage(StrEnum):
    """How an effect outside stands. It moves down this list only."""

    RESERVED = "RESERVED"  # about to happen: found by somebody else, it may have
    SUBMITTED = "SUBMITTED"  # begun, under the provider's own id
    DONE = "DONE"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        return self in {Stage.DONE, Stage.FAILED}


class Ability(StrEnum):
    """What may be done about an effect that was reserved by a worker who has not come back.

    It is the provider's, so the adapter declares it.
    """

    TOKEN = "TOKEN"  # noqa: S105  # the same token again has no second effect
    LOOKUP = "LOOKUP"  # ask for the thing of that name, and act where there is none
    AT_LEAST_ONCE = "AT_LEAST_ONCE"  # receivers know a repeat by its key
    PARK = "PARK"  # nobody but a person can tell


def _not_found(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that changes the world outside, each time under the same key.

    `kind` and `subject` name it within its unit. `act` does it and returns its receipt, `find`
    looks for it where the ability is LOOKUP; both are given the key.
    """

    kind: str
    subject: str
    act: Callable[[str], str]
    ability: Ability
    find: Callable[[str], str | None] = _not_found


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An effect's item in the ledger, written before the effect happens.

    `is_new` is true only for the worker whose write made it: everybody else finds an effect
    that has ended (DONE, FAILED), is under way (SUBMITTED) or whose outcome is unknown (RESERVED).
    """

    key: str
    kind: str
    stage: Stage
    external_id: str = ""
    receipt: str = ""
    error_code: str = ""
    reserved_at: float = 0.0
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server said of a page by which it knows it again; both empty where it said nothing.

    url   the address that said so, which no other address is told; empty for the one that is asked
    """

    etag: str = ""
    last_modified: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a source answered. `status` is HTTP's; `url` is where the redirects ended."""

    url: str
    status: int
    content_type: str
    body: bytes = field(repr=False)
    validators: Validators = field(default_factory=Validators)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """Where a model's answer is kept, and which unit has paid for it."""

    ref: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A source's word that a page is as it was (304), with new validators or those it knew."""

    url: str
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What was found at an address, and where it is kept. `fetched_at` is in epoch seconds.

    ref      the page's artifact; empty where the address has nothing, as a missing robots.txt
    before   the hash that the task before this one saw there; empty at the first visit
    """

    url: str
    task_id: str
    fetched_at: float
    ref: str = ""
    final_url: str = ""
    content_type: str = ""
    sha256: str = ""
    before: str = ""
    validators: Validators = field(default_factory=Validators)
