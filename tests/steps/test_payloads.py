"""What travels between states stays small, whatever people type and sources hold."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lambdas.adapters.request_schema import NAME_BYTES
from lambdas.adapters.transition_log import MESSAGE_LIMIT
from lambdas.agent.contract import STATE_LIMIT
from lambdas.agent.identity import canonical
from lambdas.agent.sources import LONGEST
from lambdas.agent.verdicts import NOTE_LIMIT
from lambdas.doors.decide import decide
from tests.fakes.outside import FakeCallbacks, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.steps.conftest import PAGES, PRICING, sources_of, until

LONG_NAME = "\N{HERB}" * ((NAME_BYTES - 2) // 12)
LONG_URL = "https://acme.test/" + "p" * (LONGEST - 18)
FRAME = 'File \\"/var/task/lambdas/entry.py\\", line 55, in handler\\n raise error'
TRACE = f'", "errorType": "SourceUnavailable", "requestId": "0-0", "stackTrace": ["{FRAME}"]}}'


@pytest.fixture
def largest(world: World, request_: dict[str, Any]) -> Story:
    """A request whose every part is as long as it may be."""
    cast("FakeWeb", world.fetcher).pages |= PAGES | {LONG_URL: PAGES[PRICING]}
    names = {"agent_id": LONG_NAME, "workflow_id": LONG_NAME[:-1] + "x"}
    sources = [{"url": LONG_URL}, *request_["sources"]]
    return Story(ports=world, request={**request_, **names, "sources": sources})


@pytest.mark.promise("R6")
def test_the_state_of_a_source_stays_small_even_when_it_fails(largest: Story) -> None:
    until(largest, "READ")
    ids = {name: largest.state[name] for name in ("agent_id", "workflow_id", "run", "execution")}
    source = sources_of(largest)[0]
    state: dict[str, Any] = {**ids, **source, "request": largest.state["request"]}
    state |= {"task_id": largest.state["task_id"], "execution": largest.state["task_id"] + "-r9999"}
    state["page"] = largest.fetch(source["item"], source["url"]) | {"content_type": "t" * 200}
    state["text"] = largest.extract(source["item"], source["url"], state["page"])
    state["findings"] = {"progress": "CONTINUE"}
    cause = '{"errorMessage": "' + "e" * MESSAGE_LIMIT + TRACE
    state["failure"] = {"Error": "SourceUnavailable", "Cause": cause}

    assert len(canonical(state)) <= STATE_LIMIT


@pytest.mark.promise("R6")
def test_the_state_of_a_run_stays_small_whatever_a_reviewer_writes(largest: Story) -> None:
    callbacks = cast("FakeCallbacks", largest.ports.callbacks)
    callbacks.waiting.add("token")
    until(largest, "DECIDE")
    event = {
        "task_id": largest.state["task_id"],
        "decision": "APPROVED",
        "by": "\N{HERB}" * 300,
        "note": "\N{HERB}" * NOTE_LIMIT * 2,
    }
    decide(event, largest.ports, owner="door", seconds=20)
    largest.publish()
    ((_, answer),) = callbacks.woken
    cause = '{"errorMessage": "' + "e" * MESSAGE_LIMIT + TRACE
    state = {**largest.state, "answer": answer, "failure": {"Error": "Unexpected", "Cause": cause}}

    assert len(canonical(state)) <= STATE_LIMIT
