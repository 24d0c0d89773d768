"""Asking a person: the seal, the invitation, more time, and an answer that meets the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from lambdas.agent.approval import EXTENSIONS
from lambdas.agent.contract import Decision, Status, Step
from lambdas.agent.errors import IllegalMove
from lambdas.agent.instants import iso
from lambdas.agent.invitation import link_of, opened
from lambdas.agent.model import UnitRecord
from lambdas.agent.tasks import TaskRecord
from lambdas.doors.decide import decide
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeCallbacks
from tests.fakes.story import WINDOW, Story
from tests.steps.conftest import until

TOKEN = "AQC+/x=="


@pytest.fixture
def waiting(story: Story, callbacks: FakeCallbacks) -> Story:
    """Waits for somebody under TOKEN."""
    until(story, "APPROVE")
    callbacks.waiting = {TOKEN}
    story.approve(TOKEN)
    return story


def asked(story: Story) -> UnitRecord:
    item = f"r{story.state['report']['revision']}"
    found = story.ports.ledger.units(story.state["task_id"], item=item)
    return next(unit for unit in found if unit.step is Step.APPROVE)


def facts(story: Story) -> Mapping[str, Any]:
    outcome = asked(story).outcome
    assert outcome is not None
    return outcome.facts


def task(story: Story) -> TaskRecord:
    found = story.ports.ledger.task(story.state["task_id"])
    assert found is not None
    return found


def says(story: Story, decision: Decision, *, by: str = "ann") -> dict[str, Any]:
    event = {"task_id": story.state["task_id"], "decision": decision, "by": by, "note": ""}
    return decide(event, story.ports, owner=f"door-{by}", seconds=20)


def id_of(story: Story) -> str:
    held = opened(asked(story).outcome, story.state["task_id"], story.ports.seals)
    assert held is not None
    return held.id


class TestInvitation:
    @pytest.mark.promise("R33")
    def test_neither_the_token_nor_the_id_stands_in_the_record(self, waiting: Story) -> None:
        record = repr([asked(waiting).outcome, facts(waiting), asked(waiting)])
        callback = asked(waiting).outcome.callback  # type: ignore[union-attr]  # it was asked

        assert TOKEN not in record + callback
        assert id_of(waiting) not in record + callback

    def test_its_hash_leads_to_the_revision_that_waits(self, waiting: Story) -> None:
        link = link_of(id_of(waiting))

        assert facts(waiting)["link"] == link
        assert waiting.ports.invitations.find(link) == (waiting.state["task_id"], "r1")

    def test_the_record_says_until_when_it_waits(self, waiting: Story) -> None:
        assert facts(waiting)["until"] == iso(waiting.ports.clock.now() + WINDOW)

    def test_a_retried_state_replaces_the_token_and_keeps_the_invitation(
        self, waiting: Story, callbacks: FakeCallbacks
    ) -> None:
        before = id_of(waiting)
        callbacks.waiting = {"new token"}

        waiting.approve("new token")

        assert id_of(waiting) == before
        assert says(waiting, Decision.APPROVED)["heard"]
        assert [token for token, _ in callbacks.woken] == ["new token"]

    def test_the_next_revision_has_an_invitation_of_its_own(self, waiting: Story) -> None:
        first = id_of(waiting)
        says(waiting, Decision.CHANGES_REQUESTED)
        waiting.report()
        waiting.approve("next token")

        assert id_of(waiting) != first
        assert facts(waiting)["link"] == link_of(id_of(waiting))

    @pytest.mark.promise("R5")
    def test_a_record_from_before_invitations_is_answered_too(
        self, story: Story, callbacks: FakeCallbacks
    ) -> None:
        from lambdas.agent.approval import WAITS, unit_of
        from lambdas.agent.model import Outcome

        until(story, "APPROVE")
        report, ledger = story.state["report"]["ref"], story.ports.ledger
        unit = unit_of(story.state["task_id"], "r1", report)
        held = ledger.claim(unit, owner="old", until=story.ports.clock.now() + 30)
        ledger.commit(unit, held, Outcome.ask(callback=TOKEN, move=WAITS, report=report))
        callbacks.waiting = {TOKEN}

        assert says(story, Decision.APPROVED)["heard"]


class TestMoreTime:
    def test_it_wakes_the_state_which_asks_again_with_a_window_anew(
        self, waiting: Story, callbacks: FakeCallbacks
    ) -> None:
        clock, before = cast("FakeClock", waiting.ports.clock), id_of(waiting)
        clock.pass_seconds(WINDOW - 60)

        said = says(waiting, Decision.MORE_TIME)
        waiting.approve("second token")

        assert (said["decision"], said["by"], said["already"]) == ("MORE_TIME", "ann", False)
        ((_, answer),) = callbacks.woken
        assert answer["decision"] == "MORE_TIME"
        assert facts(waiting)["until"] == iso(clock.now() + WINDOW)
        assert (id_of(waiting), task(waiting).status) == (before, Status.WAITING_FOR_APPROVAL)

    def test_asked_twice_it_is_given_once_and_a_lost_signal_is_healed(
        self, waiting: Story, callbacks: FakeCallbacks
    ) -> None:
        callbacks.waiting = set()
        lost = says(waiting, Decision.MORE_TIME)
        callbacks.waiting = {TOKEN}
        again = says(waiting, Decision.MORE_TIME, by="ben")

        assert (lost["heard"], again["heard"]) == (False, True)
        assert (again["already"], again["by"]) == (True, "ann")
        assert facts(waiting)["extensions"] == 1

    def test_it_can_be_decided_before_the_state_comes_back(self, waiting: Story) -> None:
        says(waiting, Decision.MORE_TIME)

        assert says(waiting, Decision.APPROVED)["decision"] == "APPROVED"
        assert says(waiting, Decision.MORE_TIME)["decision"] == "APPROVED"

    def test_a_machine_that_knows_no_way_back_is_never_sent_it(
        self, story: Story, callbacks: FakeCallbacks
    ) -> None:
        """Case B23: it was deployed before, and would take what it does not know for a no."""
        until(story, "APPROVE")
        callbacks.waiting = {TOKEN}
        story.approve(TOKEN, window=None)

        with pytest.raises(IllegalMove, match="from before there was more time"):
            says(story, Decision.MORE_TIME)
        assert callbacks.woken == []
        assert says(story, Decision.APPROVED)["heard"]

    def test_it_is_given_so_often_and_no_more(self, waiting: Story) -> None:
        for number in range(EXTENSIONS):
            says(waiting, Decision.MORE_TIME)
            waiting.approve(f"token {number}")

        with pytest.raises(IllegalMove, match=f"{EXTENSIONS} times"):
            says(waiting, Decision.MORE_TIME)
        assert says(waiting, Decision.APPROVED)["decision"] == "APPROVED"


class TestExpiry:
    @pytest.mark.promise("R15")
    def test_an_end_without_an_answer_is_an_end_of_its_own(self, waiting: Story) -> None:
        """Case B11."""
        told = waiting.expire()
        waiting.complete("EXPIRED")

        assert told["decision"] == "EXPIRED"
        assert task(waiting).status is Status.EXPIRED

    @pytest.mark.promise("R10")
    def test_who_answered_in_time_is_heard_though_the_signal_was_lost(
        self, waiting: Story, callbacks: FakeCallbacks
    ) -> None:
        callbacks.waiting = set()
        says(waiting, Decision.APPROVED)

        assert waiting.expire()["decision"] == "APPROVED"
        assert waiting.publish()["status"] == "SUCCEEDED"

    def test_who_asked_for_more_time_has_it_though_the_signal_was_lost(
        self, waiting: Story, callbacks: FakeCallbacks
    ) -> None:
        callbacks.waiting = set()
        says(waiting, Decision.MORE_TIME)

        assert waiting.expire()["decision"] == "MORE_TIME"
        waiting.approve("second token")
        assert waiting.expire()["decision"] == "EXPIRED"

    @pytest.mark.parametrize("decision", [Decision.APPROVED, Decision.MORE_TIME])
    def test_a_late_answer_changes_nothing(self, waiting: Story, decision: Decision) -> None:
        waiting.expire()

        said = says(waiting, decision)

        assert (said["decision"], said["already"]) == ("EXPIRED", True)

    def test_nobody_but_the_clock_lets_it_expire(self, waiting: Story) -> None:
        with pytest.raises(IllegalMove, match="the clock's only"):
            says(waiting, Decision.EXPIRED)

    def test_a_state_that_never_got_to_ask_expires_too(self, story: Story) -> None:
        until(story, "APPROVE")

        assert story.expire()["decision"] == "EXPIRED"


@pytest.mark.parametrize(("policy", "rule"), [("auto", "auto"), ("required", None)])
def test_the_rule_that_let_a_report_pass_stands_in_the_record(
    story: Story, request_: dict[str, Any], policy: str, rule: str | None
) -> None:
    story.request = {**request_, "approval": policy}
    until(story, "DECIDE")

    assert facts(story).get("rule") == rule
    assert facts(story).get("by") == (rule and "policy")
