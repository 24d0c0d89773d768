"""Some source always fails: each is told with its reason, and too many of them end the run."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from lambdas.agent.contract import Step
from lambdas.agent.errors import CoverageTooLow, SourceFailed, SourceUnavailable
from tests.fakes.outside import FakeWeb
from tests.fakes.story import Story
from tests.steps.conftest import PAGES, PRICING, sources_of

GOOD, GONE, SLOW = "ok", "404", "timeout"


def told(story: Story, outcomes: list[str], coverage: float) -> None:
    """As the Distributed Map does: a source that fails is set aside, the others go on."""
    urls = [f"https://acme.test/{n}" for n in range(len(outcomes))]
    web = cast("FakeWeb", story.ports.fetcher)
    for n, (url, outcome) in enumerate(zip(urls, outcomes, strict=True)):
        if outcome == GOOD:
            web.pages[url] = PAGES[PRICING].replace(b"49", str(n + 1).encode())
        if outcome == SLOW:
            web.down.add(url)
    sources = [{"url": url} for url in urls]
    story.request = {**story.request, "sources": sources, "coverage": coverage}
    story.plan()
    for source in sources_of(story):
        try:
            story.read(source["item"], source["url"])
        except (SourceFailed, SourceUnavailable) as error:
            story.set_aside(source["item"], {"Error": type(error).__name__, "Cause": ""})


def reasons(story: Story) -> list[str]:
    units = story.ports.ledger.units(story.state["task_id"])
    aside = [unit.outcome for unit in units if unit.step is Step.SET_ASIDE]
    return sorted(str(outcome.facts["error_code"]) for outcome in aside if outcome)


def the_report(story: Story) -> dict[str, Any]:
    story.report()
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    found: dict[str, Any] = json.loads(story.ports.artifacts.get(refs["report.json"]))
    return found


@pytest.mark.promise("R20", "R21")
def test_failed_sources_are_told_with_their_reason_and_the_run_goes_on(story: Story) -> None:
    """Case B25: two are gone, one does not answer, seven are read."""
    told(story, [GOOD, GOOD, GONE, GOOD, GOOD, SLOW, GOOD, GOOD, GONE, GOOD], coverage=0.7)

    assert story.validate()["read"] == 7
    assert reasons(story) == ["CONNECT_FAILED", "HTTP_404", "HTTP_404"]
    report = json.dumps(the_report(story))
    for failed in (2, 5, 8):
        assert f"https://acme.test/{failed}" in report


@pytest.mark.promise("R21")
def test_a_run_whose_sources_all_failed_has_no_report(story: Story) -> None:
    """Case B25."""
    told(story, [GONE] * 10, coverage=0.0)

    with pytest.raises(CoverageTooLow, match="0 of 10"):
        story.validate()


@pytest.mark.parametrize(("coverage", "is_enough"), [(0.7, True), (0.71, False)])
def test_exactly_what_was_asked_for_is_enough(
    story: Story, coverage: float, is_enough: bool
) -> None:
    """Case B25: seven of ten are 70 %."""
    told(story, [GONE] * 3 + [GOOD] * 7, coverage=coverage)

    if is_enough:
        assert story.validate()["read"] == 7
    else:
        with pytest.raises(CoverageTooLow, match="7 of 10"):
            story.validate()


@pytest.mark.promise("R22")
def test_a_source_that_answers_the_second_time_is_read_like_any(story: Story) -> None:
    """Case B25: its attempts are counted."""
    told(story, [SLOW, GOOD, GOOD], coverage=0.0)
    web = cast("FakeWeb", story.ports.fetcher)
    first = next(each for each in sources_of(story) if each["url"].endswith("/0"))
    web.down.clear()
    web.pages[first["url"]] = PAGES[PRICING]

    story.read(first["item"], first["url"])

    units = story.ports.ledger.units(story.state["task_id"], item=first["item"])
    (fetched,) = (unit for unit in units if unit.step is Step.FETCH)
    assert fetched.attempt == 2
    assert story.validate()["read"] == 3
