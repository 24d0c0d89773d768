"""What the agent needs from the world, in the agent's own words.

Here are those of every kind, and `Ports`, which are all of them. Beside it are the ledger's
(`ledger_ports`), the web's (`web_ports`), a model's (`model_ports`), those by which a person is
asked (`approval_ports`) and those by which others are told (`notice_ports`). Every adapter raises
errors of `lambdas.agent.errors` and nothing else on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from lambdas.agent.approval_ports import ApprovalPages, Callbacks, Chance, Invitations, Quota, Seals
from lambdas.agent.channels import Directory
from lambdas.agent.intents import Ability
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.model_ports import Analyst, Answers, Jobs, Memos, Prompts
from lambdas.agent.notice_ports import Announcer, Subscribers, Webhooks
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.schedules import Schedule
from lambdas.agent.tasks import ExecutionStatus
from lambdas.agent.web_ports import Fetcher, Listings, Reader, Robots, Turns, Visits


class Clock(Protocol):
    def now(self) -> float:
        """Epoch seconds."""


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


class Renderer(Protocol):
    """Turns a report into the documents people read."""

    def render(self, report: Report) -> Mapping[str, bytes]:
        """File name (report.html, report.md, report.json) -> contents."""


class Shelf(Protocol):
    """Where published reports lie. The same call again has no second effect."""

    @property
    def ability(self) -> Ability: ...

    def address(self, folder: str) -> str:
        """Where the folder's files are found, whether they are there yet or not."""

    def place(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Create the files under the folder; what is there already stays as it is."""

    def point(self, name: str, to: Mapping[str, Any], *, order: str) -> bool:
        """Set the pointer of that name, forward only: False where a later order stands there."""

    def pointed(self, name: str) -> Mapping[str, Any] | None:
        """What the pointer of that name was last set to; None where there is none."""


class Links(Protocol):
    """Addresses by which whoever has them reads an artifact, or a published file, for a while."""

    def signed(self, key: str, *, content_type: str, seconds: int) -> str:
        """It is a secret: it is handed out, and neither kept nor logged."""


class Schedules(Protocol):
    """Whose turn it was, for each schedule by its name."""

    def find(self, name: str) -> Schedule:
        """Read strongly consistently; one of version 0 where nothing is remembered yet."""

    def write(self, then: Schedule, *, version: int) -> bool:
        """False where the record is of another version by now; then nothing is written."""

    def every(self) -> Iterable[Schedule]:
        """All of them, as they stood a moment ago."""


class Inbox(Protocol):
    def told(self, typed: Mapping[str, Any]) -> Mapping[str, Any]:
        """The input of an execution for this request: itself, or the name it was left under."""


class Executions(Protocol):
    """The state machine's executions, by their names."""

    def status(self, name: str) -> ExecutionStatus:
        """How the execution stands; ABSENT where there is none."""

    def start(self, name: str, told: Mapping[str, Any]) -> bool:
        """False where the name is taken by another input, or by an execution that is over.

        The same name and input again while it runs is the same execution.
        """

    def stop(self, name: str, *, cause: str) -> None:
        """End the execution as called off; where there is none nothing happens."""


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
    def robots(self) -> Robots: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def visits(self) -> Visits: ...
    @property
    def memos(self) -> Memos: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def feeds(self) -> Listings: ...
    @property
    def sitemaps(self) -> Listings: ...
    @property
    def ocr(self) -> Jobs | None:
        """Reads scanned pages; None where the deployment does without."""

    @property
    def analyst(self) -> Analyst: ...
    @property
    def model(self) -> Jobs | None:
        """Answers prompts by OpenAI's protocol; None where the deployment names no such model."""

    @property
    def bedrock(self) -> Jobs | None:
        """Answers prompts at Amazon Bedrock; None where the deployment names no model there."""

    @property
    def prompts(self) -> Prompts: ...
    @property
    def answers(self) -> Answers: ...
    @property
    def renderer(self) -> Renderer: ...
    @property
    def shelf(self) -> Shelf: ...
    @property
    def links(self) -> Links: ...
    @property
    def announcer(self) -> Announcer: ...
    @property
    def subscribers(self) -> Subscribers: ...
    @property
    def webhooks(self) -> Webhooks: ...
    @property
    def directory(self) -> Directory:
        """Whom the deployment tells what becomes of its tasks."""

    @property
    def callbacks(self) -> Callbacks: ...
    @property
    def chance(self) -> Chance: ...
    @property
    def seals(self) -> Seals: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def quota(self) -> Quota: ...
    @property
    def approval_pages(self) -> ApprovalPages: ...
    @property
    def schedules(self) -> Schedules: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def executions(self) -> Executions: ...
    @property
    def tellings(self) -> Executions:
        """Those in which notices are told, one for each notice and channel."""
