"""What each step does, told over fakes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.approval import REVISIONS
from lambdas.agent.codec import findings_body
from lambdas.agent.contract import Decision, Status, Step
from lambdas.agent.errors import (
    CoverageTooLow,
    IllegalMove,
    InputChanged,
    InvalidRequest,
    ReportNotApproved,
    SourceRefused,
    SourceUnavailable,
)
from lambdas.agent.findings import Finding
from lambdas.agent.identity import canonical
from lambdas.agent.model import UnitRecord
from lambdas.agent.tasks import TaskRecord
from lambdas.doors.decide import decide
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.outside import FakeBus, FakeCallbacks, FakeShelf, FakeWeb
from tests.fakes.story import Story, invoke
from tests.fakes.world import World
from tests.steps.conftest import BLOG, PRICING, sources_of, until


def record(story: Story) -> TaskRecord:
    found = story.ports.ledger.task(story.state["task_id"])
    assert found is not None
    return found


def units(story: Story, step: Step) -> list[UnitRecord]:
    return [u for u in story.ports.ledger.units(story.state["task_id"]) if u.step is step]


def says(story: Story, decision: Decision, note: str = "") -> dict[str, Any]:
    event = {"task_id": story.state["task_id"], "decision": decision, "by": "ann", "note": note}
    return decide(event, story.ports, owner=f"door-{note}", seconds=20)


class TestPlan:
    def test_it_writes_a_manifest_of_the_sources_in_their_order(self, story: Story) -> None:
        told = story.plan()

        assert [source["url"] for source in sources_of(story)] == [PRICING, BLOG]
        assert (told["begin"], told["sources"], record(story).status) == (True, 2, Status.RUNNING)

    def test_a_request_may_come_by_its_name(
        self, world: World, request_: dict[str, Any], web: FakeWeb
    ) -> None:
        assert web.pages
        artifacts = cast("MemoryArtifacts", world.artifacts)
        ref = artifacts.put("requests", "r", canonical(request_))

        typed = Story(ports=world, request=request_).plan()
        named = Story(ports=world, request={"request_ref": ref}).plan()

        assert typed == named

    def test_a_named_request_that_is_no_object_is_refused(self, world: World) -> None:
        ref = cast("MemoryArtifacts", world.artifacts).put("requests", "r", b"[]")

        with pytest.raises(InvalidRequest, match="not a JSON object"):
            Story(ports=world, request={"request_ref": ref}).plan()

    @pytest.mark.parametrize("typed", [[], "text", None, 7])
    def test_what_is_no_request_at_all_is_refused_too(self, world: World, typed: Any) -> None:
        with pytest.raises(InvalidRequest, match="not a JSON object"):
            invoke(Step.PLAN, {"request": typed, "context": {"execution": "run-1"}}, world)

    def test_a_faulty_request_leaves_no_trace(self, world: World) -> None:
        with pytest.raises(InvalidRequest):
            Story(ports=world, request={"agent_id": "a"}).plan()

        assert cast("MemoryArtifacts", world.artifacts).bodies == {}

    @pytest.mark.promise("R28")
    def test_another_execution_is_told_how_the_first_stands(
        self, story: Story, request_: dict[str, Any]
    ) -> None:
        story.plan()

        second = Story(ports=story.ports, request=request_, execution="run-2").plan()

        assert (second["begin"], second["stands"]) == (False, "RUNNING")
        assert second["execution"] == "run-1"

    def test_another_request_under_the_same_name_is_refused(
        self, story: Story, request_: dict[str, Any]
    ) -> None:
        story.plan()
        other = {**request_, "questions": ["Something else?"]}

        with pytest.raises(InputChanged):
            Story(ports=story.ports, request=other, execution="run-2").plan()


class TestFetch:
    @pytest.mark.promise("R10", "R14")
    def test_a_source_is_asked_once_however_often_the_state_runs(
        self, story: Story, web: FakeWeb
    ) -> None:
        until(story, "READ")
        item = sources_of(story)[0]["item"]

        assert story.fetch(item, PRICING) == story.fetch(item, PRICING)
        assert web.pages_asked == [PRICING]

    def test_it_says_where_the_bytes_came_from_and_when(self, story: Story) -> None:
        until(story, "READ")
        story.fetch(sources_of(story)[0]["item"], PRICING)

        (unit,) = units(story, Step.FETCH)
        assert unit.outcome is not None
        provenance = json.loads(unit.outcome.result or b"")
        assert provenance["url"] == PRICING
        assert provenance["fetched_at"].endswith("Z")
        assert len(provenance["sha256"]) == 64


class TestSetAside:
    @pytest.mark.promise("R21", "R23")
    def test_the_unit_that_failed_tells_why(self, story: Story, web: FakeWeb) -> None:
        until(story, "READ")
        item, url = sources_of(story)[0]["item"], sources_of(story)[0]["url"]
        web.down.add(url)
        with pytest.raises(SourceUnavailable):
            story.fetch(item, url)

        told = story.set_aside(item, {"Error": "SourceUnavailable", "Cause": "{}"})

        assert told["error_code"] == "CONNECT_FAILED"

    @pytest.mark.parametrize(
        ("error", "cause", "code"),
        [
            ("Sandbox.Timedout", "", "FUNCTION_TIMEOUT"),
            ("Runtime.ExitError", "not json", "FUNCTION_KILLED"),
            ("Runtime.Unknown", "", "FUNCTION_KILLED"),
            ("States.Timeout", "", "STATE_TIMEOUT"),
            ("Lambda.Unknown", "", "OUTCOME_UNKNOWN"),
            ("SomethingNew", '{"errorMessage": "told"}', "SomethingNew"),
            ("", "", "UNKNOWN"),
        ],
    )
    def test_a_killed_function_left_no_reason_but_its_name(
        self, story: Story, error: str, cause: str, code: str
    ) -> None:
        until(story, "READ")

        told = story.set_aside("any-item", {"Error": error, "Cause": cause})

        assert told["error_code"] == code

    def test_the_first_reason_stands(self, story: Story) -> None:
        until(story, "READ")
        first = story.set_aside("any-item", {"Error": "Sandbox.Timedout"})

        assert story.set_aside("any-item", {"Error": "Runtime.ExitError"}) == first


class TestValidate:
    def test_a_quote_that_is_not_in_the_source_takes_its_finding_with_it(
        self, story: Story
    ) -> None:
        until(story, "VALIDATE")
        _replace_findings(story, PRICING, [_finding("The Team plan costs 94 euros a month")])

        told = story.validate()
        report = _report_of(story)

        assert told["read"] == 2
        assert report["dropped"] == {"QUOTE_NOT_FOUND": 1}
        assert "94 euros" not in json.dumps(report)

    def test_a_quote_in_other_typography_is_kept_as_the_source_has_it(self, story: Story) -> None:
        until(story, "VALIDATE")
        _replace_findings(story, PRICING, [_finding("The Team  plan costs\n49 euros a month")])

        story.validate()

        assert "The Team plan costs 49 euros a month" in json.dumps(_report_of(story))

    @pytest.mark.promise("R21")
    def test_too_few_readable_sources_end_the_run_and_say_how_many(
        self, story: Story, web: FakeWeb, request_: dict[str, Any]
    ) -> None:
        web.pages.clear()
        story.request = {**request_, "coverage": 0.0}
        story.plan()
        for source in sources_of(story):
            with pytest.raises(SourceRefused):
                story.fetch(source["item"], source["url"])
            story.set_aside(source["item"], {"Error": "SourceRefused"})

        with pytest.raises(CoverageTooLow, match="0 of 2 sources"):
            story.validate()

    def test_a_source_without_any_record_counts_as_not_read(self, story: Story) -> None:
        until(story, "READ")
        first = sources_of(story)[0]
        story.read(first["item"], first["url"])

        assert story.validate()["read"] == 1
        assert "NOT_RECORDED" in json.dumps(_report_of(story))


class TestApproval:
    def test_a_report_waits_for_a_person_and_its_token_is_told_to_nobody(
        self, story: Story, callbacks: FakeCallbacks
    ) -> None:
        until(story, "APPROVE")
        callbacks.waiting.add("token")

        told = story.approve("token")

        assert record(story).status is Status.WAITING_FOR_APPROVAL
        assert "token" not in json.dumps(told).replace("task_token", "")
        assert callbacks.woken == []

    def test_auto_decides_by_the_policy_and_says_so(
        self, story: Story, request_: dict[str, Any], callbacks: FakeCallbacks
    ) -> None:
        callbacks.waiting.add("token")
        story.request = {**request_, "approval": "auto"}
        until(story, "DECIDE")

        ((token, answer),) = callbacks.woken
        assert (token, answer["decision"]) == ("token", "APPROVED")
        (asked,) = units(story, Step.APPROVE)
        assert asked.outcome is not None
        assert asked.outcome.facts["by"] == "policy"

    def test_the_first_answer_stands_and_a_repeat_heals_a_lost_signal(
        self, story: Story, callbacks: FakeCallbacks
    ) -> None:
        until(story, "DECIDE")

        lost = says(story, Decision.APPROVED)
        callbacks.waiting.add("token")
        again = says(story, Decision.REJECTED, "no")

        assert (lost["already"], lost["heard"]) == (False, False)
        assert (again["already"], again["heard"], again["decision"]) == (True, True, "APPROVED")
        assert [answer["decision"] for _, answer in callbacks.woken] == ["APPROVED"]

    def test_a_retried_state_is_answered_with_the_decision_that_stands(
        self, story: Story, callbacks: FakeCallbacks
    ) -> None:
        until(story, "DECIDE")
        says(story, Decision.APPROVED)
        callbacks.waiting.add("new token")

        story.approve("new token")

        assert [token for token, _ in callbacks.woken] == ["new token"]

    def test_nobody_decides_before_anybody_is_asked(self, story: Story) -> None:
        until(story, "APPROVE")

        with pytest.raises(IllegalMove, match="waits for nobody"):
            says(story, Decision.APPROVED)

    def test_nobody_decides_on_a_task_that_is_not_there(self, world: World) -> None:
        event = {"task_id": "nowhere", "decision": "APPROVED", "by": "ann"}

        with pytest.raises(IllegalMove, match="status nowhere"):
            decide(event, world, owner="door", seconds=20)

    def test_the_last_revision_can_only_be_approved_or_rejected(self, story: Story) -> None:
        until(story, "REPORT")
        for _ in range(REVISIONS - 1):
            story.report()
            story.approve()
            says(story, Decision.CHANGES_REQUESTED, "again")
        story.report()
        story.approve()

        with pytest.raises(IllegalMove, match="the last one"):
            says(story, Decision.CHANGES_REQUESTED, "again")
        assert says(story, Decision.APPROVED)["decision"] == "APPROVED"

    def test_changes_lead_to_a_revision_that_carries_the_note(self, story: Story) -> None:
        until(story, "DECIDE")
        says(story, Decision.CHANGES_REQUESTED, "Shorter, please")

        told = story.report()

        assert (told["revision"], record(story).revision) == (2, 2)
        assert "Shorter, please" in json.dumps(_files_of(story)["report.json"])


class TestPublish:
    def test_a_report_that_was_not_approved_is_not_published(self, story: Story) -> None:
        until(story, "DECIDE")
        says(story, Decision.REJECTED)

        with pytest.raises(ReportNotApproved):
            story.publish()
        assert cast("FakeShelf", story.ports.shelf).files == {}

    def test_another_report_than_the_approved_one_is_not_published(self, story: Story) -> None:
        until(story, "PUBLISH")
        story.state["report"] = {**story.state["report"], "ref": "tasks/t/report-list/other"}

        with pytest.raises(ReportNotApproved):
            story.publish()

    def test_an_answer_by_the_raw_token_is_recorded_before_it_counts(self, story: Story) -> None:
        until(story, "DECIDE")  # the operator has woken the state in the console

        story.publish()

        (asked,) = units(story, Step.APPROVE)
        assert asked.outcome is not None
        assert asked.outcome.facts["by"] == "task token"

    def test_a_rejection_by_the_raw_token_is_recorded_too(self, story: Story) -> None:
        until(story, "DECIDE")

        story.complete("REJECTED")

        (asked,) = units(story, Step.APPROVE)
        assert asked.outcome is not None
        said = [asked.outcome.facts[name] for name in ("decision", "by", "note")]
        assert said == ["REJECTED", "task token", "Answered outside Ratchet"]
        assert record(story).status is Status.REJECTED

    def test_a_rejection_that_is_recorded_stays_as_it_is(self, story: Story) -> None:
        until(story, "DECIDE")
        says(story, Decision.REJECTED, "Not our market")

        story.complete("REJECTED")

        (asked,) = units(story, Step.APPROVE)
        assert asked.outcome is not None
        assert asked.outcome.facts["note"] == "Not our market"

    @pytest.mark.promise("R11")
    def test_it_publishes_three_files_and_a_pointer_and_announces_nothing(
        self, story: Story
    ) -> None:
        until(story, "COMPLETE")
        story.complete()

        shelf, bus = (
            cast("FakeShelf", story.ports.shelf),
            cast("FakeBus", story.ports.announcer),
        )
        assert sorted(name.rpartition("/")[2] for name in shelf.files) == [
            "report.html",
            "report.json",
            "report.md",
        ]
        ((_, latest),) = shelf.pointers.values()
        assert latest["result_uri"] == record(story).result_uri
        assert not bus.events
        assert record(story).status is Status.SUCCEEDED


class TestRecordFailure:
    def test_the_record_tells_which_step_failed_and_why(self, story: Story, web: FakeWeb) -> None:
        web.pages.clear()
        until(story, "READ")
        with pytest.raises(CoverageTooLow):
            story.validate()

        told = story.record_failure("CoverageTooLow")

        task = record(story)
        assert (told["recorded"], task.status) == (True, Status.FAILED)
        assert task.error_code == "COVERAGE_TOO_LOW"
        assert task.last_error.startswith("VALIDATE: 0 of 2")

    @pytest.mark.parametrize("cause", ["", "no json", '{"errorMessage": "told"}', "[1]"])
    def test_a_failure_nobody_recorded_is_taken_as_it_was_caught(
        self, story: Story, cause: str
    ) -> None:
        until(story, "READ")

        story.record_failure("Sandbox.Timedout", cause)

        assert record(story).error_code == "Sandbox.Timedout"
        assert record(story).last_error

    @pytest.mark.promise("R21")
    @pytest.mark.parametrize("letter", ["x", "水", "\U0001f4a7"])
    def test_a_long_cause_in_any_script_is_recorded(self, story: Story, letter: str) -> None:
        story.plan()
        cause = json.dumps({"errorMessage": letter * 2000}, ensure_ascii=False)

        assert story.record_failure("Sandbox.Timedout", cause)["recorded"] is True
        task = record(story)
        assert (task.status, task.last_error) == (Status.FAILED, letter * 1000)

    @pytest.mark.promise("R15")
    def test_a_stale_execution_never_turns_success_into_failure(
        self, story: Story, request_: dict[str, Any]
    ) -> None:
        until(story, "COMPLETE")
        story.complete()
        stale = Story(ports=story.ports, request=request_, execution="run-2")
        stale.state = dict(story.state)

        assert stale.record_failure("Boom")["recorded"] is False
        assert story.record_failure("Boom")["recorded"] is False
        assert record(story).status is Status.SUCCEEDED

    def test_a_failure_before_plan_finds_its_task_by_the_request(
        self, story: Story, request_: dict[str, Any]
    ) -> None:
        story.plan()
        before_plan = Story(ports=story.ports, request=request_)

        assert before_plan.record_failure("ServiceUnavailable")["recorded"] is True
        assert record(story).status is Status.FAILED


def _finding(quote: str) -> Finding:
    return Finding(question=0, claim=quote, quote=quote, start=0, end=len(quote), score=0.9)


def _replace_findings(story: Story, url: str, findings: list[Finding]) -> None:
    """As if the analyst had found something else."""
    item = next(source["item"] for source in sources_of(story) if source["url"] == url)
    ledger = cast("Any", story.ports.ledger)
    name = (story.state["task_id"], item, Step.ANALYZE)
    record = ledger._units[name]
    outcome = replace(record.outcome, result=findings_body(findings), result_ref=None)
    ledger._units[name] = replace(record, outcome=outcome)


def _files_of(story: Story) -> dict[str, str]:
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    return {name: story.ports.artifacts.get(ref).decode() for name, ref in refs.items()}


def _report_of(story: Story) -> dict[str, Any]:
    story.report()
    report: dict[str, Any] = json.loads(_files_of(story)["report.json"])
    return report
