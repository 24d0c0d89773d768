"""The published report that a run is compared with: which it is, and how its sources stood then.

PLAN chooses it once, and what it chose is an artifact with a copy of the readings: neither a report
that is published while a run is under way nor the end of a retention changes anything for that run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from lambdas.agent.canonical_url import canonical_url
from lambdas.agent.codec import fields_of
from lambdas.agent.contract import Step
from lambdas.agent.errors import Unexpected
from lambdas.agent.identity import canonical
from lambdas.agent.instants import iso
from lambdas.agent.published import series_of, shelf_of, sources_in
from lambdas.agent.tasks import TaskRecord
from lambdas.agent.validated import Part, Reading, readings
from lambdas.agent.work import Work

FIRST = "This is the first report of this agent: there is none to compare it with."
OTHERS = "No earlier report of this agent is about any of these sources."
LATER = "A report of this agent over these sources that was asked for later is published already."
PAST = "The records of the report before are past their retention: nothing could be compared."


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The report before; without a `task_id` there is none, and `why` says so.

    made_for      when its run was asked for, ISO 8601
    address       where it is published; `full` is the one that its answers stand in
    validated     the artifact of its readings, in this task's own keeping
    has_same      whether it was asked about the very same sources
    questions     that it answers
    """

    task_id: str = ""
    why: str = ""
    made_for: str = ""
    address: str = ""
    full: str = ""
    validated: str = ""
    has_same: bool = False
    questions: tuple[str, ...] = ()

    def body(self) -> bytes:
        return canonical(asdict(self))

    @classmethod
    def of(cls, body: bytes) -> Self:
        fields: dict[str, Any] = json.loads(body)
        return cls(**{**fields, "questions": tuple(fields["questions"])})


def chosen(work: Work, task: TaskRecord, request: bytes) -> Baseline:
    """The agent's last report over these very sources, or else its last that shares one of them."""
    why = FIRST
    for name in (series_of(task.agent_id, request), shelf_of(task.agent_id)):
        pointer = work.ports.shelf.pointed(name)
        if pointer is None or pointer["task_id"] == task.task_id:
            continue
        if pointer["accepted_at"] > iso(task.created_at):
            why = LATER
            continue
        found = _of(work, pointer, request)
        if found.task_id:
            return found
        why = found.why
    return Baseline(why=why)


def _of(work: Work, pointer: Mapping[str, Any], request: bytes) -> Baseline:
    task = work.ports.ledger.task(pointer["task_id"])
    facts = _reported(work, task) if task else {}
    if task is None or "validated" not in facts:
        return Baseline(why=PAST)
    try:
        before = work.read(task.request)
        stood = readings(work.ports.artifacts, facts["validated"])
    except Unexpected:
        return Baseline(why=PAST)
    sources, shared = sources_in(before), sources_in(request)
    if not sources & shared:
        return Baseline(why=OTHERS)
    ours = work.write("validated", Part(previous=None, readings=stood).body())
    return Baseline(
        task_id=task.task_id,
        made_for=pointer["accepted_at"],
        address=pointer["result_uri"],
        full=facts.get("full") or pointer["result_uri"],
        validated=ours,
        has_same=sources == shared,
        questions=tuple(fields_of(before)["questions"]),
    )


def _reported(work: Work, task: TaskRecord) -> Mapping[str, Any]:
    """What REPORT committed of the revision that was published."""
    units = work.ports.ledger.units(task.task_id, item=f"r{task.revision}")
    told = (unit.outcome for unit in units if unit.step is Step.REPORT and unit.is_done)
    return next((outcome.facts for outcome in told if outcome), {})


class Formers:
    """How the sources stood when they were last read for a published report, by address."""

    def __init__(self, every: Iterable[Reading]) -> None:
        every = tuple(every)
        self._by_item = {reading.item: reading for reading in every}
        self._by_url = {
            canonical_url(name): former
            for reading in every
            if (former := self._standing(reading))
            for name in (reading.url, *reading.also)
        }

    @classmethod
    def at(cls, work: Work, baseline: Baseline) -> Self:
        if not baseline.task_id:
            return cls(())
        return cls(readings(work.ports.artifacts, baseline.validated))

    def of(self, url: str) -> Reading | None:
        """None for what was not read then, nor before."""
        return self._by_url.get(canonical_url(url))

    def without(self, urls: Iterable[str]) -> Iterator[Reading]:
        """The former sources that go by none of these addresses."""
        now = {canonical_url(url) for url in urls}
        for former in {former.item: former for former in self._by_url.values()}.values():
            if now.isdisjoint(map(canonical_url, (former.url, *former.also))):
                yield former

    def _standing(self, reading: Reading) -> Reading | None:
        """A source that was read with another stood as that one; out of reach, as it was before."""
        if reading.same_as:
            reading = self._by_item.get(reading.same_as, reading)
        return reading if reading.was_read else reading.last
