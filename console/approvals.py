"""A person's answer to a report, handed to the function that records it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from console.account import Account
from console.errors import BadInput, Refused
from console.words import decided
from lambdas.agent import errors
from lambdas.agent.approval import NOTE_LIMIT
from lambdas.agent.contract import Decision, Progress, Step
from lambdas.agent.instants import iso
from lambdas.agent.model import UnitRecord

TRIES = 5
_PAUSE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The decision that stands. `already` where it had been made before, `heard` where a run
    was woken by it.
    """

    decision: str
    by: str
    at: str
    note: str = ""
    already: bool = False
    heard: bool = True

    def __str__(self) -> str:
        already = "already decided: " if self.already else ""
        note = f': "{self.note}"' if self.note else ""
        return f"{already}{decided(self.decision, self.by)} at {self.at}{note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One revision's question to a person, and the answer if there is one."""

    revision: int
    since: str
    answer: Answer | None = None


def decide(
    account: Account,
    task_id: str,
    decision: Decision,
    *,
    by: str,
    note: str = "",
    pause: Callable[[float], None] = time.sleep,
) -> Answer:
    """What stands after it. An answer that meets another one under way waits for it."""
    if len(note) > NOTE_LIMIT:
        raise BadInput(f"The note has {len(note)} characters and may have {NOTE_LIMIT}.")
    told = {"task_id": task_id, "decision": decision.value, "by": by, "note": note}
    for left in reversed(range(TRIES)):
        answer = _invoke(account, told)
        name = str(answer.get("errorType", ""))
        if "errorType" not in answer:
            return _answer_of(answer)
        if not _may_pass(name) or not left:
            break
        pause(_PAUSE)
    raise Refused(str(answer.get("errorMessage") or f"The decision was refused with {name}."))


def asked(units: Iterable[UnitRecord]) -> list[Asked]:
    """Every revision that somebody was asked about, in order. The task token stays unread."""
    found = [
        Asked(
            revision=int(unit.item.removeprefix("r")),
            since=iso(unit.updated_at),
            answer=_answer_of(unit.outcome.facts) if unit.is_done else None,
        )
        for unit in units
        if unit.step is Step.APPROVE
        and unit.outcome
        and unit.outcome.progress in {Progress.WAITING, Progress.DONE}
    ]
    return sorted(found, key=lambda each: each.revision)


def _invoke(account: Account, told: Mapping[str, str]) -> dict[str, Any]:
    answer: Mapping[str, Any] = account.functions.invoke(
        FunctionName=account.resources.decide_function, Payload=json.dumps(told).encode()
    )
    body: dict[str, Any] = json.loads(answer["Payload"].read())
    if answer.get("FunctionError"):
        return {"errorType": "Unhandled", **body}
    return body


def _may_pass(error: str) -> bool:
    ours = getattr(errors, error, None)
    return isinstance(ours, type) and issubclass(ours, errors.Retryable)


def _answer_of(facts: Mapping[str, Any]) -> Answer:
    return Answer(
        decision=str(facts["decision"]),
        by=str(facts.get("by", "")),
        at=str(facts.get("at", "")),
        note=str(facts.get("note", "")),
        already=bool(facts.get("already", False)),
        heard=bool(facts.get("heard", True)),
    )
