"""Who comes by an approval's link: what it leads to, and what may be answered there.

A link that leads nowhere costs the same reads as one that does, and is told the same: nobody finds
out by trying which ids there are.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from lambdas.agent import approval
from lambdas.agent.approval import EXTENSIONS, REVISIONS
from lambdas.agent.contract import Decision
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.invitation import link_of
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.ports import Ports
from lambdas.agent.tasks import TaskRecord
from lambdas.agent.verdicts import BY_A_PERSON

NOWHERE = ("no-task-has-this-id", "r0")


class Standing(StrEnum):
    """How a question stands."""

    OPEN = "OPEN"
    DECIDED = "DECIDED"
    FOLLOWED = "FOLLOWED"  # decided on, and another report was made since
    OVER = "OVER"  # expired, called off, followed unanswered, or its window after an answer is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One revision's report, and whoever is to decide on it."""

    task: TaskRecord
    asked: UnitRecord
    outcome: Outcome
    standing: Standing

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.outcome.facts

    @property
    def revision(self) -> int:
        return int(self.asked.item.removeprefix("r"))

    @property
    def is_extended(self) -> bool:
        return approval.is_extended(self.outcome)

    @property
    def extensions(self) -> int:
        """How often more time was given, as whoever looks now is shown it."""
        return int(self.facts.get("extensions", 0)) - self.is_extended

    @property
    def note(self) -> str:
        return "" if self.standing is Standing.OPEN else approval.note_in(self.outcome)

    def has_given(self, seen: str) -> bool:
        """More time, since the form was shown that tells so many extensions: a second click on it
        asks for nothing else.
        """
        return bool(seen) and seen != str(self.extensions)

    @property
    def choices(self) -> frozenset[Decision]:
        """What may be answered now."""
        spent = set()
        if self.revision >= REVISIONS:
            spent.add(Decision.CHANGES_REQUESTED)
        if self.facts.get("extensions", EXTENSIONS) >= EXTENSIONS and not self.is_extended:
            spent.add(Decision.MORE_TIME)
        return BY_A_PERSON - spent


def question(id_: str, ports: Ports) -> Question | None:
    """What the id leads to; None where it leads nowhere."""
    link = link_of(id_)
    found = ports.invitations.find(link)
    task_id, item = found or NOWHERE
    task = ports.ledger.task(task_id)
    asked = approval.record_of(ports, task_id, int(item.removeprefix("r")))
    if task is None or asked is None or asked.outcome is None:
        return None
    if asked.outcome.facts.get("link") != link:
        return None
    standing = _standing(task, asked, asked.outcome, now=iso(ports.clock.now()))
    return Question(task=task, asked=asked, outcome=asked.outcome, standing=standing)


def _standing(task: TaskRecord, asked: UnitRecord, outcome: Outcome, *, now: str) -> Standing:
    if not asked.is_done:
        return Standing.OPEN if approval.is_open(task, asked) else Standing.OVER
    if outcome.facts["decision"] == Decision.EXPIRED or now > outcome.facts["until"]:
        return Standing.OVER
    is_followed = int(asked.item.removeprefix("r")) < task.revision
    return Standing.FOLLOWED if is_followed else Standing.DECIDED


def nonce_of(id_: str, question: Question) -> str:
    """Proof that the form of this very question was seen: a link alone decides nothing."""
    seen = canonical([question.task.task_id, question.asked.item, question.facts["report"]])
    return hmac.new(id_.encode(), seen, sha256).hexdigest()
