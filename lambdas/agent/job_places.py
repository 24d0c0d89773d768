"""Where a unit finds its job again: in its own cursor, or by the job's key in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from lambdas.agent.costs import NOTHING, Cost, Hold, Purse
from lambdas.agent.identity import effect_key
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.work import Work

CURSOR = "job"
"""The name under which a unit's cursor keeps its job."""
LONGEST_ID = 512
"""Characters of a provider's id, for which a cursor keeps room."""


class Kind(StrEnum):
    """What a job is for."""

    ANSWER = "answer"
    FINDINGS = "findings"
    OCR = "ocr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a unit's cursor knows of its job. `id` is empty while the provider was too busy."""

    key: str
    since: float
    id: str = ""
    polls: int = 0
    held: Cost = NOTHING

    @classmethod
    def of(cls, intent: Intent, *, id_: str, polls: int) -> Self:
        since, held = intent.reserved_at, intent.held
        return cls(key=intent.key, since=since, id=id_, polls=polls, held=held)

    def cursor(self) -> Mapping[str, Any]:
        told = {"key": self.key, "since": self.since, "id": self.id, "polls": self.polls + 1}
        held = {} if self.held == NOTHING else {"held": asdict(self.held)}
        return {CURSOR: {**told, **held}}


def known(
    work: Work, kind: Kind, subject: str, ways_on: Collection[str], hold: Hold | None
) -> Intent | Purse:
    """The job as the cursor knows it, without a request, or else as the ledger does."""
    run = work.unit.context.get("run", 1)
    place, keys = work.cursor.get(CURSOR), job_keys(work, kind, subject, run)
    if place and place["id"] and place["key"] in keys:
        return Intent(
            key=place["key"],
            kind=kind,
            stage=Stage.SUBMITTED,
            external_id=place["id"],
            reserved_at=place["since"],
            held=Cost(**place.get("held", {})),
        )
    intent = _reserved(work, keys[0], kind, hold)
    if isinstance(intent, Purse):
        return intent
    if intent.stage is Stage.FAILED and run > 1 and intent.error_code not in ways_on:
        # Somebody has the source tried again, and the old job's key would find the old failure.
        return _reserved(work, keys[-1], kind, hold)
    return intent


def _reserved(work: Work, key: str, kind: Kind, hold: Hold | None) -> Intent | Purse:
    ledger = work.ports.ledger
    if hold is None:
        return ledger.reserve(work.task_id, key, kind)
    return ledger.reserve_paid(work.task_id, key, kind, hold)


def job_keys(work: Work, kind: Kind, subject: str, run: int) -> list[str]:
    """What the job may be called outside: another job in the cursor is none of ours."""
    subjects = [subject, *(f"{subject} in run {later}" for later in range(2, run + 1))]
    return [effect_key(work.task_id, work.unit.step, kind, each) for each in subjects]
