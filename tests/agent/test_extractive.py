"""Findings by ranking alone: verbatim, deterministic, and the same however often it is stopped."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lambdas.agent.extractive import PIECE, find, merge
from lambdas.agent.findings import Block, Finding, Text
from tests.agent.texts import a_text, markdowns, unhurried

QUESTIONS = ["How much do the plans cost?", "Which features were launched?"]
SUBJECTS = ("Pro", "Team", "Scale", "Boards", "Alerts", "Exports", "Reports", "Starter")


def found(text: Text, questions: list[str] = QUESTIONS) -> tuple[Finding, ...]:
    return find(text, questions, start=0, stop=never).findings


def never() -> bool:
    return False


def a_long_text(pieces: int) -> Text:
    """A text of so many pieces with answers scattered in it."""
    rng = random.Random(pieces)
    lines = list(_lines(rng, PIECE * pieces))
    return a_text("\n\n".join(lines), title="Acme blog")


def _lines(rng: random.Random, length: int) -> Iterator[str]:
    while length > 0:
        line = rng.choice(
            [
                "The sun rose over the hills and nobody in the office was surprised by it.",
                "The kitchen was painted, the dogs were fed, and then it was Friday again.",
                f"The {rng.choice(SUBJECTS)} plan costs ${rng.randrange(9, 999)} a month.",
                f"In May we launched {rng.choice(SUBJECTS)} in {rng.randrange(2, 99)} countries.",
            ][: 2 if rng.random() < 0.98 else 4]
        )
        length -= len(line) + 2
        yield line


def in_laps(text: Text, stop: Callable[[], bool]) -> tuple[Finding, ...]:
    merged: tuple[Finding, ...] = ()
    start: int | None = 0
    while start is not None:
        lap = find(text, QUESTIONS, start=start, stop=stop)
        assert lap.next_start is None or lap.next_start > start
        merged = merge((*merged, *lap.findings), 5)
        start = lap.next_start
    return merged


def test_finds_what_answers_each_question_with_its_place() -> None:
    text = a_text("# Plans\n\nBirds sing. The Pro plan costs $29.\n\n- We launched Boards in May.")

    price, launch = found(text)

    assert (price.question, price.quote) == (0, "The Pro plan costs $29.")
    assert (launch.question, launch.quote) == (1, "We launched Boards in May.")
    for finding in (price, launch):
        assert text.text[finding.start : finding.end] == finding.quote
        assert 0 < finding.score <= 1


def test_a_text_that_answers_nothing_gives_nothing() -> None:
    assert (
        found(a_text("# Us\n\nBirds sing in the garden, and the old oven is still in use.")) == ()
    )
    assert found(Text(title="", text="", blocks=())) == ()


def test_keeps_the_best_of_each_question() -> None:
    lines = [f"The plan for team {number} costs ${number} a month." for number in range(10, 40)]
    text = a_text(" ".join(lines))

    assert len(find(text, QUESTIONS, start=0, stop=never, per_question=3).findings) == 3


def test_says_once_what_a_page_repeats_in_nearly_the_same_words() -> None:
    markdown = (
        "The Pro plan costs $29 a month, billed yearly.\n\n"
        "**The Pro plan costs $29 a month, billed yearly!**\n\n"
        "The Pro plan for small teams costs $29 a month, billed yearly in advance by card.\n\n"
        "The Pro plan for small teams costs $29 a month, billed yearly in advance.\n\n"
        "The Pro plan costs $29 a month and is billed yearly."
    )

    assert len(found(a_text(markdown))) == 2


def test_other_numbers_and_negations_are_no_repetition() -> None:
    markdown = (
        "The Pro plan costs $29 a month with support.\n\n"
        "The Pro plan costs $39 a month with support.\n\n"
        "The Pro plan never costs $29 a month with support."
    )

    assert len(found(a_text(markdown))) == 3


@pytest.mark.parametrize(
    ("markdown", "claim"),
    [
        ("**Pro** costs [only $29](https://a.example/p) a\nmonth.", "Pro costs only $29 a month."),
        ("## Pro plan\n\nIt costs $29 a month.", "Pro plan: It costs $29 a month."),
        ("## Price\n\n- Pro plan for $29 a month", "Price: Pro plan for $29 a month"),
        (
            "The plans cost as follows:\n\n- Pro is $29 a month",
            "The plans cost as follows: Pro is $29 a month",
        ),
        (
            "# Plans\n\n| Plan | Price | Trial |\n|---|---|---|\n| Pro | **$29** | |",
            "Plans: Plan: Pro; Price: $29",
        ),
        ("# Plan price\n\n| Pro costs | $29 |\n| Team | x |", "Plan price: Pro costs; $29"),
        ("*The plan costs $29 a month.*", "The plan costs $29 a month."),
        ("- > 50 plans cost $29 \\* 2", "> 50 plans cost $29 * 2"),
        ("A plan of 2 * 3 seats costs $29 *now*.", "A plan of 2 * 3 seats costs $29 now."),
        ("The plan costs\u00ad $29\u202e a\u200b month.", "The plan costs $29 a month."),
    ],
)
def test_claims_read_without_the_page(markdown: str, claim: str) -> None:
    assert claim in [finding.claim for finding in found(a_text(markdown))]


def test_claims_are_short_and_on_one_line() -> None:
    (finding, *_) = found(a_text("The plan costs $29 a month " + "and so on\n" * 40))

    assert "\n" not in finding.claim
    assert len(finding.claim) < 330


@pytest.mark.promise("R16")
def test_works_one_piece_even_without_time_and_says_where_to_go_on() -> None:
    text = a_long_text(pieces=3)

    lap = find(text, QUESTIONS, start=0, stop=lambda: True)

    assert lap.next_start == PIECE
    assert lap.findings
    assert all(finding.start < PIECE for finding in lap.findings)


@pytest.mark.promise("R16")
@pytest.mark.promise("R20")
@settings(unhurried, max_examples=12)
@given(stops=st.lists(st.booleans(), min_size=1, max_size=12), pieces=st.integers(1, 4))
def test_finds_the_same_wherever_it_is_stopped(stops: list[bool], pieces: int) -> None:
    text = TEXTS[pieces - 1]
    pattern = iter(stops * 12)

    assert in_laps(text, lambda: next(pattern)) == found(text)


TEXTS = [a_long_text(pieces) for pieces in range(1, 5)]


def test_a_block_longer_than_a_piece_is_worked_in_pieces_too() -> None:
    line = "Birds sing in the old garden. "
    whole = line * (2 * PIECE // len(line)) + "The Pro plan costs $29 a month."
    text = Text(title="", text=whole, blocks=(Block(kind="paragraph", start=0, end=len(whole)),))

    laps = in_laps(text, lambda: True)

    assert [finding.quote for finding in laps] == ["The Pro plan costs $29 a month."]


@pytest.mark.promise("R37")
def test_a_text_of_two_megabytes_takes_as_many_laps_as_it_is_given_time_for() -> None:
    text = a_long_text(pieces=50)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) % 7 == 6)
        return asked[-1]

    laps = in_laps(text, stop)

    assert len(text.text) > 1_900_000
    assert sum(asked) >= 6
    assert laps == found(text)


@unhurried
@given(markdowns())
def test_every_quote_is_verbatim_and_every_claim_on_one_line(markdown: str) -> None:
    text = a_text(markdown, title="Pricing")

    for finding in found(text, [*QUESTIONS, "What is said of 15 seats?"]):
        assert text.text[finding.start : finding.end] == finding.quote
        assert finding.claim.splitlines() == [finding.claim]
        assert 0 < finding.score <= 1


def test_finds_the_same_under_any_hash_seed() -> None:
    program = (
        "from tests.agent.test_extractive import TEXTS, found\n"
        "print([found(text, ['What changed in pricing, plans or limits?']) for text in TEXTS])"
    )

    def said(seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(  # noqa: S603 - our own interpreter and program
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        ).stdout

    assert said("1") == said("2")


FINDINGS = st.lists(
    st.builds(
        lambda question, quote, start, score: Finding(
            question=question,
            claim=quote,
            quote=quote,
            start=start,
            end=start + len(quote),
            score=score,
        ),
        st.integers(0, 1),
        st.sampled_from(["Pro costs $5", "**Pro** costs $5!", "Pro costs $6", "not Pro", "Team"]),
        st.integers(0, 3),
        st.sampled_from([0.6, 0.8, 1.0]),
    ),
    max_size=12,
)


@unhurried
@given(FINDINGS, FINDINGS, FINDINGS, st.integers(1, 3))
def test_merging_does_not_depend_on_order_or_grouping(
    one: list[Finding], two: list[Finding], three: list[Finding], most: int
) -> None:
    whole = merge([*one, *two, *three], most)

    assert merge([*merge([*one, *two], most), *three], most) == whole
    assert merge([*one, *merge([*two, *three], most)], most) == whole
    assert merge([*three, *two, *one], most) == whole
    assert merge(whole, most) == whole


@unhurried
@given(FINDINGS, st.integers(1, 3))
def test_merging_keeps_the_best_and_each_statement_once(found: list[Finding], most: int) -> None:
    merged = merge(found, most)

    for question in (0, 1):
        ours = [finding for finding in merged if finding.question == question]
        theirs = [finding for finding in found if finding.question == question]
        assert len(ours) <= most
        assert len({finding.quote.strip("*!") for finding in ours}) == len(ours)
        assert max((f.score for f in ours), default=0) == max((f.score for f in theirs), default=0)


def test_merging_prefers_the_higher_score_and_then_the_earlier_place() -> None:
    (finding,) = found(a_text("The Pro plan costs $29 a month."))
    later = replace(finding, start=100, end=100 + len(finding.quote))
    better = replace(later, score=1.5)

    assert merge([later, finding], 5) == (finding,)
    assert merge([finding, better], 5) == (better,)
