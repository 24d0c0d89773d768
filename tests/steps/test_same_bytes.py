"""Two sources that end at the same bytes: read once, and told under both names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lambdas.agent.continuing import Continuation
from lambdas.agent.errors import SourceUnreadable
from tests.fakes.outside import FakeWeb
from tests.fakes.story import Story
from tests.steps.conftest import BLOG, PAGES, PRICING, sources_of

OTHER = "https://acme.test/plans"


@pytest.fixture
def twins(story: Story, web: FakeWeb) -> Story:
    """The pricing page at two addresses, and the blog."""
    web.pages[OTHER] = PAGES[PRICING]
    urls = (BLOG, OTHER, PRICING)
    story.request = {**story.request, "sources": [{"url": url} for url in urls], "coverage": 0.0}
    story.plan()
    return story


def as_the_map_does(story: Story) -> list[str]:
    """Each source in turn; the addresses that were read with another."""
    read_with_another = []
    for source in sources_of(story):
        page = story.fetch(source["item"], source["url"])
        if "same_as" in page:
            read_with_another.append(source["url"])
            continue
        try:
            text = story.extract(source["item"], source["url"], page)
        except SourceUnreadable as error:
            story.set_aside(source["item"], {"Error": type(error).__name__})
        else:
            story.analyze(source["item"], text)
    return read_with_another


def lines_of(story: Story) -> list[dict[str, Any]]:
    story.report()
    refs = json.loads(story.ports.artifacts.get(story.state["report"]["ref"]))
    found: list[dict[str, Any]] = json.loads(story.ports.artifacts.get(refs["report.json"]))[
        "sources"
    ]
    return found


@pytest.mark.promise("R16")
def test_the_second_is_read_with_the_first_and_is_a_name_of_it(twins: Story) -> None:
    """Case C17."""
    assert as_the_map_does(twins) == [PRICING]

    assert twins.validate()["read"] == 3
    blog, pricing = lines_of(twins)
    assert (blog["url"], blog["also"]) == (BLOG, [])
    assert (pricing["url"], pricing["also"]) == (OTHER, [PRICING])
    assert pricing["findings"] > 0


def test_what_could_not_be_read_once_could_not_be_read_twice(twins: Story, web: FakeWeb) -> None:
    web.pages[OTHER] = web.pages[PRICING] = b"A title and nothing else"
    as_the_map_does(twins)

    assert twins.validate()["read"] == 1
    _, pricing = lines_of(twins)
    assert (pricing["url"], pricing["error_code"]) == (OTHER, "NO_TEXT")
    assert pricing["also"] == [PRICING]


@pytest.mark.promise("R20")
def test_a_later_run_does_not_read_it_again(twins: Story) -> None:
    as_the_map_does(twins)
    twins.record_failure("Unexpected", "{}")

    again = Continuation(task_id=twins.state["task_id"], run=2).as_input()
    second = Story(ports=twins.ports, request=again, execution="run-2")

    assert second.plan()["left"] == 0
    assert second.validate()["read"] == 3
