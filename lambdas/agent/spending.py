"""The budget of a run: what a call is reckoned to cost, and what there is left for it.

Tokens and money are held before a model is asked and settled after it (lambdas/agent/jobs.py);
time is looked at before anything new is begun (docs/decisions/0015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from lambdas.agent.analysts import model_there
from lambdas.agent.costs import NOTHING, Cost, Hold, Limits, Price
from lambdas.agent.errors import InvalidRequest, SourceRefused
from lambdas.agent.job_state import Usage
from lambdas.agent.model_ports import Jobs
from lambdas.agent.ports import Ports
from lambdas.agent.report import Spent
from lambdas.agent.request import Allowance, Request
from lambdas.agent.work import Work

FRAME = 1_000
"""Tokens of what stands around a prompt: the schema of the answer, and a provider's own words."""
SHARERS = 4
"""One source may take this part of a run's budget, the more where fewer pages are named."""
BUDGET_SPENT = "BUDGET_SPENT"  # as Ending has it
LARGER_BUDGET = (
    "start the request anew under a `workflow_id` of its own with a larger `budget`: answers that "
    "were paid for are not asked for again"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What may be spent on one model in a run.

    is_over   the run's time is: nothing new is asked
    sharers   how many sources the budget is for, or more
    """

    limits: Limits
    price: Price | None
    is_over: bool = False
    sharers: int = 1

    def hold(self, payload: Mapping[str, Any], jobs: Jobs) -> Hold:
        """For one call, at the most."""
        most = Usage(input_tokens=most_tokens(payload), output_tokens=jobs.longest_answer)
        # Where the time is over nothing fits, and what was begun before is found all the same.
        limits = Limits(tokens=0, micro_usd=0) if self.is_over else self.limits
        return Hold(cost=self.cost_of(most), limits=limits)

    def cost_of(self, usage: Usage) -> Cost:
        return Cost(
            tokens=usage.input_tokens + usage.output_tokens,
            micro_usd=self.price.micro_usd(usage.input_tokens, usage.output_tokens)
            if self.price
            else 0,
        )

    def has_taken_its_share(self, cost: Cost) -> bool:
        """True for a source that has cost so much: then it asks no further question."""
        pairs = ((self.limits.tokens, cost.tokens), (self.limits.micro_usd, cost.micro_usd))
        return self.sharers > 1 and any(
            limit is not None and taken * self.sharers >= limit for limit, taken in pairs
        )


def spending(work: Work, model: Jobs, request: Mapping[str, Any]) -> Spending:
    """What the request lets a unit spend, by its artifact's fields."""
    allowance = allowance_of(request)
    limits = limits_of(allowance)
    if limits.micro_usd is not None and model.price is None:
        raise SourceRefused(_priceless(), code="PRICE_UNKNOWN", dependency=model.name)
    return Spending(
        limits=limits,
        price=model.price,
        is_over=is_time_over(work),
        sharers=_sharers(request["sources"]) if allowance else 1,
    )


def most_tokens(payload: Mapping[str, Any]) -> int:
    """More than nearly any model makes of it: a token for two bytes of UTF-8, and for each digit.

    Prose takes half of that. What takes more (long cipher) is settled at what it took.
    """
    words = "".join(str(value) for value in payload.values())
    digits = sum(words.count(digit) for digit in "0123456789")
    return FRAME + ceil((len(words.encode(errors="replace")) + digits) / 2)


def allowance_of(request: Mapping[str, Any]) -> Allowance | None:
    told = request.get("budget")
    return Allowance(**told) if told else None


def limits_of(allowance: Allowance | None) -> Limits:
    if allowance is None:
        return Limits()
    usd = allowance.usd
    return Limits(
        tokens=allowance.tokens,
        micro_usd=None if usd is None else int(Decimal(str(usd)) * 1_000_000),
    )


def ends_at(allowance: Allowance | None, begun: float) -> int:
    """The second in which a run's time is over; 0 where it has all the time."""
    if allowance is None or allowance.minutes is None:
        return 0
    return ceil(begun + 60 * allowance.minutes)


def is_time_over(work: Work) -> bool:
    until = int(work.unit.context.get("until", 0))
    return bool(until) and work.ports.clock.now() >= until


def check_time(work: Work) -> None:
    """Nothing new is begun for a source when the run's time is over."""
    if is_time_over(work):
        raise SourceRefused(
            "The run's budget of time was over before this source was read: go on with `./ratchet "
            f"resume {work.task_id} --retry-set-aside` while the run is not through, or "
            f"{LARGER_BUDGET}",
            code=BUDGET_SPENT,
        )


def check_budget(request: Request, ports: Ports) -> None:
    """InvalidRequest for a limit in dollars where nobody has told what the model costs."""
    if request.budget is None or request.budget.usd is None:
        return
    model = model_there(request.analyst, ports)
    if model is not None and model.price is None:
        raise InvalidRequest(
            f"The request has 1 fault, and nothing was started:\n- budget.usd: {_priceless()}",
            faults=(("budget.usd", _priceless()),),
        )


def spent_so_far(ports: Ports, task_id: str, request: Request) -> Spent | None:
    """What the report tells of it; None where there is nothing to tell."""
    model = model_there(request.analyst, ports)
    if model is None and request.budget is None:
        return None
    spent = ports.ledger.purse(task_id).spent if model else NOTHING
    limits = asdict(request.budget) if request.budget else {}
    is_priced = model is None or model.price is not None
    return Spent(
        tokens=spent.tokens,
        usd=spent.micro_usd / 1_000_000 if is_priced else None,
        limits={name: limit for name, limit in limits.items() if limit is not None},
    )


def in_words(allowance: Allowance) -> str:
    told = []
    if allowance.tokens is not None:
        told.append(f"{allowance.tokens:,} tokens")
    if allowance.usd is not None:
        told.append(
            f"{allowance.usd:,.2f} USD" if allowance.usd >= 0.01 else f"{allowance.usd} USD"
        )
    if allowance.minutes is not None:
        told.append(f"{allowance.minutes:g} minutes")
    return ", ".join(told)


def _priceless() -> str:
    return (
        "this deployment does not know what its model costs: deploy it with `bedrock_price` or "
        '`model_price` set to "INPUT/OUTPUT" in dollars for a million tokens, or limit `tokens`'
    )


def _sharers(sources: Sequence[Mapping[str, Any]]) -> int:
    """A list is many sources, however many it becomes."""
    has_lists = any("kind" in source for source in sources)
    return SHARERS if has_lists else min(SHARERS, len(sources))
