"""How a job ended, as the ledger keeps it: an answer and its price, or why there is none."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from lambdas.agent.costs import NOTHING
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.job_state import JobState, Phase, Usage
from lambdas.agent.work import Work


def closed(work: Work, intent: Intent, state: JobState, ways_on: Collection[str]) -> JobState:
    """Record the end, artifact first; where the ledger knows of another end, that one stands."""
    if state.usage:
        work.usage += state.usage
    if state.phase is Phase.FAILED:
        stands = _closed_as(work, intent, state, error_code=state.code)
        is_ours = (stands.stage, stands.error_code) == (Stage.FAILED, state.code)
        if is_ours and state.code in ways_on:
            return replace(state, cost=stands.spent)
        return ended(work, stands, ways_on, why=state.sentence)
    ref = work.write("answer", state.body)
    receipt = _receipt(ref, state.usage)
    stands = _closed_as(work, intent, state, receipt=receipt)
    if stands.receipt == receipt:
        return replace(state, ref=ref, cost=stands.spent)
    return ended(work, stands, ways_on)


def _closed_as(
    work: Work, intent: Intent, state: JobState, *, receipt: str = "", error_code: str = ""
) -> Intent:
    ledger, task_id = work.ports.ledger, work.task_id
    if state.cost != NOTHING or intent.held != NOTHING:
        told = {"receipt": receipt, "error_code": error_code}
        return ledger.close(task_id, intent, cost=state.cost, **told)
    if error_code:
        return ledger.give_up(task_id, intent.key, error_code)
    return ledger.settle(task_id, intent.key, receipt)


def ended(
    work: Work, intent: Intent, ways_on: Collection[str], *, why: str = "it ended so before"
) -> JobState:
    if intent.stage is Stage.DONE:
        answer, usage = _answer_of(intent)
        state = replace(JobState.done(work.read(answer), usage=usage), ref=answer)
        return replace(state, cost=intent.spent)
    if intent.error_code in ways_on:
        return replace(JobState.failed(intent.error_code, why), cost=intent.spent)
    raise SourceUnreadable(
        f"The {intent.kind} job of {work.unit} came to nothing: {why}. Try the source again with "
        f"`./ratchet resume {work.task_id} --retry-set-aside`, or remove it",
        code=intent.error_code,
        dependency=intent.external_id,
    )


def _receipt(answer: str, usage: Usage | None) -> str:
    """The answer's artifact, and the tokens it took: who finds it again knows its price too."""
    return f"{answer} {usage.input_tokens} {usage.output_tokens}" if usage else answer


def _answer_of(intent: Intent) -> tuple[str, Usage | None]:
    answer, *tokens = intent.receipt.split(" ")
    if len(tokens) != 2:
        return answer, None
    given, taken = map(int, tokens)
    usd = intent.spent.micro_usd
    return answer, Usage(input_tokens=given, output_tokens=taken, micro_usd=usd)
