"""TELL: one notice by one channel, whatever its receiver does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from lambdas.agent.channels import EVENTS, SUBSCRIBERS, Directory
from lambdas.agent.contract import Decision, Step
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import NotTaken, ServiceUnavailable, StepError
from lambdas.agent.invitation import opened
from lambdas.agent.letters import Letter
from lambdas.agent.notices import Kind, Notice, notices_of
from lambdas.agent.patience import WAITS
from lambdas.doors.decide import decide
from tests.fakes.clock import FakeClock
from tests.fakes.outside import FakeBus
from tests.fakes.receivers import FakeSubscribers, FakeWebhooks
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import until

CRM = Endpoint(name="crm", url="https://crm.example/", secret="any")  # a name
TO_CRM = "webhook.crm"
DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    bus: FakeBus
    subscribers: FakeSubscribers
    webhooks: FakeWebhooks
    clock: FakeClock


@pytest.fixture
def outside(world: World) -> Outside:
    world.directory = Directory(endpoints=(CRM,), http_url="https://api.example")
    return Outside(
        bus=cast("FakeBus", world.announcer),
        subscribers=cast("FakeSubscribers", world.subscribers),
        webhooks=cast("FakeWebhooks", world.webhooks),
        clock=cast("FakeClock", world.clock),
    )


@pytest.fixture
def published(story: Story, outside: Outside) -> Story:
    assert not outside.bus.events
    until(story, "COMPLETE")
    story.complete()
    return story


@pytest.fixture
def waiting(story: Story, outside: Outside) -> Story:
    assert not outside.bus.events
    until(story, "APPROVE")
    story.approve(window=3 * DAY)
    return story


def a_notice(story: Story, kind: Kind, occasion: str = "once") -> Notice:
    return Notice(task_id=story.state["task_id"], kind=kind, occasion=occasion)


def completed(story: Story) -> Notice:
    return a_notice(story, Kind.REPORT_COMPLETED)


def says(story: Story, decision: Decision) -> None:
    event = {"task_id": story.state["task_id"], "decision": decision, "by": "ann", "note": "why"}
    decide(event, story.ports, owner="door", seconds=20)


def link(story: Story) -> str:
    found = story.ports.ledger.units(story.state["task_id"], item="r1")
    asked = next(unit for unit in found if unit.step is Step.APPROVE)
    held = opened(asked.outcome, story.state["task_id"], story.ports.seals)
    assert held
    return f"https://api.example/approvals/{held.id}"


class TestByTheBus:
    def test_the_event_is_announced_under_the_notices_key(
        self, published: Story, outside: Outside
    ) -> None:
        told = published.tell(completed(published), EVENTS)

        ((kind, key, detail),) = outside.bus.events
        assert told["told"] == "TOLD"
        assert (kind, key) == ("ReportCompleted", completed(published).key(EVENTS))
        assert detail["version"] == 1
        assert detail["result_uri"].startswith("shelf://")

    def test_told_again_it_is_not_announced_again(self, published: Story, outside: Outside) -> None:
        first = published.tell(completed(published), EVENTS)

        assert published.tell(completed(published), EVENTS) == first
        assert len(outside.bus.events) == 1


class TestByAWebhook:
    def test_the_endpoint_gets_the_letter(self, published: Story, outside: Outside) -> None:
        published.tell(completed(published), TO_CRM)

        (delivery,) = outside.webhooks.deliveries
        assert (delivery.to, delivery.key) == (CRM, completed(published).key(TO_CRM))
        assert Letter.read(delivery.body).kind is Kind.REPORT_COMPLETED

    def test_it_is_kept_before_it_is_sent(self, published: Story, outside: Outside) -> None:
        assert published.tell_lap(completed(published), TO_CRM)["progress"] == "CONTINUE"
        assert not outside.webhooks.deliveries

    def test_whatever_becomes_of_the_record_each_attempt_says_the_same(
        self, story: Story, outside: Outside
    ) -> None:
        """Case F04: never two bodies under one id."""
        until(story, "VALIDATE")
        story.record_failure("CoverageTooLow", "{}")
        failed = a_notice(story, Kind.TASK_FAILED, "run1")
        outside.webhooks.refusals = [ServiceUnavailable("the receiver is down")]
        story.tell_lap(failed, TO_CRM)
        assert story.tell_lap(failed, TO_CRM)["progress"] == "PENDING"
        kept = outside.webhooks.deliveries
        story.ports.ledger.continue_run(story.state["task_id"], run=2, execution="run-2")

        story.tell(failed, TO_CRM)

        (delivery,) = kept
        assert Letter.read(delivery.body).data["error_code"] == "COVERAGE_TOO_LOW"

    @pytest.mark.promise("R16")
    def test_a_receiver_that_is_down_is_asked_again_and_later_each_time(
        self, published: Story, outside: Outside
    ) -> None:
        down = [ServiceUnavailable("the receiver is down") for _ in WAITS]
        outside.webhooks.refusals = list[StepError](down)
        begun = outside.clock.now()

        told = published.tell(completed(published), TO_CRM)

        assert told["told"] == "TOLD"
        assert len(outside.webhooks.deliveries) == 1
        assert outside.clock.now() - begun >= sum(WAITS)

    def test_one_that_never_comes_back_is_given_up_after_a_day_and_parked(
        self, published: Story, outside: Outside
    ) -> None:
        outside.webhooks.refusals = [
            ServiceUnavailable("the receiver is down") for _ in range(3 * len(WAITS))
        ]

        told = published.tell(completed(published), TO_CRM)

        assert (told["told"], told["error_code"]) == ("PARKED", "SERVICE_UNAVAILABLE")
        assert told["sign"] == "NOTICE_PARKED"
        assert not outside.webhooks.deliveries

    @pytest.mark.promise("R11")
    def test_one_that_refuses_is_parked_at_once_and_what_was_published_stays(
        self, published: Story, outside: Outside
    ) -> None:
        outside.webhooks.refusals = [NotTaken("wants no more", code="HTTP_410")]

        told = published.tell(completed(published), TO_CRM)

        task = published.ports.ledger.task(published.state["task_id"])
        assert (told["told"], told["error_code"]) == ("PARKED", "HTTP_410")
        assert task
        assert (task.status, task.error_code) == ("SUCCEEDED", "")
        assert published.tell(completed(published), TO_CRM) == told

    def test_the_hint_of_a_busy_receiver_is_heeded(
        self, published: Story, outside: Outside
    ) -> None:
        outside.webhooks.refusals = [ServiceUnavailable("busy", wait_seconds=777)]
        published.tell_lap(completed(published), TO_CRM)

        told = published.tell_lap(completed(published), TO_CRM)

        assert told["wait_seconds"] >= 777

    def test_an_endpoint_that_the_deployment_names_no_longer_is_told_nothing(
        self, world: World, published: Story, outside: Outside
    ) -> None:
        world.directory = Directory()

        assert published.tell(completed(published), TO_CRM)["told"] == "NOT_NEEDED"
        assert not outside.webhooks.deliveries


class TestByMail:
    def test_who_may_decide_gets_the_link_and_no_record_has_it(
        self, waiting: Story, outside: Outside
    ) -> None:
        asked = a_notice(waiting, Kind.APPROVAL_REQUESTED, "r1")

        waiting.tell(asked, SUBSCRIBERS)

        (message,) = outside.subscribers.messages
        assert link(waiting) in message.text
        assert "token" not in message.text.replace("tokens", "")
        told = list(waiting.ports.ledger.units(waiting.state["task_id"]))
        assert link(waiting).rpartition("/")[2] not in repr(told)

    def test_a_link_that_decides_nothing_any_more_is_not_sent(
        self, waiting: Story, outside: Outside
    ) -> None:
        asked = a_notice(waiting, Kind.APPROVAL_REQUESTED, "r1")
        waiting.tell_lap(asked, SUBSCRIBERS)
        says(waiting, Decision.REJECTED)

        assert waiting.tell(asked, SUBSCRIBERS)["told"] == "NOT_NEEDED"
        assert not outside.subscribers.messages

    def test_the_link_of_a_report_that_another_has_followed_is_not_sent(
        self, waiting: Story, outside: Outside
    ) -> None:
        """An operator has sent it back by the raw token, and its unit is unanswered."""
        first = a_notice(waiting, Kind.APPROVAL_REQUESTED, "r1")
        waiting.tell_lap(first, SUBSCRIBERS)
        waiting.report()
        waiting.approve("another", window=3 * DAY)

        assert waiting.tell(first, SUBSCRIBERS)["told"] == "NOT_NEEDED"
        second = a_notice(waiting, Kind.APPROVAL_REQUESTED, "r2")
        assert waiting.tell(second, SUBSCRIBERS)["told"] == "TOLD"
        assert len(outside.subscribers.messages) == 1


class TestReminder:
    def reminder(self, story: Story) -> Notice:
        """That of the window in which the report waits now."""
        task = story.ports.ledger.task(story.state["task_id"])
        assert task
        _, told = notices_of(task, is_new=False)
        return told

    def test_it_comes_a_part_of_the_window_before_its_end(
        self, waiting: Story, outside: Outside
    ) -> None:
        begun = outside.clock.now()

        told = waiting.tell(self.reminder(waiting), SUBSCRIBERS)

        assert told["told"] == "TOLD"
        assert outside.clock.now() - begun == 3 * DAY * 3 / 4
        assert "still waits" in outside.subscribers.messages[0].subject

    def test_nobody_is_reminded_of_a_report_that_another_has_followed(
        self, waiting: Story, outside: Outside
    ) -> None:
        first = self.reminder(waiting)
        waiting.report()
        waiting.approve("another", window=3 * DAY)

        assert waiting.tell(first, SUBSCRIBERS)["told"] == "NOT_NEEDED"
        assert not outside.subscribers.messages

    @pytest.mark.parametrize("decision", [Decision.APPROVED, Decision.CHANGES_REQUESTED])
    def test_who_has_answered_is_not_reminded(
        self, waiting: Story, outside: Outside, decision: Decision
    ) -> None:
        told = self.reminder(waiting)
        assert waiting.tell_lap(told, SUBSCRIBERS)["progress"] == "PENDING"
        says(waiting, decision)

        assert waiting.tell(told, SUBSCRIBERS)["told"] == "NOT_NEEDED"
        assert not outside.subscribers.messages

    def test_more_time_puts_it_off(self, waiting: Story, outside: Outside) -> None:
        first = self.reminder(waiting)
        told = waiting.tell_lap(first, SUBSCRIBERS)
        outside.clock.pass_seconds(told["wait_seconds"] - 10)
        says(waiting, Decision.MORE_TIME)
        waiting.approve("another", window=3 * DAY)
        outside.clock.pass_seconds(10)

        assert waiting.tell(first, SUBSCRIBERS)["told"] == "NOT_NEEDED"
        again = waiting.tell_lap(self.reminder(waiting), SUBSCRIBERS)

        assert (again["progress"], outside.subscribers.messages) == ("PENDING", [])
        assert again["wait_seconds"] == pytest.approx(3 * DAY * 3 / 4 - 10, abs=2)

    def test_who_asked_for_more_time_when_reminded_is_reminded_of_that_too(
        self, waiting: Story, outside: Outside
    ) -> None:
        assert waiting.tell(self.reminder(waiting), SUBSCRIBERS)["told"] == "TOLD"
        says(waiting, Decision.MORE_TIME)
        waiting.approve("another", window=3 * DAY)

        assert waiting.tell(self.reminder(waiting), SUBSCRIBERS)["told"] == "TOLD"

        first, second = outside.subscribers.messages
        assert first.key != second.key

    def test_more_time_that_its_state_has_not_heard_of_yet_is_no_other_window(
        self, waiting: Story, outside: Outside
    ) -> None:
        before = self.reminder(waiting)
        says(waiting, Decision.MORE_TIME)

        assert self.reminder(waiting) == before

    def test_nobody_is_reminded_of_what_was_asked_a_moment_ago(
        self, story: Story, outside: Outside
    ) -> None:
        until(story, "APPROVE")
        story.approve(window=60)

        told = story.tell(self.reminder(story), SUBSCRIBERS)

        assert told["told"] == "NOT_NEEDED"
        assert not outside.subscribers.messages


def test_a_task_whose_record_is_gone_is_told_of_no_more(story: Story, outside: Outside) -> None:
    story.state = {"task_id": "any-task"}

    assert story.tell(completed(story), EVENTS)["told"] == "NOT_NEEDED"
    assert not outside.bus.events
