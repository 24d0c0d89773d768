"""Decisions: the first one stands, and everybody is told which that is."""

from __future__ import annotations

import pytest

from console.approvals import Answer, asked, decide
from console.doors import TRIES
from console.errors import BadInput, Refused
from lambdas.agent.contract import Decision
from lambdas.agent.errors import IllegalMove, StillClaimed
from tests.console.bench import TOKEN, Bench, until_asked


def test_an_approval_is_recorded_and_wakes_the_run(bench: Bench) -> None:
    bench.callbacks.waiting.add(TOKEN)
    task = until_asked(bench.story()).state["task_id"]

    answer = decide(bench.account, task, Decision.APPROVED, by="ann", note="good")

    assert (answer.decision, answer.by, answer.note) == ("APPROVED", "ann", "good")
    assert answer.heard
    assert not answer.already
    assert [token for token, _ in bench.callbacks.woken] == [TOKEN]


def test_a_second_answer_is_told_what_was_decided(bench: Bench) -> None:
    task = until_asked(bench.story()).state["task_id"]
    first = decide(bench.account, task, Decision.APPROVED, by="ann")

    second = decide(bench.account, task, Decision.REJECTED, by="bob", note="too late")

    assert str(second) == f"already decided: approved by ann at {first.at}"


def test_an_answer_waits_for_another_one_that_is_under_way(bench: Bench) -> None:
    task = until_asked(bench.story()).state["task_id"]
    bench.functions.fails_with = [StillClaimed("leased"), StillClaimed("leased")]

    answer = decide(bench.account, task, Decision.APPROVED, by="ann", pause=lambda _: None)

    assert answer.decision == "APPROVED"
    assert len(bench.functions.told) == 3


def test_an_answer_does_not_wait_for_ever(bench: Bench) -> None:
    bench.functions.fails_with = [StillClaimed("leased")] * (TRIES + 1)

    with pytest.raises(Refused, match="leased"):
        decide(bench.account, "any", Decision.APPROVED, by="ann", pause=lambda _: None)

    assert len(bench.functions.told) == TRIES


def test_what_the_function_refuses_is_its_own_sentence(bench: Bench) -> None:
    bench.functions.fails_with = [IllegalMove("Task any waits for nobody's decision")]

    with pytest.raises(Refused, match="waits for nobody's decision"):
        decide(bench.account, "any", Decision.APPROVED, by="ann")

    assert len(bench.functions.told) == 1


def test_a_note_too_long_for_the_record_is_refused_whole(bench: Bench) -> None:
    with pytest.raises(BadInput, match="1001 characters and may have 1000"):
        decide(bench.account, "any", Decision.REJECTED, by="ann", note="x" * 1001)

    assert bench.functions.told == []


def test_every_revision_that_was_asked_about_is_told_in_order(bench: Bench) -> None:
    story = until_asked(bench.story())
    task = story.state["task_id"]
    decide(bench.account, task, Decision.CHANGES_REQUESTED, by="ann", note="add prices")
    story.report()
    story.approve(TOKEN)

    first, second = asked(bench.account.ledger.units(task))

    assert (first.revision, second.revision) == (1, 2)
    assert first.answer
    assert str(first.answer).startswith("changes requested by ann at ")
    assert str(first.answer).endswith(': "add prices"')
    assert second.answer is None


def test_a_decision_of_a_policy_names_it() -> None:
    answer = Answer(decision="APPROVED", by="policy", at="2026-11-30T19:45:00Z")

    assert str(answer) == "approved by policy at 2026-11-30T19:45:00Z"
