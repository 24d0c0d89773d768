"""Following a run: one look after the other, until it is over or somebody has to answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self

from console import executions
from console.account import Account
from console.approvals import decide
from console.errors import Refused
from console.executions import Execution
from console.visits import Visit, visits
from console.words import EACH_SOURCE
from lambdas.agent.contract import Status, Step
from lambdas.agent.costs import EMPTY, Purse
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import TaskRecord
from lambdas.agent.verdicts import Verdict

SHARE = 5
"""Counting a run's units takes at most one part in so many of the time: AWS has it paid for."""
MISSES = 30
"""Looks after which an execution that nobody knows will not come any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look at a run shows. The record is read last: once the execution is over, it is
    as it stays.
    """

    task_id: str
    execution: Execution | None
    visits: tuple[Visit, ...]
    tally: Tally
    finished: int
    task: TaskRecord | None
    purse: Purse = EMPTY

    @property
    def is_over(self) -> bool:
        return self.execution is not None and not self.execution.is_running

    @property
    def here(self) -> Visit | None:
        """The state the run is in."""
        last = self.visits[-1] if self.visits else None
        return last if last and last.left is None and not self.is_over else None

    @property
    def sources(self) -> int:
        return self.task.sources if self.task else 0

    @property
    def done(self) -> int:
        """Sources that nothing more happens to. The map knows first, the ledger knows more."""
        return min(max(self.tally.done, self.finished), self.sources)

    @property
    def waits_for(self) -> int:
        """The revision that a person is asked about; 0 where nobody is. What the record says of
        an earlier run, before PLAN has taken the task on, is not asked.
        """
        task = self.task
        if task is None or self.execution is None or task.execution != self.execution.name:
            return 0
        return task.revision if task.status is Status.WAITING_FOR_APPROVAL else 0


class View(Protocol):
    """What a follower sees. `paused` leaves the screen to somebody who asks a question."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def show(self, look: Look) -> None: ...
    def say(self, sentence: str) -> None: ...
    def paused(self) -> AbstractContextManager[None]: ...


Ask = Callable[[Look], Verdict | None]


def follow(
    account: Account,
    task_id: str,
    execution: str,
    *,
    view: View,
    ask: Ask,
    pause: Callable[[float], None],
) -> Look:
    """Show the run until it is over. Each revision is asked about once."""
    asked: set[int] = set()
    with view:
        for look in looks(account, task_id, execution):
            view.show(look)
            if look.is_over:
                return look
            if look.waits_for and look.waits_for not in asked:
                asked.add(look.waits_for)
                _have_it_decided(account, look, view, ask)
            pause(account.pause)
    raise AssertionError("looks never end by themselves")


def looks(
    account: Account, task_id: str, name: str, clock: Callable[[], float] = time.monotonic
) -> Iterator[Look]:
    misses, due, is_counted, tally, finished = 0, 0.0, False, Tally(), 0
    purse = EMPTY
    while True:
        execution = executions.find(account, name)
        misses += execution is None
        if misses > MISSES:
            raise Refused(f"Step Functions in {account.name} knows no execution {name}.")
        passed = visits(executions.history(account, execution)) if execution else []
        reading = next((visit for visit in passed if visit.state == EACH_SOURCE), None)
        if execution and reading and not is_counted:
            finished = executions.finished_children(account, execution)
            is_counted = reading.left is not None
            if is_counted or clock() >= due:
                begun = clock()
                tally = account.ledger.tally(task_id)
                purse = account.ledger.purse(task_id)
                due = clock() + SHARE * (clock() - begun)
        yield Look(
            task_id=task_id,
            execution=execution,
            visits=tuple(passed),
            tally=tally,
            purse=purse,
            finished=finished,
            task=account.ledger.task(task_id),
        )


def question(look: Look) -> str:
    """What a person is asked to decide on."""
    made = next((visit for visit in reversed(look.visits) if visit.state == Step.REPORT), None)
    report = made.output.get("report", {}) if made else {}
    read = look.task.read if look.task else 0
    return (
        f"approval asked: revision {look.waits_for}, {report.get('statements', 'no')} statements "
        f"from {read} of {look.sources} sources"
    )


def _have_it_decided(account: Account, look: Look, view: View, ask: Ask) -> None:
    view.say(question(look))
    with view.paused():
        verdict = ask(look)
    if verdict is None:
        return
    answer = decide(account, look.task_id, verdict.decision, by=verdict.by, note=verdict.note)
    view.say(str(answer))
