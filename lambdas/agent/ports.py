"""What the agent needs from the world, in the agent's own words.

Every adapter raises errors of `lambdas.agent.errors` and nothing else on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from lambdas.agent.approval_page import Page, Rendered
from lambdas.agent.channels import Directory
from lambdas.agent.costs import Cost, Hold, Purse
from lambdas.agent.intents import Ability, Intent
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.model_ports import Analyst, Answers, Jobs, Memos, Prompts
from lambdas.agent.notice_ports import Subscribers, Webhooks
from lambdas.agent.report import Report
from lambdas.agent.request import Request
from lambdas.agent.schedules import Schedule
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import ExecutionStatus, Move, NewTask, Place, TaskRecord
from lambdas.agent.web_ports import Fetcher, Listings, Reader, Robots, Turns, Visits


class Clock(Protocol):
    def now(self) -> float:
        """Epoch seconds."""


class Ledger(Protocol):
    """The durable record of who does what, and what is done. Every write is conditional."""

    def accept(self, task: NewTask) -> TaskRecord:
        """Create the task RUNNING, or return it as it stands; InputChanged for another request."""

    def task(self, task_id: str) -> TaskRecord | None:
        """Read strongly consistently; None where there is none, or its retention is over."""

    def continue_run(self, task_id: str, *, run: int, execution: str) -> TaskRecord:
        """Take the task on in a later run, RUNNING and without its error.

        The same run again, in the same execution, finds the task as it stands. IllegalMove for
        a task that is not CONTINUABLE, or that this or a later run has taken on already.
        """

    def move(self, task_id: str, move: Move, *, run: int) -> TaskRecord:
        """Move the task's record by itself; IllegalMove where its status does not allow it, or
        where it is not in that run any more.
        """

    def under_way(self) -> Iterable[TaskRecord]:
        """The tasks that have not ended, oldest first, as they stood a moment ago."""

    def newest(self, limit: int, *, before: Place | None = None) -> Sequence[TaskRecord]:
        """So many tasks at the most, the newest first, as they stood a moment ago; with `before`
        those behind that place. Fewer than the limit are the last ones.
        """

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

    def tally(self, task_id: str) -> Tally:
        """How far the task's sources have come; no unit is read whole for it."""

    def reserve(self, task_id: str, key: str, kind: str) -> Intent:
        """Write down that an effect is about to happen, or return what is known of it."""

    def submitted(self, task_id: str, key: str, external_id: str) -> Intent:
        """Write down the provider's id of an effect that has begun; what stands there stays."""

    def settle(self, task_id: str, key: str, receipt: str) -> Intent:
        """Write down that the effect has happened. What has ended stays as it ended."""

    def give_up(self, task_id: str, key: str, error_code: str) -> Intent:
        """Write down that the effect has failed for good. What has ended stays as it ended."""

    def reserve_paid(self, task_id: str, key: str, kind: str, hold: Hold) -> Intent | Purse:
        """Reserve what costs something: it is held in the task's purse by the same transaction.

        The purse as it stands where the limits leave no room for it; then nothing is written.
        """

    def close(
        self,
        task_id: str,
        known: Intent,
        *,
        cost: Cost,
        receipt: str = "",
        error_code: str = "",
    ) -> Intent:
        """Settle what was `reserve_paid`, or give it up where there is an error's code: what was
        held for it is given back and its cost taken, by one transaction. What has ended stays as
        it ended, and costs what it cost.
        """

    def forgo(self, task_id: str, known: Intent) -> None:
        """Give back what is held for an effect that nobody waits for any more, as far as its end
        is not known yet. One under way will be billed: what was held is what it costs.
        """

    def held(self, task_id: str) -> Iterable[Intent]:
        """The effects that something is held for."""

    def purse(self, task_id: str) -> Purse:
        """What the task has spent, and what is held; read strongly consistently."""


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


class Announcer(Protocol):
    """Tells others what has happened. At least once: receivers know a repeat by its id."""

    @property
    def ability(self) -> Ability: ...

    def announce(self, kind: str, detail: Mapping[str, Any], *, key: str) -> str:
        """Emit the event with `key` as its id, and return the bus's receipt."""


class Callbacks(Protocol):
    """Wakes a state that waits on a task token."""

    def succeed(self, token: str, answer: Mapping[str, Any]) -> bool:
        """False where nothing waits on that token any more."""


class Chance(Protocol):
    def token(self) -> str:
        """A word that nobody guesses: 43 characters that are safe in an address."""


class Seals(Protocol):
    """Keeps what only the holder of a right may read in places that others may read."""

    def seal(self, plain: str, *, about: str) -> str:
        """`about` is bound to it, and told to the keeper of the key: it is no secret."""

    def unseal(self, sealed: str, *, about: str) -> str:
        """What was sealed; Unexpected where it was not, or is about something else."""


class Invitations(Protocol):
    """Where the link of an approval leads: from the hash of its id to the unit that waits."""

    def keep(self, link: str, *, task_id: str, item: str) -> None:
        """The same again changes nothing. A hash is given to one unit only, and stays its."""

    def find(self, link: str) -> tuple[str, str] | None:
        """The task and the item; None where there is none, or its retention is over."""


class ApprovalPages(Protocol):
    def render(self, page: Page) -> Rendered:
        """The page as HTML."""


class Quota(Protocol):
    """How often somebody may ask for something in a minute."""

    def take(self, who: str) -> bool:
        """False where they have asked too often. One write, whoever it is."""


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
