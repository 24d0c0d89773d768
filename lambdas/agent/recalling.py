"""A model's answer that was had before: for the same question nobody pays twice.

What is kept belongs to the agent, so its next task knows it. Only answers that could be read are
kept; an answer is good for as long as its artifact is there and could be read still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.agent.errors import SourceUnreadable, Unexpected
from lambdas.agent.identity import digest
from lambdas.agent.job_places import CURSOR
from lambdas.agent.model import Memo
from lambdas.agent.model_ports import Jobs
from lambdas.agent.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """`answer` is None where the question is to be asked; `stale` is whose place its answer
    takes.
    """

    key: str
    answer: bytes | None = None
    stale: str = ""


def recalled(
    work: Work,
    model: Jobs,
    agent: str,
    payload: Mapping[str, Any],
    *,
    prompt: str,
    parse: Callable[[bytes], object],
) -> Recall:
    """The answer to this payload from this model, copied into the task; `parse` refuses what is
    none to this prompt.

    An answer that this very unit has paid for is none of ours: its reservation in the ledger holds
    it, with its price.
    """
    key = digest("answer", agent, model.name, prompt, payload)
    memo = work.ports.memos.get(key)
    if memo is None or memo.by == str(work.unit):
        return Recall(key=key)
    if CURSOR in work.cursor:  # our own job is under way
        return Recall(key=key, stale=memo.ref)
    try:
        answer = work.read(memo.ref)
        parse(answer)
    except (Unexpected, SourceUnreadable):  # past its retention, or changed by hand
        return Recall(key=key, stale=memo.ref)
    # The copy is ours: the one before may reach the end of its retention while this run counts.
    work.write("answer", answer)
    work.reused += 1
    return Recall(key=key, answer=answer)


def remember(work: Work, recall: Recall, ref: str) -> None:
    """Keep an answer that could be read, before it is committed what was made of it."""
    work.ports.memos.keep(recall.key, Memo(ref=ref, by=str(work.unit)), instead_of=recall.stale)
