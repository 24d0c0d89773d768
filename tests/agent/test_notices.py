"""Which change of a task's record is told, by which channels, and under which names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lambdas.agent.channels import EVENTS, SUBSCRIBERS, Directory
from lambdas.agent.contract import Status, Step
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.letters import Letter, letter, subject, text
from lambdas.agent.notices import Kind, Notice, notices_of
from lambdas.agent.tasks import TaskRecord

TASK = TaskRecord(
    task_id="acme-monday-0123456789ab",
    agent_id="acme",
    workflow_id="monday",
    input_id="any",
    status=Status.RUNNING,
    current_step=Step.PLAN,
    state_version=1,
    schema_version=1,
    execution="any",
    run=1,
    sources=14,
    read=12,
    revision=2,
    waits_until="2026-12-09T08:00:00Z",
    result_uri="s3://any/published/",
    error_code="COVERAGE_TOO_LOW",
    last_error="VALIDATE: too few sources",
    created_at=1_000_000.0,
    updated_at=1_000_060.0,
)
ASKING = {"ApprovalRequested": "r2", "ApprovalReminder": "r2.1796803200"}
"""Occasions of what asks for an answer."""
CRM = Endpoint(name="crm", url="https://crm.example/", secret="any")  # a name


def an_endpoint(**fields: tuple[str, ...]) -> Endpoint:
    return replace(CRM, **fields)  # type: ignore[arg-type]  # events and agents


@pytest.mark.parametrize(
    ("status", "kinds"),
    [
        (Status.WAITING_FOR_APPROVAL, ["ApprovalRequested", "ApprovalReminder"]),
        (Status.SUCCEEDED, ["ReportCompleted"]),
        (Status.FAILED, ["TaskFailed"]),
        (Status.EXPIRED, ["TaskExpired"]),
        (Status.REJECTED, ["TaskRejected"]),
        (Status.CANCELLED, ["TaskCancelled"]),
        (Status.RUNNING, []),
        (Status.PENDING, []),
    ],
)
def test_a_record_that_waits_or_has_ended_is_told(status: Status, kinds: list[str]) -> None:
    found = notices_of(replace(TASK, status=status), is_new=False)

    assert [notice.kind for notice in found] == kinds


def test_a_new_record_is_told_as_accepted() -> None:
    assert [notice.kind for notice in notices_of(TASK, is_new=True)] == ["TaskAccepted"]


def test_the_same_change_is_the_same_notice_and_another_occasion_is_another() -> None:
    def failed(run: int, version: int = 9) -> str:
        task = replace(TASK, status=Status.FAILED, run=run, state_version=version, updated_at=run)
        (notice,) = notices_of(task, is_new=False)
        return notice.execution(EVENTS)

    assert failed(1) == failed(1, version=12)
    assert failed(1) != failed(2)


def test_each_revision_is_asked_about_once() -> None:
    def asked(revision: int) -> set[str]:
        task = replace(TASK, status=Status.WAITING_FOR_APPROVAL, revision=revision)
        return {notice.key(SUBSCRIBERS) for notice in notices_of(task, is_new=False)}

    assert len(asked(1) | asked(1) | asked(2)) == 4


def test_names_differ_by_channel_and_are_short_enough_for_an_execution() -> None:
    notice = Notice(task_id="t" * 60, kind=Kind.APPROVAL_REQUESTED, occasion="r10")

    names = {notice.execution(channel) for channel in (EVENTS, SUBSCRIBERS, "webhook.crm")}
    assert len(names) == 3
    assert max(map(len, names)) <= 80


class TestDirectory:
    def channels(self, kind: Kind, *endpoints: Endpoint, agent: str = "acme") -> list[str]:
        return list(Directory(endpoints=endpoints).channels(Notice(task_id="t", kind=kind), agent))

    def test_everybody_hears_of_a_published_report(self) -> None:
        assert self.channels(Kind.REPORT_COMPLETED, CRM) == [EVENTS, SUBSCRIBERS, "webhook.crm"]

    def test_an_endpoint_that_names_no_events_hears_how_tasks_end(self) -> None:
        heard = {kind for kind in Kind if "webhook.crm" in self.channels(kind, CRM)}

        assert heard == {
            "ReportCompleted",
            "TaskFailed",
            "TaskExpired",
            "TaskRejected",
            "TaskCancelled",
        }

    def test_an_endpoint_hears_the_events_and_the_agents_that_it_names(self) -> None:
        picky = an_endpoint(events=("TaskAccepted",), agents=("acme",))

        assert "webhook.crm" in self.channels(Kind.TASK_ACCEPTED, picky)
        assert "webhook.crm" not in self.channels(Kind.REPORT_COMPLETED, picky)
        assert "webhook.crm" not in self.channels(Kind.TASK_ACCEPTED, picky, agent="other")

    def test_a_reminder_is_for_people_alone(self) -> None:
        nosy = an_endpoint(events=tuple(Kind))

        assert self.channels(Kind.APPROVAL_REMINDER) == [SUBSCRIBERS]
        assert EVENTS not in self.channels(Kind.APPROVAL_REMINDER, nosy)

    def test_what_somebody_did_themselves_is_not_mailed(self) -> None:
        assert SUBSCRIBERS not in self.channels(Kind.TASK_REJECTED)
        assert SUBSCRIBERS not in self.channels(Kind.TASK_CANCELLED)
        assert SUBSCRIBERS not in self.channels(Kind.TASK_ACCEPTED)


class TestLetter:
    def of(self, kind: Kind, occasion: str = "once", **fields: object) -> Letter:
        notice = Notice(task_id=TASK.task_id, kind=kind, occasion=occasion)
        task = replace(TASK, **fields)  # type: ignore[arg-type]  # any of its fields
        return letter(notice, task, until="2026-12-09T08:00:00Z", http_url="https://api.example")

    def test_it_says_which_task_and_when(self) -> None:
        told = self.of(Kind.REPORT_COMPLETED, status=Status.SUCCEEDED)

        assert told.at == "1970-01-12T13:47:40Z"
        assert told.data == {
            "version": 1,
            "task_id": TASK.task_id,
            "agent_id": "acme",
            "workflow_id": "monday",
            "links": {"task": f"https://api.example/tasks/{TASK.task_id}"},
            "result_uri": "s3://any/published/",
            "revision": 2,
            "sources": 14,
            "read": 12,
        }

    def test_a_failure_says_of_what(self) -> None:
        told = self.of(Kind.TASK_FAILED, "run1", status=Status.FAILED)

        assert (told.data["run"], told.data["error_code"]) == (1, "COVERAGE_TOO_LOW")
        assert told.data["reason"] == "VALIDATE: too few sources"

    def test_of_a_failure_that_a_later_run_has_left_behind_only_the_run_is_told(self) -> None:
        told = self.of(Kind.TASK_FAILED, "run1", status=Status.RUNNING, run=2)

        assert told.data["run"] == 1
        assert not {"error_code", "reason"} & told.data.keys()

    @pytest.mark.parametrize("kind", Kind)
    def test_its_bytes_are_read_back_as_it_was(self, kind: Kind) -> None:
        occasions = {
            "TaskFailed": "run1",
            "ApprovalRequested": "r2",
            "ApprovalReminder": "r2.1796803200",
        }
        told = self.of(kind, occasions.get(kind, "once"), status=Status.FAILED)

        assert Letter.read(told.body) == told
        assert Letter.read(told.body).body == told.body

    @pytest.mark.parametrize("kind", Kind)
    def test_a_person_is_told_what_it_is_about_in_a_few_lines(self, kind: Kind) -> None:
        occasions = {
            "TaskFailed": "run1",
            "ApprovalRequested": "r2",
            "ApprovalReminder": "r2.1796803200",
        }
        told = self.of(kind, occasions.get(kind, "once"), status=Status.FAILED)

        said = text(told, link="https://api.example/approvals/any")
        assert "acme" in subject(told)
        assert TASK.task_id in said
        assert len(said) < 1000

    def test_only_what_asks_for_an_answer_has_the_link(self) -> None:
        link = "https://api.example/approvals/any"

        with_link = {
            kind
            for kind in Kind
            if link in text(self.of(kind, ASKING.get(kind, "run1")), link=link)
        }
        assert with_link == ASKING.keys()
        assert all(link.encode() not in self.of(k, ASKING.get(k, "run1")).body for k in Kind)
