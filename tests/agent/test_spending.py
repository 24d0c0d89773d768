"""What a call is reckoned to cost, and what a request lets a run spend."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.agent.costs import Cost, Limits, Price
from lambdas.agent.job_state import Usage
from lambdas.agent.request import Allowance
from lambdas.agent.spending import (
    FRAME,
    SHARERS,
    Spending,
    ends_at,
    in_words,
    limits_of,
    most_tokens,
)
from tests.fakes.jobs import FakeJobs

PRICE = Price(input=Decimal("0.06"), output=Decimal("0.24"))


def test_a_price_is_told_in_dollars_for_a_million_tokens() -> None:
    price = Price.of("0.80/4")

    assert price == Price(input=Decimal("0.80"), output=Decimal(4))
    assert price.micro_usd(1_000_000, 0) == 800_000
    assert price.micro_usd(0, 1_000_000) == 4_000_000
    assert Price.of("") is None


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_call_never_costs_less_than_its_tokens_and_never_a_millionth_more(
    given_: int, taken: int
) -> None:
    exact = given_ * PRICE.input + taken * PRICE.output

    assert exact <= PRICE.micro_usd(given_, taken) < exact + 1


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ("", 0),
        ("four", 2),
        ("12.99", 5),  # each digit is one, its dot a half
        ("\u4e2d\u6587", 3),
        ("\N{HERB}", 2),
        ("\ud800", 1),  # half a character is sent as a question mark
    ],
)
def test_a_prompt_is_reckoned_by_its_bytes_and_its_digits(words: str, tokens: int) -> None:
    assert most_tokens({"input": words}) == FRAME + tokens


def test_what_is_held_is_the_prompt_and_the_longest_answer_at_their_prices() -> None:
    spending = Spending(limits=Limits(), price=PRICE)
    hold = spending.hold({"instructions": "four", "input": "more"}, FakeJobs(longest_answer=100))

    tokens = FRAME + 4
    assert hold.cost == Cost(tokens=tokens + 100, micro_usd=PRICE.micro_usd(tokens, 100))


def test_without_a_price_only_tokens_are_counted() -> None:
    spending = Spending(limits=Limits(), price=None)

    used = Usage(input_tokens=7, output_tokens=3)
    assert spending.cost_of(used) == Cost(tokens=10)


def test_when_the_time_is_over_nothing_fits() -> None:
    spending = Spending(limits=Limits(), price=None, is_over=True)
    hold = spending.hold({"input": ""}, FakeJobs())

    assert not hold.limits.admit(hold.cost)


@pytest.mark.parametrize(
    ("cost", "is_taken"),
    [
        (Cost(tokens=249, micro_usd=99), False),
        (Cost(tokens=250), True),
        (Cost(micro_usd=100), True),
    ],
)
def test_a_source_has_taken_its_share_of_either(cost: Cost, is_taken: bool) -> None:
    limits = Limits(tokens=1000, micro_usd=400)
    spending = Spending(limits=limits, price=PRICE, sharers=SHARERS)

    assert spending.has_taken_its_share(cost) is is_taken
    assert not replace(spending, sharers=1).has_taken_its_share(cost)
    assert not replace(spending, limits=Limits()).has_taken_its_share(cost)


def test_dollars_are_counted_in_whole_millionths() -> None:
    assert limits_of(Allowance(usd=0.1)) == Limits(micro_usd=100_000)
    assert limits_of(Allowance(usd=2.0000019, tokens=5)) == Limits(tokens=5, micro_usd=2_000_001)
    assert limits_of(None) == Limits()


def test_the_time_ends_so_many_minutes_after_the_run_began() -> None:
    assert ends_at(Allowance(minutes=1.5), 1000.25) == 1091
    assert ends_at(Allowance(tokens=5), 1000.25) == 0
    assert ends_at(None, 1000.25) == 0


@pytest.mark.parametrize(
    ("allowance", "words"),
    [
        (Allowance(tokens=200_000, usd=2, minutes=120), "200,000 tokens, 2.00 USD, 120 minutes"),
        (Allowance(usd=0.005), "0.005 USD"),
        (Allowance(minutes=0.5), "0.5 minutes"),
    ],
)
def test_a_budget_is_told_in_words(allowance: Allowance, words: str) -> None:
    assert in_words(allowance) == words
