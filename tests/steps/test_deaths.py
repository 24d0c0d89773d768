"""Whatever becomes of a worker at whatever call, the step comes to the same end, and nothing is
done twice: over fakes, and over the ledger, the artifacts and the shelf on moto.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, cast

import pytest

from lambdas.agent.channels import EVENTS, SUBSCRIBERS, Directory
from lambdas.agent.continuing import Continuation
from lambdas.agent.contract import Step
from lambdas.agent.costs import NOTHING, Cost, Purse
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.intents import Ability
from lambdas.agent.job_state import JobState, Usage
from lambdas.agent.notices import Kind, Notice
from lambdas.agent.tasks import ExecutionStatus
from lambdas.doors.decide import decide
from lambdas.doors.sweep import sweep
from tests.fakes.clock import FakeClock
from tests.fakes.jobs import FakeJobs, stammering
from tests.fakes.outside import FakeExecutions, FakeWeb
from tests.fakes.story import Story
from tests.fakes.world import World
from tests.matrix.plays import Fate, Rehearsal, rehearsal
from tests.matrix.scene import Scene
from tests.matrix.takes import SIDES, STAGES, in_memory
from tests.steps.conftest import PRICING, sources_of, until


def _first(story: Story) -> dict[str, str]:
    return next(source for source in sources_of(story) if source["url"] == PRICING)


def _fetch(story: Story) -> Any:
    return story.fetch(_first(story)["item"], PRICING)


def _extract(story: Story) -> Any:
    return story.extract(_first(story)["item"], PRICING, _fetch(story))


def _decide(story: Story, decision: str = "APPROVED") -> Any:
    event = {"task_id": story.state["task_id"], "decision": decision, "by": "ann", "note": ""}
    said = decide(event, story.ports, owner=f"door-{id(story.ports)}", seconds=20)
    return {"decision": said["decision"]}


def _extended(story: Story) -> Any:
    return _decide(story, "MORE_TIME")


def _with_a_model(story: Story) -> None:
    _extract(story)
    quote = "The Team plan costs 49 euros a month for each seat."
    said = {"findings": [{"question": 0, "claim": "It costs 49 euros.", "quote": quote}]}
    world = cast("World", story.ports)
    world.model = FakeJobs(lag=1, end=JobState.done(json.dumps(said).encode()))


def _with_a_model_at_once(story: Story) -> None:
    """It knows no repeat, and its first answer is no JSON: it is asked once more."""
    _extract(story)
    quote = "The Team plan costs 49 euros a month for each seat."
    said = {"findings": [{"question": 0, "claim": "It costs 49 euros.", "quote": quote}]}
    used = Usage(input_tokens=9, output_tokens=5)
    end = JobState.done(json.dumps(said).encode(), usage=used)
    cast("World", story.ports).bedrock = stammering(end)


def _with_an_answer_of_before(story: Story) -> None:
    """Another task of the agent has asked the same."""
    before = replace(story, request={**story.request, "workflow_id": "acme-0"}, state={})
    before.plan()
    _with_a_model_at_once(before)
    before.analyze(_first(before)["item"], _extract(before))
    _extract(story)


def _with_one_question_answered(story: Story) -> None:
    story.read(_first(story)["item"], PRICING)
    story.validate()


def _with_a_report_to_write(story: Story) -> None:
    """By a job that runs on for a while."""
    _with_one_question_answered(story)
    said = {"sentences": [{"text": "It costs 49 euros a month.", "cites": ["f1"]}]}
    end = JobState.done(json.dumps(said).encode(), usage=Usage(input_tokens=9, output_tokens=5))
    cast("World", story.ports).model = FakeJobs(lag=1, end=end)


def _with_a_report_to_write_at_once(story: Story) -> None:
    """By a model that knows no repeat, and whose first answer is no JSON."""
    _with_one_question_answered(story)
    said = {"sentences": [{"text": "It costs 49 euros a month.", "cites": ["f1"]}]}
    used = Usage(input_tokens=9, output_tokens=5)
    end = JobState.done(json.dumps(said).encode(), usage=used)
    cast("World", story.ports).bedrock = stammering(end)


def _with_a_report_written_before(story: Story) -> None:
    """Another task of the agent has found the same."""
    _with_one_question_answered(story)
    before = replace(story, request={**story.request, "workflow_id": "acme-0"}, state={})
    before.plan()
    _with_a_report_to_write_at_once(before)
    before.report()


def _within_a_budget(story: Story) -> None:
    """It lasts for the first part of a long page, and what is left is not enough for the second."""
    paragraphs = [f"Seat number {n} costs {n} euros a month. {'x' * 400}" for n in range(200)]
    world = cast("World", story.ports)
    cast("FakeWeb", world.fetcher).pages[PRICING] = "\n\n".join(["Pricing", *paragraphs]).encode()
    story.request = {**story.request, "workflow_id": "acme-budget", "budget": {"tokens": 60_000}}
    story.state = {}
    story.plan()
    _extract(story)
    used = Usage(input_tokens=50_000, output_tokens=5)
    end = JobState.done(b'{"findings": []}', usage=used)
    world.bedrock = FakeJobs(ability=Ability.AT_LEAST_ONCE, at_once=True, end=end)


def _with_a_scan(story: Story) -> None:
    world = cast("World", story.ports)
    cast("FakeWeb", world.fetcher).pages[PRICING] = b"%PDF-1.4\n a picture of a price list"
    world.ocr = FakeJobs(lag=0, end=JobState.done(b"Price list\nThe Team plan: 49 euros"))
    _fetch(story)


def _fails(story: Story) -> None:
    """Its next run is to be planned."""
    task_id = story.state["task_id"]
    story.record_failure("Unexpected", "{}")
    story.request = Continuation(task_id=task_id, run=2).as_input()
    story.execution, story.state = "run-2", {}


def _names_lists(story: Story) -> None:
    """A feed, and an index with a sitemap that is not there: PLAN takes more than one lap."""
    site = "https://acme.test"
    index = f"<sitemapindex><sitemap><loc>{site}/gone.xml</loc></sitemap></sitemapindex>"
    web = cast("FakeWeb", story.ports.fetcher)
    web.pages[f"{site}/feed.xml"] = b"<rss><channel><item><link>/blog</link></item></channel></rss>"
    web.pages[f"{site}/sitemap.xml"] = index.encode()
    lists = [
        {"url": f"{site}/feed.xml", "kind": "feed"},
        {"url": f"{site}/sitemap.xml", "kind": "sitemap"},
    ]
    story.request = {**story.request, "sources": [*story.request["sources"], *lists]}


def _fails_without_its_lists(story: Story) -> None:
    """Its next run is to expand again what could not be expanded."""
    story.state = {}
    _names_lists(story)
    story.request = {**story.request, "workflow_id": "acme-lists"}
    story.plan()
    _fails(story)
    task_id = story.request["resume"]["task_id"]
    story.request = Continuation(task_id=task_id, run=2, retry_set_aside=True).as_input()


def _is_compared(story: Story) -> None:
    """With the report of the week before; since then one of its two pages has changed."""
    story.request = {**story.request, "baseline": "previous", "approval": "auto"}
    request = {**story.request, "workflow_id": "acme-0"}
    before = replace(story, request=request, execution="run-0", state={})
    until(before, "COMPLETE")
    cast("FakeClock", story.ports.clock).pass_seconds(3600)
    pages = cast("FakeWeb", story.ports.fetcher).pages
    pages[PRICING] = pages[PRICING].replace(b"49", b"59")


def _is_compared_until_publish(story: Story) -> None:
    _is_compared(story)
    until(story, "PUBLISH")


def _is_abandoned(story: Story) -> None:
    executions = cast("FakeExecutions", story.ports.executions)
    executions.standing[story.execution] = ExecutionStatus.ABORTED


def _is_published(story: Story) -> None:
    cast("World", story.ports).directory = Directory(endpoints=(CRM,))


def _asks(story: Story) -> None:
    _is_published(story)
    story.approve()


def _tells(kind: Kind, channel: str, occasion: str = "once") -> Callable[[Story], Any]:
    def tell(story: Story) -> Any:
        notice = Notice(task_id=story.state["task_id"], kind=kind, occasion=occasion)
        return story.tell(notice, channel)

    return tell


def _sweep(story: Story) -> Any:
    said = sweep({}, story.ports, seconds=300)
    return {"signs": said["signs"]}


CRM = Endpoint(name="crm", url="https://crm.example/", secret="any")

SCENES = [
    Scene(name="PLAN", before="PLAN", verb=Story.plan),
    Scene(name="FETCH", before="READ", verb=_fetch),
    Scene(name="EXTRACT", before="READ", verb=_extract, prepare=_fetch),
    Scene(
        name="ANALYZE",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_extract,
    ),
    Scene(name="EXTRACT of a scan", before="READ", verb=_extract, prepare=_with_a_scan),
    Scene(
        name="ANALYZE with a model",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_with_a_model,
    ),
    Scene(
        name="ANALYZE with a model at once",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_with_a_model_at_once,
    ),
    Scene(
        name="ANALYZE with an answer of before",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_with_an_answer_of_before,
    ),
    Scene(
        name="ANALYZE within a budget",
        before="READ",
        verb=lambda s: s.analyze(_first(s)["item"], _extract(s)),
        prepare=_within_a_budget,
    ),
    Scene(
        name="SET_ASIDE",
        before="READ",
        verb=lambda s: s.set_aside(_first(s)["item"], {"Error": "Runtime.ExitError"}),
    ),
    Scene(name="VALIDATE", before="VALIDATE", verb=Story.validate),
    Scene(name="REPORT", before="REPORT", verb=Story.report),
    Scene(
        name="REPORT with a model",
        before="READ",
        verb=Story.report,
        prepare=_with_a_report_to_write,
    ),
    Scene(
        name="REPORT with a model at once",
        before="READ",
        verb=Story.report,
        prepare=_with_a_report_to_write_at_once,
    ),
    Scene(
        name="REPORT with an answer of before",
        before="READ",
        verb=Story.report,
        prepare=_with_a_report_written_before,
    ),
    Scene(name="APPROVE", before="APPROVE", verb=Story.approve),
    Scene(
        name="APPROVE for another window", before="DECIDE", verb=Story.approve, prepare=_extended
    ),
    Scene(name="DECIDE", before="DECIDE", verb=_decide),
    Scene(name="DECIDE on more time", before="DECIDE", verb=_extended),
    Scene(name="EXPIRE", before="DECIDE", verb=Story.expire),
    Scene(name="EXPIRE with more time", before="DECIDE", verb=Story.expire, prepare=_extended),
    Scene(name="PUBLISH", before="PUBLISH", verb=Story.publish),
    Scene(name="PUBLISH of an operator's approval", before="DECIDE", verb=Story.publish),
    Scene(name="COMPLETE", before="COMPLETE", verb=Story.complete),
    Scene(
        name="COMPLETE of an operator's rejection",
        before="DECIDE",
        verb=lambda s: s.complete("REJECTED"),
    ),
    Scene(
        name="RECORD_FAILURE",
        before="VALIDATE",
        verb=lambda s: s.record_failure("CoverageTooLow", '{"errorMessage": "too few"}'),
    ),
    Scene(
        name="TELL",
        before="COMPLETE",
        verb=_tells(Kind.APPROVAL_REQUESTED, EVENTS, "r1"),
    ),
    Scene(
        name="TELL a program",
        before="COMPLETE",
        verb=_tells(Kind.REPORT_COMPLETED, "webhook.crm"),
        prepare=_is_published,
    ),
    Scene(
        name="TELL a person",
        before="APPROVE",
        verb=_tells(Kind.APPROVAL_REQUESTED, SUBSCRIBERS, "r1"),
        prepare=_asks,
    ),
    Scene(name="PLAN of the next run", before="VALIDATE", verb=Story.plan, prepare=_fails),
    Scene(name="PLAN of lists", before="PLAN", verb=Story.plan, prepare=_names_lists),
    Scene(
        name="PLAN of lists in the next run",
        before="READ",
        verb=Story.plan,
        prepare=_fails_without_its_lists,
    ),
    Scene(name="PLAN with the report before", before="PLAN", verb=Story.plan, prepare=_is_compared),
    Scene(
        name="PUBLISH with the report before",
        before="PLAN",
        verb=Story.publish,
        prepare=_is_compared_until_publish,
    ),
]
SWEEP = Scene(name="SWEEP", before="VALIDATE", verb=_sweep, prepare=_is_abandoned)


def test_every_step_has_a_scene() -> None:
    assert {scene.name for scene in SCENES} >= set(Step)


@pytest.fixture(params=STAGES)
def rehearsed(request: pytest.FixtureRequest, scene: Scene) -> Iterator[Rehearsal]:
    with STAGES[request.param](scene) as take:
        yield rehearsal(scene, take, SIDES[request.param])


@pytest.mark.promise("R10", "R13", "R20", "R36")
@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_an_heir_ends_what_a_dead_worker_began(rehearsed: Rehearsal) -> None:
    died_at = {death.at for death in rehearsed.deaths(Fate.KILLED)}

    assert {"after ledger.claim", "after ledger.commit"} <= died_at
    assert (False in rehearsed.sides) is (
        {"before ledger.claim", "before ledger.commit"} <= died_at
    )


@pytest.mark.promise("R8", "R10", "R15", "R36")
@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_a_worker_that_comes_back_after_its_heir_changes_nothing(rehearsed: Rehearsal) -> None:
    """Case A14: wherever it was paused, it is sent away or told what stands."""
    assert {death.fate for death in rehearsed.deaths(Fate.LATE)} == {Fate.LATE}


@pytest.mark.promise("R10", "R28")
@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_the_same_delivery_beside_a_worker_changes_nothing(rehearsed: Rehearsal) -> None:
    """Case B07: the second is sent away while the first is at work, and told the same later."""
    assert {death.fate for death in rehearsed.deaths(Fate.DOUBLED)} == {Fate.DOUBLED}


@pytest.mark.promise("R9", "R28", "R36")
@pytest.mark.parametrize("fate", Fate)
@pytest.mark.parametrize("scene", [SWEEP], ids=str)
def test_a_sweeper_that_dies_or_is_called_twice_starts_one_run(
    rehearsed: Rehearsal, fate: Fate
) -> None:
    """Case B27: a schedule's tick that is delivered twice."""
    assert {death.fate for death in rehearsed.deaths(fate)} == {fate}


@pytest.mark.parametrize(
    ("name", "spent"),
    [
        ("ANALYZE within a budget", Cost(tokens=50_005)),
        ("ANALYZE", NOTHING),
    ],
)
def test_a_scene_undisturbed_costs_what_its_calls_did(name: str, spent: Cost) -> None:
    """So it does after any death: each is held to the purse of the rehearsal."""
    (scene,) = (each for each in SCENES if each.name == name)
    with in_memory(scene) as take:
        end = rehearsal(scene, take, SIDES["memory"]).end

    assert end.purse == Purse(spent=spent)


@pytest.mark.promise("R36")
def test_the_matrix_holds_more_than_a_hundred_and_fifty_deaths() -> None:
    deaths = set()
    for scene in SCENES:
        with in_memory(scene) as take:
            rehearsed = rehearsal(scene, take, SIDES["memory"])
        deaths |= {(scene.name, *at) for at in product(rehearsed.calls, rehearsed.sides)}

    assert len(deaths) * len(Fate) >= 150
