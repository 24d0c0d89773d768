"""One call of a model, as ANALYZE and REPORT make it: an answer of before, or else a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from lambdas.agent.asking import REPAIR, asked_again
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.job_costs import let_go
from lambdas.agent.job_places import Kind
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.jobs import follow
from lambdas.agent.model_ports import Jobs
from lambdas.agent.piecewise import WAYS_ON
from lambdas.agent.recalling import Recall
from lambdas.agent.spending import Spending
from lambdas.agent.work import Work

Said = TypeVar("Said")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked, under which name in the unit, and out of which budget; `place` is where the
    unit stands, which is in the cursor while a job runs.
    """

    asked: Mapping[str, Any]
    kind: Kind
    subject: str
    place: Mapping[str, Any]
    spending: Spending


def with_repair(work: Work, asked: Mapping[str, Any], fault: str) -> Mapping[str, Any]:
    """The same question, told what was wrong with the answer to it, if anything was."""
    return asked_again(asked, work.ports.prompts.get(REPAIR), fault) if fault else asked


def answered(work: Work, model: Jobs, call: Call, recall: Recall) -> JobState:
    """As `follow` has it; an answer that was had before costs nothing, and nothing stays held."""
    if recall.answer is None:
        return follow(
            work,
            model,
            call.asked,
            kind=call.kind,
            subject=call.subject,
            place=call.place,
            ways_on=WAYS_ON,
            spending=call.spending,
        )
    if work.held.attempt > 1:
        let_go(
            work,
            model,
            call.asked,
            kind=call.kind,
            subject=call.subject,
            spending=call.spending,
        )
    return JobState.done(recall.answer)


def said(state: JobState, parse: Callable[[bytes], tuple[Said, ...]]) -> tuple[Said, ...]:
    """What the answer says; SourceUnreadable where it is of no use, with its ending as the code."""
    if state.phase is Phase.FAILED:
        raise SourceUnreadable(state.sentence, code=state.code, dependency="model")
    return parse(state.body)
