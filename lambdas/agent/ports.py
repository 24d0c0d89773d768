"""What the agent needs from the world, in the agent's own words.

Every adapter raises errors of `lambdas.agent.errors` and nothing else on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from lambdas.agent.extractive import Lap
from lambdas.agent.findings import Text
from lambdas.agent.model import (
    Fault,
    Intent,
    NewTask,
    Outcome,
    Page,
    Request,
    TaskRecord,
    Unit,
    UnitRecord,
)
from lambdas.agent.report import Report


class Clock(Protocol):
    def now(self) -> float:
        """Epoch seconds."""


class Ledger(Protocol):
    """The durable record of who does what, and what is done. Every write is conditional."""

    def accept(self, task: NewTask) -> TaskRecord:
        """Create the task RUNNING, or return it as it stands; InputChanged for another request."""

    def task(self, task_id: str) -> TaskRecord | None:
        """Read strongly consistently; None where there is none, or its retention is over."""

    def claim(self, unit: Unit, *, owner: str, until: float) -> UnitRecord:
        """Lease the unit and read it in one write.

        A unit that is done comes back as it is, unleased. StillClaimed while somebody else's
        lease runs, InputChanged where the unit was begun with another input.
        """

    def commit(self, unit: Unit, held: UnitRecord, outcome: Outcome) -> None:
        """Write the outcome, give the lease back and make the outcome's move, in one transaction.

        LeaseLost where owner or version are no longer ours, IllegalMove where the task's
        status does not allow the move; then nothing is written.
        """

    def release(self, unit: Unit, held: UnitRecord, fault: Fault) -> None:
        """Give the lease back and keep why; nothing happens where it is no longer ours."""

    def units(self, task_id: str, *, item: str | None = None) -> Iterable[UnitRecord]:
        """The units of a task, or of one of its items, in no particular order."""

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        """Write down that an effect is about to happen, or return what is known of it."""

    def settle(self, task_id: str, key: str, receipt: str) -> None:
        """Write down that the effect has happened. A second time changes nothing."""


class Artifacts(Protocol):
    """Large, immutable results: created once, under a name that holds the hash of their bytes."""

    def put(self, task_id: str, kind: str, body: bytes) -> str:
        """The reference of these bytes; `kind` is page, text, findings, manifest, ..."""

    def get(self, ref: str) -> bytes:
        """The bytes, checked against the hash in their name."""


class Requests(Protocol):
    """Turns what somebody typed into a request."""

    def parse(self, raw: Mapping[str, Any]) -> Request:
        """The request with every default filled in; InvalidRequest lists every fault."""


class Fetcher(Protocol):
    """Gets one source over the network, through the guard."""

    def get(self, url: str, *, seconds: float) -> Page:
        """The page, within this many seconds of wall-clock time for the whole exchange.

        SourceUnavailable (retry) for no answer, 429 and 5xx; SourceRefused (final) for 4xx,
        too much of anything, and for what the guard does not let through.
        """


class Reader(Protocol):
    """Finds the readable text in a page."""

    def read(self, page: Page) -> Text:
        """Title and main text as Markdown with its blocks; SourceUnreadable where there is none."""


class Analyst(Protocol):
    """Finds what bears on the questions."""

    def find(
        self, text: Text, questions: Sequence[str], *, start: int, stop: Callable[[], bool]
    ) -> Lap:
        """Findings from `start` on, and where to go on when `stop` said that time is up."""


class Renderer(Protocol):
    """Turns a report into the documents people read."""

    def render(self, report: Report) -> Mapping[str, bytes]:
        """File name (report.html, report.md, report.json) -> contents."""


class Shelf(Protocol):
    """Where published reports lie. The same call again has no second effect."""

    def place(self, folder: str, files: Mapping[str, bytes]) -> str:
        """Create the files under the folder; the address of the first. Repeats change nothing."""

    def point(self, name: str, to: Mapping[str, Any], *, order: str) -> bool:
        """Set the pointer of that name, forward only: False where a later order stands there."""


class Announcer(Protocol):
    """Tells others what has happened. At least once: receivers know a repeat by its id."""

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        """Emit the event with `key` as its id, and return the bus's receipt."""


class Callbacks(Protocol):
    """Wakes a state that waits on a task token."""

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        """False where nothing waits on that token any more."""


class Ports(Protocol):
    """The world, as a step sees it. Read-only: what is not used is not built."""

    @property
    def clock(self) -> Clock: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def requests(self) -> Requests: ...
    @property
    def fetcher(self) -> Fetcher: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def analyst(self) -> Analyst: ...
    @property
    def renderer(self) -> Renderer: ...
    @property
    def shelf(self) -> Shelf: ...
    @property
    def announcer(self) -> Announcer: ...
    @property
    def callbacks(self) -> Callbacks: ...
