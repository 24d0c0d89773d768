"""A small site, a request for it, and stories over them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, cast

import pytest

from tests.fakes.outside import FakeCallbacks, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World

PRICING = "https://acme.test/pricing"
BLOG = "https://acme.test/blog"
PAGES = {
    PRICING: b"Pricing\n\nThe Team plan costs 49 euros a month for each seat.\n\nWrite to us.",
    BLOG: b"News\n\nIn October Acme launched Price Lab, a new feature that simulates prices.",
}
REQUEST: dict[str, Any] = {
    "agent_id": "competitor-monitor",
    "workflow_id": "acme-1",
    "questions": ["How much does the Team plan cost?", "Which features were launched?"],
    "sources": [{"url": PRICING}, {"url": BLOG}],
    "coverage": 0.5,
}


@pytest.fixture
def request_() -> dict[str, Any]:
    return deepcopy(REQUEST)


@pytest.fixture
def web(world: World) -> FakeWeb:
    fake = cast("FakeWeb", world.fetcher)
    fake.pages |= PAGES
    return fake


@pytest.fixture
def callbacks(world: World) -> FakeCallbacks:
    return cast("FakeCallbacks", world.callbacks)


@pytest.fixture
def story(world: World, request_: dict[str, Any], web: FakeWeb) -> Story:
    assert web.pages
    return Story(ports=world, request=request_)


@pytest.fixture
def told_until() -> Callable[[Story, str], Story]:
    """Tell a story up to, and without, the state of that name."""

    def tell(story: Story, state: str) -> Story:
        return until(story, state)

    return tell


def until(story: Story, state: str) -> Story:
    for name, verb in VERBS.items():
        if name == state:
            return story
        verb(story)
    raise LookupError(state)


def read_all(story: Story) -> None:
    for source in sources_of(story):
        story.read(source["item"], source["url"])


def sources_of(story: Story) -> list[dict[str, str]]:
    import json

    body = story.ports.artifacts.get(story.state["manifest"])
    sources: list[dict[str, str]] = json.loads(body)
    return sources


def _decide(story: Story) -> None:
    from lambdas.doors.decide import decide

    event = {"task_id": story.state["task_id"], "decision": "APPROVED", "by": "ann"}
    decide(event, story.ports, owner="door", seconds=20)


VERBS: dict[str, Callable[[Story], Any]] = {
    "PLAN": Story.plan,
    "READ": read_all,
    "VALIDATE": Story.validate,
    "REPORT": Story.report,
    "APPROVE": Story.approve,
    "DECIDE": _decide,
    "PUBLISH": Story.publish,
    "COMPLETE": Story.complete,
}
