"""TELL: one notice, by one channel. What it tells of has happened, and stays as it is.

Reads    the task's record; of an approval also until when it waits, and its link.
Writes   what is said, before it is said; how often it was tried.
Effects  the event, the message to subscribers, or the request to a webhook.
Repeats  safely; the same bytes under the same id, which is how receivers know a repeat. What is not
         taken is tried again for a day, then parked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lambdas.agent.effects import made
from lambdas.agent.errors import OutOfTime, Retryable, StepError
from lambdas.agent.intents import Stage
from lambdas.agent.letters import Letter, letter
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.notices import Notice
from lambdas.agent.patience import wait_after
from lambdas.agent.ports import Ports
from lambdas.agent.reminding import asked_of, due_in
from lambdas.agent.telling import way_of
from lambdas.agent.work import Work
from lambdas.entry import step_handler

TOLD, PARKED, NOT_NEEDED = "TOLD", "PARKED", "NOT_NEEDED"
"""How it ends: taken, given up, or nobody has to be told any more."""
CAUSE_LIMIT = 600
"""Characters of what was in the way, for the console."""


def identify(event: Mapping[str, Any], _: Ports) -> Unit:
    return Notice.of(event["args"]).unit(event["args"]["channel"])


def tell(work: Work) -> Outcome:
    kept = work.result_so_far()
    return _put_together(work) if kept is None else _told(work, Letter.read(kept))


def _put_together(work: Work) -> Outcome:
    """Kept before it is sent: no attempt says what another one has not."""
    notice, ports = Notice.of(work.args), work.ports
    task, asked = ports.ledger.task(work.task_id), asked_of(notice, ports)
    if task is None or asked is None:
        return _ended(NOT_NEEDED)
    if seconds := due_in(notice, asked, now=ports.clock.now()):
        return Outcome.wait({"until": asked.until}, seconds=seconds)
    put = letter(notice, task, until=asked.until, http_url=ports.directory.http_url)
    return Outcome.go_on({"attempt": 0}, result=put.body)


def _told(work: Work, put: Letter) -> Outcome:
    channel, ledger = work.args["channel"], work.ports.ledger
    key = Notice.of(work.args).key(channel)
    intent = ledger.reserve(work.task_id, key, f"{put.kind} by {channel}")
    if intent.stage is Stage.DONE:
        return _ended(TOLD)
    if intent.stage is Stage.FAILED:
        return _parked(intent.error_code, f"{intent.kind} was given up")
    way = way_of(channel, put, work)
    if way is None:
        ledger.give_up(work.task_id, key, NOT_NEEDED)
        return _ended(NOT_NEEDED)
    try:
        receipt = made(work, intent, way.ability, way.send, lambda _: None)
    except OutOfTime:
        raise
    except Retryable as busy:
        return _later(work, key, busy, put)
    except StepError as refused:
        return _given_up(work, key, refused)
    ledger.settle(work.task_id, key, receipt)
    return _ended(TOLD)


def _later(work: Work, key: str, busy: Retryable, put: Letter) -> Outcome:
    attempt = int(work.cursor["attempt"]) + 1
    seconds = wait_after(attempt, told=busy.wait_seconds)
    if seconds is None:
        return _given_up(work, key, busy)
    cursor = {"attempt": attempt, "error_code": busy.code}
    return Outcome.wait(cursor, seconds=seconds, result=put.body)


def _given_up(work: Work, key: str, fault: StepError) -> Outcome:
    work.ports.ledger.give_up(work.task_id, key, fault.code)
    return _parked(fault.code, str(fault))


def _parked(code: str, cause: str) -> Outcome:
    """Found so by a worker after one that has died, all that is known is the code."""
    if code == NOT_NEEDED:
        return _ended(NOT_NEEDED)
    return _ended(PARKED, error_code=code, cause=f"{code}: {cause}"[:CAUSE_LIMIT])


def _ended(end: str, *, error_code: str = "", cause: str = "") -> Outcome:
    return Outcome.done(told=end, sign=f"NOTICE_{end}", error_code=error_code, cause=cause)


handler = step_handler(tell, identify=identify)
