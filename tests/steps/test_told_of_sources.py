"""What a source says of itself, and how it was read, travels from EXTRACT into the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from lambdas.agent.findings import Text
from lambdas.agent.pages import Page
from lambdas.agent.web_ports import Reader
from tests.fakes.reader import PlainReader
from tests.fakes.story import Story
from tests.fakes.world import World

SAID: dict[str, Any] = {
    "author": "Ann Lee",
    "published": "2026-02-28",
    "published_by": "json-ld datePublished",
    "notes": ("One of its pages holds no text.", "Its encoding was guessed."),
}


@dataclass(slots=True)
class TalkativeReader:
    of: Reader = field(default_factory=PlainReader)

    def read(self, page: Page) -> Text:
        return replace(self.of.read(page), **SAID)


def test_author_date_and_notes_stand_in_the_report(
    world: World, story: Story, told_until: Callable[[Story, str], Story]
) -> None:
    world.reader = TalkativeReader()
    told_until(story, "APPROVE")

    refs = json.loads(world.artifacts.get(story.state["report"]["ref"]))
    sources = json.loads(world.artifacts.get(refs["report.json"]))["sources"]
    assert len(sources) == 2
    for line in sources:
        assert {name: line[name] for name in SAID} == {**SAID, "notes": list(SAID["notes"])}
