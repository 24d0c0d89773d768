"""What stands is reported, what does not is counted by its reason, and nothing rests on nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.codec import findings_body
from lambdas.agent.contract import Status, Step
from lambdas.agent.findings import Finding
from tests.fakes.outside import FakeCallbacks, FakeShelf
from tests.fakes.story import Story
from tests.steps.conftest import BLOG, PRICING, sources_of, until

SAID = "The Team plan costs 49 euros a month for each seat."


def finding(claim: str, quote: str = SAID) -> Finding:
    return Finding(question=0, claim=claim, quote=quote, start=0, end=len(quote), score=0.9)


def found(story: Story, url: str, findings: Iterable[Finding]) -> None:
    """As if the analyst had found something else."""
    item = next(source["item"] for source in sources_of(story) if source["url"] == url)
    ledger = cast("Any", story.ports.ledger)
    name = (story.state["task_id"], item, Step.ANALYZE)
    record = ledger._units[name]
    outcome = replace(record.outcome, result=findings_body(findings), result_ref=None)
    ledger._units[name] = replace(record, outcome=outcome)


def files_of(story: Story) -> dict[str, str]:
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    return {name: story.ports.artifacts.get(ref).decode() for name, ref in refs.items()}


def test_what_a_model_made_up_is_dropped_and_the_report_says_why(story: Story) -> None:
    until(story, "VALIDATE")
    found(
        story,
        PRICING,
        [
            finding("The Team plan is \u20ac49 a month"),
            finding("The Team plan is \u20ac94 a month"),
            finding("The Team plan does not cost \u20ac49"),
            finding("See https://evil.example/ for it"),
            finding("It is free", "It is free of charge for all"),
        ],
    )
    found(story, BLOG, [])

    story.validate()
    story.report()
    files = files_of(story)
    report = json.loads(files["report.json"])

    assert [each["text"] for each in report["answers"][0]["statements"]] == [
        "The Team plan is \u20ac49 a month"
    ]
    assert report["dropped"] == {
        "FOREIGN_LINK": 1,
        "NEGATION_DIFFERS": 1,
        "NUMBER_NOT_IN_QUOTE": 1,
        "QUOTE_NOT_FOUND": 1,
    }
    for name in ("report.html", "report.md"):
        assert "4 statements were left out: 1 quote was not found in the source, 1" in files[name]
        assert "evil.example" not in files[name]


class TestNothingFound:
    """Case E11."""

    @pytest.fixture
    def empty(self, story: Story, callbacks: FakeCallbacks) -> Story:
        callbacks.waiting.add("token")
        story.request = {**story.request, "approval": "auto"}
        until(story, "VALIDATE")
        for url in (PRICING, BLOG):
            found(story, url, [])
        story.validate()
        story.report()
        return story

    def test_the_report_says_that_nothing_was_found(self, empty: Story) -> None:
        files = files_of(empty)

        assert json.loads(files["report.json"])["citations"] == []
        for name in ("report.html", "report.md"):
            assert "Nothing was found: no source that was read answers" in files[name]

    def test_it_is_not_published_by_policy_but_waits_for_a_person(
        self, empty: Story, callbacks: FakeCallbacks
    ) -> None:
        empty.approve("token")

        task = empty.ports.ledger.task(empty.state["task_id"])
        assert task is not None
        assert task.status is Status.WAITING_FOR_APPROVAL
        assert callbacks.woken == []
        assert cast("FakeShelf", empty.ports.shelf).files == {}
