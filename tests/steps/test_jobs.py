"""ANALYZE with a model and EXTRACT with OCR: jobs outside, told as a story."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from lambdas.agent.analysis import Analysis
from lambdas.agent.asking import PIECE
from lambdas.agent.codec import text_of
from lambdas.agent.contract import Step
from lambdas.agent.errors import SourceUnreadable
from lambdas.agent.findings import Finding, Text
from lambdas.agent.job_state import JobState
from lambdas.agent.pages import Page
from lambdas.agent.scans import BY_A_MACHINE
from lambdas.agent.work import stored_result
from tests.fakes.jobs import FakeJobs, found_by_model
from tests.fakes.outside import FakeWeb
from tests.fakes.reader import PlainReader
from tests.fakes.story import State, Story
from tests.fakes.world import World
from tests.steps.conftest import PRICING, sources_of, until

SENTENCE = "The Team plan costs 49 euros a month for each seat."
SCAN = b"%PDF-1.4\n any picture"


def said(*quotes: str) -> JobState:
    findings = [{"question": 0, "claim": "any claim", "quote": quote} for quote in quotes]
    return JobState.done(json.dumps({"findings": findings}).encode())


def the_item(story: Story) -> str:
    return next(each["item"] for each in sources_of(story) if each["url"] == PRICING)


def extracted(story: Story) -> State:
    until(story, "READ")
    item = the_item(story)
    return story.extract(item, PRICING, story.fetch(item, PRICING))


def findings(story: Story) -> tuple[Finding, ...]:
    units = story.ports.ledger.units(story.state["task_id"], item=the_item(story))
    (unit,) = (unit for unit in units if unit.step is Step.ANALYZE)
    return Analysis.of(stored_result(story.ports, unit)).findings


def test_a_model_is_asked_once_for_a_source_and_its_quotes_are_found_again(
    story: Story, world: World
) -> None:
    world.model = model = FakeJobs(end=said(SENTENCE, "The Team plan is free for everybody."))
    text = extracted(story)

    assert story.analyze(the_item(story), text)["findings"] == 1
    (found,) = findings(story)
    assert found.quote == SENTENCE
    assert len(model.jobs) == 1
    assert SENTENCE in model.payloads[0]["input"]


def test_the_state_machine_waits_while_the_job_runs(story: Story, world: World) -> None:
    world.model = FakeJobs(lag=1, end=said(SENTENCE))
    text = extracted(story)
    args = {"text": text["ref"], "request": story.state["request"]}
    event = {"item": the_item(story), "args": args}

    told = [story._do(Step.ANALYZE, event) for _ in range(2)]
    assert told[0] == {"progress": "PENDING", "wait_seconds": 2}
    assert told[1] == found_by_model(1)


@pytest.mark.promise("R16", "R37")
def test_a_long_text_is_asked_about_piece_by_piece_and_nothing_found_is_lost(
    story: Story, world: World, web: FakeWeb
) -> None:
    paragraphs = [f"Seat number {n} costs {n} euros a month. {'x' * 400}" for n in range(400)]
    web.pages[PRICING] = "\n\n".join(["Pricing", *paragraphs]).encode()
    quotes = ["Seat number 1 costs 1 euros a month.", "Seat number 399 costs 399 euros a month."]
    world.model = model = FakeJobs(lag=1, end=said(*quotes))
    text = extracted(story)
    story.analyze(the_item(story), text)

    length = len(text_of(world.artifacts.get(text["ref"])).text)
    assert len(model.jobs) == -(-length // PIECE) == 3
    assert [found.quote for found in findings(story)] == quotes


@pytest.mark.promise("R23")
def test_an_answer_that_is_none_sets_the_source_aside_with_its_code(
    story: Story, world: World
) -> None:
    world.model = FakeJobs(end=JobState.done(b"Sorry, I cannot."))
    text = extracted(story)
    with pytest.raises(SourceUnreadable):
        story.analyze(the_item(story), text)

    aside = story.set_aside(the_item(story), {"Error": "SourceUnreadable"})
    assert aside["error_code"] == "MODEL_ANSWER_INVALID"


def test_a_scan_is_read_by_the_deployments_ocr(story: Story, world: World, web: FakeWeb) -> None:
    web.pages[PRICING] = SCAN
    world.ocr = ocr = FakeJobs(end=JobState.done("Preise\nTeam: 49 €\n\nSeite 2".encode()))
    text = text_of(world.artifacts.get(extracted(story)["ref"]))

    assert text.text.split("\n")[:2] == ["Preise", "Team: 49 €"]
    assert text.blocks
    assert text.notes == (BY_A_MACHINE,)
    (payload,) = ocr.payloads
    assert world.artifacts.get(payload["artifact"]) == SCAN


def test_while_the_ocr_works_the_document_is_not_taken_apart_again(
    story: Story, world: World, web: FakeWeb
) -> None:
    class Counting(PlainReader):
        times = 0

        def read(self, page: Page) -> Text:
            self.times += 1
            return super().read(page)

    web.pages[PRICING] = SCAN
    world.reader = reader = Counting()
    world.ocr = ocr = FakeJobs(lag=3, end=JobState.done(b"Team: 49 euros"))
    extracted(story)

    assert len(ocr.polls) == 4
    assert reader.times == 1


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("ocr", "code"),
    [
        (None, "PDF_NEEDS_OCR"),
        (FakeJobs(end=JobState.done(b"\n")), "NO_TEXT"),
        (FakeJobs(end=JobState.failed("JOB_FAILED", "it broke")), "JOB_FAILED"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_scan_that_gives_no_text_says_why(
    story: Story, world: World, web: FakeWeb, ocr: FakeJobs | None, code: str
) -> None:
    web.pages[PRICING] = SCAN
    world.ocr = ocr

    with pytest.raises(SourceUnreadable) as unreadable:
        extracted(story)
    assert unreadable.value.code == code


@pytest.mark.parametrize("code", ["PDF_ENCRYPTED", "PDF_UNREADABLE", "TOO_LARGE"])
def test_a_pdf_that_is_no_scan_is_nothing_for_the_ocr(
    story: Story, world: World, web: FakeWeb, code: str
) -> None:
    class Refusing:
        def read(self, page: Page) -> Text:
            raise SourceUnreadable("any sentence", code=code)

    web.pages[PRICING] = SCAN
    world.reader = Refusing()
    world.ocr = ocr = FakeJobs()

    with pytest.raises(SourceUnreadable) as unreadable:
        extracted(story)
    assert unreadable.value.code == code
    assert ocr.payloads == []


def test_a_page_without_text_is_nothing_for_the_ocr(
    story: Story, world: World, web: FakeWeb
) -> None:
    web.pages[PRICING] = b"Title\n\n "
    world.ocr = ocr = FakeJobs()

    with pytest.raises(SourceUnreadable):
        extracted(story)
    assert cast("Any", ocr).payloads == []
