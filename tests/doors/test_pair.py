"""Record and signal: whichever of the two fails, and where, both come to say the same."""

from __future__ import annotations

from typing import Any, cast

import boto3
import pytest
from botocore.stub import Stubber

from lambdas.adapters.stepfunctions_callbacks import StepFunctionsCallbacks
from lambdas.agent.contract import Status
from lambdas.agent.errors import ServiceUnavailable
from tests.doors.http import a_form
from tests.doors.test_approvals import TOKEN, Link
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Fate, Mortal, die
from tests.fakes.outside import FakeCallbacks
from tests.fakes.story import Story
from tests.fakes.world import World, a_world
from tests.steps.conftest import PAGES, REQUEST, until
from tests.steps.test_approval import facts, task

LEASE = 120
"""Seconds after which whoever died holds nothing any more."""


def unanswered(at: str) -> None:
    raise ServiceUnavailable(f"Nobody answered {at}")


def a_link(world: World) -> Link:
    cast("Any", world.fetcher).pages |= PAGES
    cast("FakeCallbacks", world.callbacks).waiting = {TOKEN}
    story = until(Story(ports=world, request=REQUEST), "APPROVE")
    story.approve(TOKEN)
    return Link(story)


def boundaries(world: World) -> list[Boundary]:
    """Of one POST that nothing happens to."""
    link = a_link(world)
    watched = Mortal(world)
    link.asks("POST", ports=watched, body=_body(link))
    calls = range(len(watched.calls))
    return [Boundary(call=call, after=after) for call in calls for after in (False, True)]


def _body(link: Link) -> str:
    return a_form(decision="APPROVED", by="Ann", nonce=link.nonce())


@pytest.mark.parametrize("fate", [die, unanswered])
@pytest.mark.promise("R13", "R36")
def test_wherever_an_answer_is_cut_off_the_same_answer_again_heals_it(
    clock: FakeClock, fate: Fate
) -> None:
    for boundary in boundaries(a_world(clock)):
        world = a_world(clock)
        link, callbacks = a_link(world), cast("FakeCallbacks", world.callbacks)
        body = _body(link)
        mortal = Mortal(world, boundary, fate)
        try:
            assert link.asks("POST", ports=mortal, body=body).status in {200, 503}
        except Died:
            assert fate is die
        cast("FakeClock", world.clock).pass_seconds(LEASE)

        assert link.asks("POST", body=body).status == 200, mortal.died_at
        assert facts(link.story)["decision"] == "APPROVED", mortal.died_at
        assert [told["decision"] for _, told in callbacks.woken] == ["APPROVED"], mortal.died_at


@pytest.mark.parametrize("fate", [die, unanswered])
@pytest.mark.promise("R13")
def test_wherever_it_is_cut_off_and_nobody_comes_back_the_end_of_the_window_tells_the_record(
    clock: FakeClock, fate: Fate
) -> None:
    for boundary in boundaries(a_world(clock)):
        world = a_world(clock)
        link, callbacks = a_link(world), cast("FakeCallbacks", world.callbacks)
        mortal = Mortal(world, boundary, fate)
        try:
            link.asks("POST", ports=mortal, body=_body(link))
        except Died:
            assert fate is die
        cast("FakeClock", world.clock).pass_seconds(LEASE)
        heard = [told["decision"] for _, told in callbacks.woken]
        end = heard[0] if heard else link.story.expire()["decision"]

        assert facts(link.story)["decision"] == end, mortal.died_at
        if end == "APPROVED":
            assert link.story.publish()["status"] == "SUCCEEDED"
        else:
            link.story.complete("EXPIRED")
            assert task(link.story).status is Status.EXPIRED


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("TaskTimedOut", 200),
        ("TaskDoesNotExist", 200),
        ("InvalidToken", 200),
        ("ThrottlingException", 503),
    ],
)
def test_whatever_the_service_says_to_the_signal_the_record_stands(
    clock: FakeClock, code: str, status: int
) -> None:
    """Case B13."""
    world = a_world(clock)
    link = a_link(world)
    client = boto3.client(
        "stepfunctions",
        region_name="eu-central-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
    )
    world.callbacks = StepFunctionsCallbacks(client)
    with Stubber(client) as stub:
        stub.add_client_error("send_task_success", code, http_status_code=400)
        page = link.asks("POST", body=_body(link))

    assert page.status == status
    assert facts(link.story)["decision"] == "APPROVED"
    assert link.story.expire()["decision"] == "APPROVED"
