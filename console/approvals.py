"""A person's answer to a report, handed to the function that records it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from console import doors
from console.account import Account
from console.errors import BadInput
from console.words import decided
from lambdas.agent.approval import note_in
from lambdas.agent.contract import Decision, Progress, Step
from lambdas.agent.instants import iso
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.verdicts import NOTE_LIMIT


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
    until: str = ""
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
    return _answer_of(doors.call(account, account.resources.decide_function, told, pause=pause))


def asked(units: Iterable[UnitRecord]) -> list[Asked]:
    """Every revision that somebody was asked about, in order. The task token stays unread."""
    found = [
        Asked(
            revision=int(unit.item.removeprefix("r")),
            since=iso(unit.updated_at),
            until=str(unit.outcome.facts.get("until", "")),
            answer=_answer_of(_with_whole_note(unit.outcome)) if unit.is_done else None,
        )
        for unit in units
        if unit.step is Step.APPROVE
        and unit.outcome
        and unit.outcome.progress in {Progress.WAITING, Progress.DONE}
    ]
    return sorted(found, key=lambda each: each.revision)


def _with_whole_note(decided: Outcome) -> dict[str, Any]:
    return {**decided.facts, "note": note_in(decided)}


def _answer_of(facts: Mapping[str, Any]) -> Answer:
    return Answer(
        decision=str(facts["decision"]),
        by=str(facts.get("by", "")),
        at=str(facts.get("at", "")),
        note=str(facts.get("note", "")),
        already=bool(facts.get("already", False)),
        heard=bool(facts.get("heard", True)),
    )
