"""Answers that a model writes to the questions of a report: one question in each lap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lambdas.agent.answering import PROMPT, Shown, payload, shown
from lambdas.agent.calls import Call, answered, said, with_repair
from lambdas.agent.citing import Sentence
from lambdas.agent.drafting import Draft
from lambdas.agent.errors import SourceFailed, SourceRefused, SourceUnreadable
from lambdas.agent.identity import digest
from lambdas.agent.job_places import Kind
from lambdas.agent.job_state import JobState, Phase
from lambdas.agent.jobs import waiting
from lambdas.agent.model import Outcome
from lambdas.agent.model_ports import Jobs
from lambdas.agent.questioning import MOST_SILENCES, Unhurried, way_on
from lambdas.agent.recalling import recalled, remember
from lambdas.agent.spending import Spending
from lambdas.agent.supporting import supported
from lambdas.agent.synthesis import LATE, SILENT
from lambdas.agent.work import Work
from lambdas.agent.writing import is_other_writing

OTHER_WRITING = "its sentences are not in the writing of the question: answer in its language"


def next_answer(work: Work, model: Jobs, draft: Draft, budget: Spending) -> Outcome:
    """One question, or the same once more or with fewer findings: a lap has one call."""
    seen = shown(draft.document, draft.place.question, draft.place.most)
    asked = _payload(work, seen, draft)
    recall = recalled(
        work,
        model,
        draft.document.agent_id,
        asked,
        prompt=PROMPT,
        parse=work.ports.answers.sentences,
    )
    unhurried = Unhurried(model)
    call = Call(
        asked=asked,
        kind=Kind.ANSWER,
        subject=f"{PROMPT} {work.unit.item} {digest(asked)}",
        place=draft.place.cursor(),
        spending=budget,
    )
    try:
        state = answered(work, unhurried, call, recall)
    except SourceFailed as failed:
        return _without(draft, failed)
    if state.phase is Phase.RUNNING:
        return _waiting(draft, state, was_silent=unhurried.was_silent)
    draft = replace(draft, synthesis=draft.synthesis.took(state.usage))
    try:
        sentences = said(state, work.ports.answers.sentences)
    except SourceUnreadable as unusable:
        return _otherwise(draft, seen, unusable)
    if recall.answer is None:
        remember(work, recall, state.ref)
    return _judged(draft, seen, sentences)


def _payload(work: Work, seen: Shown, draft: Draft) -> Mapping[str, Any]:
    asked = payload(work.ports.prompts.get(PROMPT), seen, draft.document.note)
    return with_repair(work, asked, draft.place.again)


def _waiting(draft: Draft, state: JobState, *, was_silent: bool) -> Outcome:
    place = draft.place.unanswered() if was_silent else replace(draft.place, silent=0)
    if place.silent >= MOST_SILENCES:
        return draft.ended(SILENT).go_on()
    cursor = {name: value for name, value in state.cursor.items() if name != "silent"}
    state = replace(state, cursor={**cursor, **place.cursor()})
    return waiting(state, result=draft.synthesis.body())


def _otherwise(draft: Draft, seen: Shown, unusable: SourceUnreadable) -> Outcome:
    """The way on from an answer that is of no use."""
    place = way_on(draft.place, len(seen.proofs), unusable.code, str(unusable))
    if place is None:
        return _without(draft, unusable)
    return draft.elsewhere(place).go_on()


def _without(draft: Draft, failed: SourceFailed) -> Outcome:
    """Who takes no request at all, or takes too long, is asked no other question either."""
    if isinstance(failed, SourceRefused) or failed.code == LATE:
        return draft.ended(failed.code).go_on()
    synthesis = draft.synthesis.without([draft.place.question], failed.code)
    return draft.behind(synthesis).go_on()


def _judged(draft: Draft, seen: Shown, sentences: Sequence[Sentence]) -> Outcome:
    is_other = is_other_writing([seen.question], [each.text for each in sentences])
    if is_other and (place := draft.place.once_more(OTHER_WRITING)):
        return draft.elsewhere(place).go_on()
    stands = supported(sentences, seen.proofs, question=seen.question)
    synthesis = draft.synthesis.with_answer(draft.place.question, stands, seen)
    return draft.behind(synthesis).go_on()
