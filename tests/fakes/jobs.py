"""A provider of jobs in memory, with any of the abilities that a real one may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lambdas.agent.asking import PROMPT
from lambdas.agent.costs import Price
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState

MODEL = "a-model"
NOTHING_FOUND = b'{"findings":[]}'


def found_by_model(findings: int) -> dict[str, Any]:
    """What ANALYZE answers where a fake model has found so much."""
    return {"progress": "DONE", "findings": findings, "by": f"{MODEL} {PROMPT}"}


@dataclass(slots=True)
class FakeJobs:
    """Each job is RUNNING for `lag` questions and then ends as `end` says; `at_once` it ends with
    its submission, and nothing is kept to ask after.
    """

    ability: Ability = Ability.TOKEN
    lag: int = 1
    at_once: bool = False
    end: JobState = field(default_factory=lambda: JobState.done(NOTHING_FOUND))
    jobs: dict[str, str] = field(default_factory=dict)
    """The key that each job was submitted with, by the job's id."""
    payloads: list[Mapping[str, Any]] = field(default_factory=list)
    polls: list[str] = field(default_factory=list)
    name: str = MODEL
    longest_answer: int = 1_000
    price: Price | None = None

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        found = self.find(key, seconds=seconds)
        if found and self.ability is Ability.TOKEN:
            return found
        job_id = f"job-{len(self.payloads) + 1}"
        self.jobs[job_id] = key
        self.payloads.append(payload)
        return self.end if self.at_once else job_id

    def find(self, key: str, *, seconds: float) -> str | None:
        return next((job_id for job_id, its_key in self.jobs.items() if its_key == key), None)

    def poll(self, job_id: str, *, seconds: float) -> JobState:
        self.polls.append(job_id)
        if job_id not in self.jobs:
            return JobState.failed("JOB_VANISHED", "nobody knows it")
        return self.end if self.polls.count(job_id) > self.lag else JobState.running()

    def noticed(self) -> list[str]:
        """What the provider would bill; a repeat, where nobody can tell it, is no second effect."""
        keys = self.jobs.values()
        return sorted(set(keys) if self.ability is Ability.AT_LEAST_ONCE else keys)


@dataclass(slots=True)
class Answering(FakeJobs):
    """Answers at once, to each question as `answer` has it."""

    ability: Ability = Ability.AT_LEAST_ONCE
    at_once: bool = True
    answer: Callable[[Mapping[str, Any]], JobState] = lambda _: JobState.done(NOTHING_FOUND)

    def submit(self, payload: Mapping[str, Any], *, key: str, seconds: float) -> str | JobState:
        FakeJobs.submit(self, payload, key=key, seconds=seconds)
        return self.answer(payload)


def stammering(end: JobState) -> Answering:
    """Half a JSON document, to every question that was not asked before with what was wrong."""

    def answer(payload: Mapping[str, Any]) -> JobState:
        is_told = "could not be used" in payload["instructions"]
        return end if is_told else JobState.done(b'{"findings": [')

    return Answering(answer=answer)
