"""Sources that are as they were: PLAN asks for them, and what was read of them before is carried
over. No state, no reader and no model has anything to do with them.

Each is looked at in its own FETCH unit, so that whatever PLAN leaves to the Map answers there. What
was found is carried as the units EXTRACT and ANALYZE of this task, with copies of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lambdas.agent.analysis import Analysis
from lambdas.agent.analysts import model_of, name_of
from lambdas.agent.baseline import Baseline, Formers
from lambdas.agent.codec import fields_of, text_of
from lambdas.agent.continuing import divided
from lambdas.agent.contract import Progress, Step, budget
from lambdas.agent.errors import StepError
from lambdas.agent.fetching import fetch
from lambdas.agent.model import Outcome, Unit
from lambdas.agent.request import Request, Source
from lambdas.agent.runtime import Execute, run
from lambdas.agent.s3_uri import is_s3
from lambdas.agent.validated import Reading
from lambdas.agent.work import Work

LAPS = 100
"""In which sources are looked at; the Map has those that are left then."""
HELD = 100
"""Sources whose turns PLAN holds at once."""
AHEAD = 25
"""Seconds that it waits for turns together; the first of them is not lost then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a lap goes on: the next source, those before it whose turn is to come, the laps."""

    next: int = 0
    held: tuple[int, ...] = ()
    laps: int = 0

    @classmethod
    def of(cls, cursor: Mapping[str, Any]) -> Place:
        return cls(next=cursor["next"], held=tuple(cursor["held"]), laps=cursor["laps"])

    def cursor(self) -> Mapping[str, Any]:
        return {"next": self.next, "held": list(self.held), "laps": self.laps}


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    """What PLAN carries sources over with. `request_ref` is what ANALYZE would be told."""

    work: Work
    baseline: Baseline
    request: Request
    request_ref: str

    def over(self, left: Sequence[Source], told: Mapping[str, Any]) -> Outcome | tuple[Source, ...]:
        """What to commit while there are more to look at; else those that the Map is to read."""
        if self.baseline.questions != self.request.questions:
            return tuple(left)
        formers = Formers.at(self.work, self.baseline)
        by = name_of(model_of(self.request.analyst, self.work.ports))
        candidates = [
            (source, former)
            for source in left
            if not is_s3(source.url)  # PLAN meets the web alone
            and (former := formers.of(source.url))
            and _is_whole(former, by)
        ]
        if not candidates:
            return tuple(left)
        place = Place.of(self.work.cursor.get("revisit", Place().cursor()))
        return self._looked(candidates, place, told) or self._left(left)

    def _looked(
        self, candidates: Sequence[tuple[Source, Reading]], place: Place, told: Mapping[str, Any]
    ) -> Outcome | None:
        if place.laps >= LAPS:
            return None
        queue = [*place.held, *range(place.next, len(candidates))]
        held, waits, after = list[int](), [0], place.next
        while queue and self._has_time() and len(held) < HELD and waits[-1] <= AHEAD:
            number = queue.pop(0)
            after = max(after, number + 1)
            if wait := self._look_again(*candidates[number]):
                held.append(number)
                waits.append(wait)
        held += [number for number in queue if number < after]
        if not held and after >= len(candidates):
            return None
        place = Place(next=after, held=tuple(held), laps=place.laps + 1)
        cursor = {**told, "revisit": place.cursor()}
        result = self.work.result_so_far()
        if len(waits) == 1:
            return Outcome.go_on(cursor, result=result)
        return Outcome.wait(cursor, seconds=_together(waits[1:]), result=result)

    def _left(self, left: Sequence[Source]) -> tuple[Source, ...]:
        units = self.work.ports.ledger.units(self.work.task_id)
        return divided(left, units, run=1, retry_set_aside=False).left

    def _has_time(self) -> bool:
        """For a page and for the robots.txt that may have to be asked before it."""
        left = self.work.deadline - self.work.ports.clock.now()
        return left >= 2 * budget(Step.FETCH).call

    def _look_again(self, source: Source, former: Reading) -> int:
        """Seconds until it is our turn; 0 where it is carried over, or left to the Map."""
        try:
            page = self._do(Step.FETCH, source, {"url": source.url}, fetch)
            if page.progress is not Progress.DONE:
                return int(page.facts["wait_seconds"]) if page.cursor.get("turn") else 0
            if "same_as" not in page.facts and _hash(self.work, page) == former.sha256:
                self._carry(source, former, page)
        except StepError:  # the unit's record has it; the state's own retries are the Map's
            return 0
        return 0

    def _carry(self, source: Source, former: Reading, page: Outcome) -> None:
        def extract(work: Work) -> Outcome:
            # The copy is ours: the one before may reach its retention while this run counts.
            text = work.read(former.text)
            return Outcome.done(ref=work.write("text", text), characters=len(text_of(text).text))

        args = {
            "url": source.url,
            "page": page.ref,
            "content_type": page.facts["content_type"],
        }
        text = str(self._do(Step.EXTRACT, source, args, extract).ref)
        args = {"text": text, "request": self.request_ref}
        self._do(Step.ANALYZE, source, args, lambda work: _carried(work, text, former))

    def _do(self, step: Step, source: Source, args: Mapping[str, Any], execute: Execute) -> Outcome:
        unit = Unit(
            task_id=self.work.task_id,
            step=step,
            item=source.item,
            args=args,
            context={"agent_id": self.request.agent_id},
        )
        seconds = self.work.deadline - self.work.ports.clock.now()
        owner = str(self.work.held.owner)
        return run(execute, unit, self.work.ports, owner=owner, seconds=seconds).outcome


def _is_whole(former: Reading, by: str) -> bool:
    """Nothing of it was left unread, and the same reader would be asked about it now."""
    return bool(former.text and former.sha256) and former.by == by and not former.unread


def _together(waits: Sequence[int]) -> int:
    """Seconds after which the first turn has come, and most of the others."""
    return max(min(waits), min(max(waits), AHEAD))


def _hash(work: Work, page: Outcome) -> str:
    body = work.read(page.result_ref) if page.result_ref else page.result
    return str(fields_of(body)["sha256"])


def _carried(work: Work, text: str, former: Reading) -> Outcome:
    borne_by_text = text_of(work.read(text)).notes
    notes = tuple(note for note in former.notes if note not in borne_by_text)
    analysis = Analysis(findings=former.findings, dropped=former.dropped, notes=notes)
    return Outcome.done(result=analysis.body(), findings=len(former.findings), by=former.by)
