"""A later run goes on with a task: what is done stays done, and the report is the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest

from lambdas.agent.checkup import Sign
from lambdas.agent.continuing import Continuation
from lambdas.agent.contract import Status, Step
from lambdas.agent.errors import CoverageTooLow, IllegalMove, InvalidRequest, SourceUnavailable
from lambdas.agent.model import WHOLE_TASK, UnitRecord
from lambdas.agent.tasks import ExecutionStatus, Move, TaskRecord
from lambdas.doors.cancel import cancel
from lambdas.doors.decide import decide
from lambdas.doors.sweep import sweep, told
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal
from tests.fakes.jobs import FakeJobs
from tests.fakes.ledger import MemoryLedger
from tests.fakes.outside import FakeCallbacks, FakeExecutions, FakeShelf, FakeWeb
from tests.fakes.story import Story, invoke
from tests.fakes.world import World, a_world
from tests.matrix.plays import LONGEST_LEASE
from tests.steps.conftest import BLOG, PAGES, PRICING, VERBS, read_all, sources_of, until

STATES = list(VERBS)[1:]
LONG = 3600


def record(story: Story, task_id: str = "") -> TaskRecord:
    found = story.ports.ledger.task(task_id or story.state["task_id"])
    assert found is not None
    return found


def again(story: Story, run: int = 2, *, retry_set_aside: bool = False, task: str = "") -> Story:
    """The next run of the task, before its PLAN."""
    typed = Continuation(
        task_id=task or story.state["task_id"], run=run, retry_set_aside=retry_set_aside
    )
    return Story(ports=story.ports, request=typed.as_input(), execution=f"run-{run}")


def failed(story: Story, state: str) -> Story:
    """Told up to the state, which then fails."""
    until(story, state)
    story.record_failure("Unexpected", '{"errorMessage": "a fault of ours"}')
    assert record(story).status is Status.FAILED
    return story


def told_to_its_end(story: Story) -> Story:
    """As the state machine does it: EACH_SOURCE is passed by where nothing is left."""
    for name, verb in VERBS.items():
        if name != "READ" or story.state["left"]:
            verb(story)
    return story


def units(story: Story, step: Step) -> list[UnitRecord]:
    return [u for u in story.ports.ledger.units(story.state["task_id"]) if u.step is step]


def files(story: Story) -> dict[str, bytes]:
    return cast("FakeShelf", story.ports.shelf).files


@pytest.fixture
def undisturbed(request_: dict[str, Any]) -> dict[str, bytes]:
    """The files of a run that nothing happened to."""
    world = a_world(FakeClock())
    cast("FakeWeb", world.fetcher).pages |= PAGES
    cast("FakeCallbacks", world.callbacks).waiting = {"token"}
    return files(until(Story(ports=world, request=request_), "COMPLETE"))


@pytest.mark.promise("R10", "R14", "R20", "R24")
@pytest.mark.parametrize("state", STATES)
def test_a_run_that_failed_anywhere_is_gone_on_with_to_the_same_report(
    story: Story, web: FakeWeb, undisturbed: dict[str, bytes], state: str
) -> None:
    second = told_to_its_end(again(failed(story, state)))

    stands = record(second)
    assert (stands.status, stands.run, stands.execution) == (Status.SUCCEEDED, 2, "run-2")
    assert (stands.error_code, stands.last_error) == ("", "")
    assert files(second) == undisturbed
    assert sorted(web.pages_asked) == sorted([PRICING, BLOG]), "no source was fetched twice"
    assert len(cast("FakeShelf", second.ports.shelf).files) == 3, "published once"


@pytest.mark.promise("R10", "R20")
@pytest.mark.parametrize("state", STATES)
def test_a_second_continuation_goes_on_with_the_first(
    story: Story, web: FakeWeb, undisturbed: dict[str, bytes], state: str
) -> None:
    second = again(failed(story, "READ"))
    second.plan()
    if state != "READ":
        tell_up_to(second, state)
    second.record_failure("Unexpected", "{}")
    third = told_to_its_end(again(second, 3))

    assert (record(third).status, record(third).run) == (Status.SUCCEEDED, 3)
    assert files(third) == undisturbed
    assert len(web.pages_asked) == 2
    assert len(cast("FakeShelf", third.ports.shelf).files) == 3, "published once"


def tell_up_to(story: Story, state: str) -> None:
    for name in STATES[: STATES.index(state)]:
        VERBS[name](story)


@pytest.mark.promise("R20")
def test_only_what_is_left_is_in_the_manifest(story: Story) -> None:
    story.plan()
    done = sources_of(story)[0]
    story.read(done["item"], done["url"])

    second = again(story)
    planned = second.plan()

    assert (planned["begin"], planned["left"], planned["sources"]) == (True, 1, 2)
    assert [source["url"] for source in sources_of(second)] == [BLOG]
    every = json.loads(second.ports.artifacts.get(planned["all"]))
    assert [source["url"] for source in every] == [PRICING, BLOG]


@pytest.mark.promise("R20")
def test_a_run_that_died_while_it_was_planned_is_planned_by_the_next(
    story: Story, world: World, undisturbed: dict[str, bytes]
) -> None:
    watched = Mortal(a_world(FakeClock()))
    Story(ports=cast("Any", watched), request=story.request).plan()
    accepted = Boundary(call=watched.calls.index("ledger.accept"), after=True)
    story.ports = cast("Any", Mortal(world, accepted))
    with pytest.raises(Died):
        story.plan()

    (left_behind,) = world.ledger.under_way()
    story.ports = world
    second = told_to_its_end(again(story, task=left_behind.task_id))

    assert record(second).status is Status.SUCCEEDED
    assert files(second) == undisturbed


@pytest.mark.promise("R24")
def test_what_was_set_aside_stays_so_unless_it_is_to_be_tried_again(
    story: Story, web: FakeWeb
) -> None:
    set_one_aside(story, web)
    story.record_failure("Unexpected", "{}")
    web.pages |= PAGES

    plain = again(story)
    assert plain.plan()["left"] == 0
    plain.record_failure("Unexpected", "{}")
    retried = again(plain, 3, retry_set_aside=True)
    retried.plan()

    assert [source["url"] for source in sources_of(retried)] == [PRICING]
    told_to_its_end(retried)
    assert (record(retried).read, record(retried).sources) == (2, 2)
    assert web.asked.count(BLOG) == 1


def test_a_source_that_is_tried_again_is_fetched_again_and_keeps_both_reasons(
    story: Story, web: FakeWeb
) -> None:
    set_one_aside(story, web)
    story.record_failure("Unexpected", "{}")
    web.down.add(PRICING)

    second = again(story, retry_set_aside=True)
    second.plan()
    (source,) = sources_of(second)
    with pytest.raises(SourceUnavailable):
        second.read(source["item"], source["url"])
    second.set_aside(source["item"], {"Error": "SourceUnavailable"})
    second.validate()
    third = again(second, 3)

    reasons = {u.outcome.facts["error_code"] for u in units(second, Step.SET_ASIDE) if u.outcome}
    assert reasons == {"HTTP_404", "CONNECT_FAILED"}
    assert third.plan()["left"] == 0
    assert record(third).read == 1
    retried = again(third, 4, retry_set_aside=True)
    retried.plan()
    assert sources_of(retried)[0]["item"] == source["item"].replace(".2", ".4")


def test_more_that_was_read_makes_a_revision_of_its_own(story: Story, web: FakeWeb) -> None:
    set_one_aside(story, web)
    until_asked(story)
    web.pages |= PAGES

    second = again(story, retry_set_aside=True)
    second.plan()
    read_all(second)
    second.validate()
    made = second.report()

    assert (made["revision"], record(second).revision) == (2, 2)
    third = again(second, 3)
    third.plan()
    third.validate()
    assert third.report() == made, "the run after it answers with the same"


@pytest.mark.promise("R22", "R24")
def test_a_report_that_was_begun_of_less_stays_as_it_is_and_another_is_begun(
    story: Story, world: World, web: FakeWeb
) -> None:
    """With a model a report takes several laps, and a run may fail between two of them."""
    gone = web.pages.pop(BLOG)
    until(story, "READ")
    pricing, blog = sources_of(story)
    story.read(pricing["item"], PRICING)
    story.set_aside(blog["item"], {"Error": "SourceRefused"})
    story.validate()
    world.bedrock = FakeJobs(lag=9)
    args = {"validated": story.state["validated"]["ref"], "request": story.state["request"]}
    event = {"task_id": story.state["task_id"], "after_revision": 0, "args": args}
    assert invoke(Step.REPORT, event, world)["progress"] == "PENDING"
    story.record_failure("Unexpected", "{}")
    web.pages[BLOG] = gone
    world.bedrock = None
    second = told_to_its_end(again(story, retry_set_aside=True))

    assert record(second).status is Status.SUCCEEDED
    assert record(second).revision == 2
    assert len(json.loads(files(second)[_latest(second)])["citations"]) == 2


@pytest.mark.promise("R24")
def test_what_a_reviewer_asked_for_outlives_a_revision_that_was_begun_of_less(
    story: Story, world: World, web: FakeWeb
) -> None:
    set_one_aside(story, web)
    until_asked(story)
    said = {"decision": "CHANGES_REQUESTED", "by": "ann", "note": "Shorter, please"}
    decide({"task_id": story.state["task_id"], **said}, world, owner="door", seconds=20)
    world.bedrock = FakeJobs(lag=9)
    args = {"validated": story.state["validated"]["ref"], "request": story.state["request"]}
    event = {"task_id": story.state["task_id"], "after_revision": 1, "args": args}
    assert invoke(Step.REPORT, event, world)["progress"] == "PENDING"
    story.record_failure("Unexpected", "{}")
    world.bedrock = None
    web.pages |= PAGES
    second = again(story, retry_set_aside=True)
    second.plan()
    read_all(second)
    second.validate()

    made = second.report()

    refs = json.loads(world.artifacts.get(made["ref"]))
    assert made["revision"] == 3
    assert json.loads(world.artifacts.get(refs["report.json"]))["note"] == "Shorter, please"


def _latest(story: Story) -> str:
    (name,) = (name for name in files(story) if name.endswith("report.json"))
    return name


def test_attempts_that_were_used_up_begin_anew(
    story: Story, web: FakeWeb, request_: dict[str, Any]
) -> None:
    """Case B26: after the last attempt the operator mends it, and one more hiccup is no end."""
    story.request = {**request_, "coverage": 1.0}
    story.plan()
    web.down.add(PRICING)
    pricing, blog = sources_of(story)
    for _ in range(3):
        with pytest.raises(SourceUnavailable):
            story.fetch(pricing["item"], PRICING)
    story.set_aside(pricing["item"], {"Error": "SourceUnavailable"})
    story.read(blog["item"], BLOG)
    with pytest.raises(CoverageTooLow, match="retry-set-aside"):
        story.validate()
    story.record_failure("CoverageTooLow")

    second = again(story, retry_set_aside=True)
    second.plan()
    (source,) = sources_of(second)
    with pytest.raises(SourceUnavailable):
        second.fetch(source["item"], PRICING)
    web.down.clear()
    told_to_its_end(second)

    assert record(second).status is Status.SUCCEEDED
    assert web.asked.count(BLOG) == 1
    attempts = {u.item: u.attempt for u in units(second, Step.FETCH)}
    assert (attempts[pricing["item"]], attempts[source["item"]]) == (3, 2)


@pytest.mark.promise("R15", "R28")
def test_a_stale_run_cannot_take_the_task_back_or_fail_it(story: Story) -> None:
    """Case B17: the first run's end comes late, when the second has succeeded."""
    failed(story, "PUBLISH")
    second = told_to_its_end(again(story))

    late = story.record_failure("Unexpected", "{}")
    with pytest.raises(IllegalMove, match="SUCCEEDED"):
        again(second, 3).plan()

    assert late["recorded"] is True, "its own failure, told again"
    assert record(second).status is Status.SUCCEEDED


@pytest.mark.promise("R28")
def test_another_execution_of_the_same_run_is_told_that_it_is_known(story: Story) -> None:
    second = again(failed(story, "READ"))
    second.plan()
    twin = again(story)
    twin.execution = "by-hand"

    assert twin.plan() == {
        "progress": "DONE",
        "task_id": second.state["task_id"],
        "execution": "run-2",
        "stands": "RUNNING",
        "begin": False,
    }


def test_the_error_of_an_earlier_run_is_not_told_as_this_ones(story: Story, web: FakeWeb) -> None:
    story.plan()
    web.pages.clear()
    for source in sources_of(story):
        story.set_aside(source["item"], {"Error": "Runtime.ExitError"})
    with pytest.raises(CoverageTooLow):
        story.validate()
    story.record_failure("CoverageTooLow")
    cast("FakeClock", story.ports.clock).pass_seconds(LONG)

    second = again(story)
    second.plan()
    second.record_failure("Sandbox.Timedout", '{"errorMessage": "too long"}')

    assert record(second).error_code == "Sandbox.Timedout"


def test_a_continuation_that_fails_before_its_plan_is_recorded_by_its_task(story: Story) -> None:
    failed(story, "READ")
    second = again(story)

    said = second.record_failure("Sandbox.Timedout")

    assert said["recorded"] is False
    assert record(story).run == 1


@pytest.mark.parametrize(
    "typed", [7, {}, {"task_id": "t"}, {"task_id": "", "run": 2}, {"task_id": "t", "run": 1}]
)
def test_what_is_no_continuation_is_refused(world: World, typed: Any) -> None:
    with pytest.raises(InvalidRequest, match="ratchet resume"):
        Story(ports=world, request={"resume": typed}).plan()


def test_there_is_nothing_to_go_on_with_where_there_is_no_task(world: World) -> None:
    typed = Continuation(task_id="nobody", run=2).as_input()

    with pytest.raises(IllegalMove, match="There is no task nobody"):
        Story(ports=world, request=typed).plan()


@pytest.mark.promise("R5")
def test_a_run_that_was_planned_before_there_were_continuations_is_gone_on_with(
    story: Story, world: World
) -> None:
    """Case B23: its record and its PLAN have none of the newer fields."""
    failed(story, "REPORT")
    forget_what_is_newer(cast("MemoryLedger", world.ledger), story)

    second = told_to_its_end(again(story))

    assert record(second).status is Status.SUCCEEDED


def forget_what_is_newer(ledger: MemoryLedger, story: Story) -> None:
    task_id, newer = story.state["task_id"], {"all", "left", "validate_as", "complete_as"}
    ledger._tasks[task_id] = replace(ledger._tasks[task_id], request="")
    name = (task_id, WHOLE_TASK, Step.PLAN)
    outcome = ledger._units[name].outcome
    assert outcome
    facts = {key: value for key, value in outcome.facts.items() if key not in newer}
    ledger._units[name] = replace(ledger._units[name], outcome=replace(outcome, facts=facts))


class TestCancel:
    @pytest.mark.promise("R15", "R24")
    @pytest.mark.parametrize("state", ["VALIDATE", "REPORT", "APPROVE", "PUBLISH", "COMPLETE"])
    def test_a_late_worker_cannot_move_what_was_called_off(self, story: Story, state: str) -> None:
        until(story, state)
        said = cancel({"task_id": story.state["task_id"]}, story.ports)

        with pytest.raises(IllegalMove, match="CANCELLED"):
            VERBS[state](story)
        assert story.record_failure("IllegalMove")["recorded"] is False
        assert (said["status"], said["already"]) == ("CANCELLED", False)
        assert record(story).status is Status.CANCELLED
        assert files(story) == {} or state == "COMPLETE"

    @pytest.mark.promise("R15")
    def test_what_has_ended_says_how_and_stays(self, story: Story) -> None:
        until(story, "COMPLETE")
        story.complete()

        said = cancel({"task_id": story.state["task_id"]}, story.ports)

        assert (said["status"], said["already"]) == ("SUCCEEDED", True)
        with pytest.raises(IllegalMove, match="ended as SUCCEEDED"):
            again(story).plan()

    def test_nobody_calls_off_what_there_is_not(self, world: World) -> None:
        with pytest.raises(IllegalMove, match="There is no task"):
            cancel({"task_id": "nobody"}, world)


class TestSweep:
    @pytest.fixture
    def executions(self, world: World) -> FakeExecutions:
        return cast("FakeExecutions", world.executions)

    @pytest.mark.promise("R9", "R24", "R32")
    @pytest.mark.parametrize("state", STATES)
    def test_an_abandoned_run_is_found_and_goes_on_to_the_same_report(
        self, story: Story, executions: FakeExecutions, undisturbed: dict[str, bytes], state: str
    ) -> None:
        until(story, state)
        executions.standing[story.execution] = ExecutionStatus.ABORTED

        said = sweep({}, story.ports, seconds=300)

        assert (said["signs"], said["done"]) == ({"ABANDONED": 1}, {"resumed": 1})
        ((name, typed),) = executions.told.items()
        second = Story(ports=story.ports, request=typed, execution=name)
        assert files(told_to_its_end(second)) == undisturbed

    @pytest.mark.promise("R32")
    def test_each_finding_is_a_line_in_the_log_and_the_counts_are_one(
        self, story: Story, executions: FakeExecutions
    ) -> None:
        until(story, "VALIDATE")
        executions.standing[story.execution] = ExecutionStatus.ABORTED

        (first, found), (second, counts) = told(sweep({}, story.ports, seconds=300))

        assert (first, found["sign"], found["done"]) == ("found", "ABANDONED", "resumed")
        assert found["task_id"] == story.state["task_id"]
        assert (second, counts["tasks"], counts["signs"]) == ("swept", 1, {"ABANDONED": 1})

    @pytest.mark.promise("R28")
    def test_a_second_sweep_before_the_run_has_begun_starts_no_second_one(
        self, story: Story, executions: FakeExecutions
    ) -> None:
        until(story, "VALIDATE")
        executions.standing[story.execution] = ExecutionStatus.TIMED_OUT
        sweep({}, story.ports, seconds=300)

        assert sweep({}, story.ports, seconds=300)["done"] == {"resumed before": 1}
        assert len(executions.told) == 1

    @pytest.mark.promise("R32")
    def test_a_run_that_is_under_way_is_left_alone_and_its_expired_lease_counted(
        self, story: Story, world: World, executions: FakeExecutions
    ) -> None:
        story.plan()
        executions.standing[story.execution] = ExecutionStatus.RUNNING
        story.ports = cast("Any", Mortal(world, Boundary(call=1, after=False)))
        with pytest.raises(Died):
            story.fetch("s1", PRICING)
        cast("FakeClock", world.clock).pass_seconds(LONGEST_LEASE)

        said = sweep({}, world, seconds=300)

        assert (said["signs"], said["done"]) == ({Sign.EXPIRED_LEASE: 1}, {})
        assert executions.told == {}

    @pytest.mark.parametrize("how", ["by policy", "after too many runs"])
    def test_a_run_is_parked_and_can_be_resumed_by_hand(
        self, story: Story, executions: FakeExecutions, how: str
    ) -> None:
        until(story, "VALIDATE")
        if how == "after too many runs":
            story = again(story, 4)
            story.plan()
        executions.standing[story.execution] = ExecutionStatus.FAILED

        policy = {"abandoned": "park" if how == "by policy" else "resume"}
        said = sweep(policy, story.ports, seconds=300)

        stands = record(story)
        assert said["done"] == {"parked": 1}
        assert (stands.status, stands.error_code) == (Status.FAILED, "ABANDONED")
        assert f"./ratchet resume {stands.task_id}" in stands.last_error
        assert sweep({}, story.ports, seconds=300)["tasks"] == 0
        assert told_to_its_end(again(story, 5)).state["run"] == 5

    def test_an_execution_that_is_not_known_yet_is_waited_for(
        self, story: Story, world: World
    ) -> None:
        until(story, "VALIDATE")

        assert sweep({}, world, seconds=300)["signs"] == {}
        cast("FakeClock", world.clock).pass_seconds(61)
        assert sweep({}, world, seconds=300)["signs"] == {"ABANDONED": 1}

    def test_what_does_not_fit_into_its_time_is_left_to_the_next(self, story: Story) -> None:
        until(story, "VALIDATE")

        said = sweep({}, story.ports, seconds=5)

        assert (said["tasks"], said["is_whole"]) == (0, False)

    def test_a_task_that_cannot_be_looked_at_keeps_no_other_from_it(
        self, story: Story, world: World, executions: FakeExecutions
    ) -> None:
        until(story, "VALIDATE")
        other = Story(ports=world, request={**story.request, "workflow_id": "other"})
        other.execution = "other-run-1"
        until(other, "VALIDATE")
        executions.unknown.add(story.execution)
        executions.standing[other.execution] = ExecutionStatus.ABORTED

        said = sweep({}, world, seconds=300)

        assert (said["tasks"], said["signs"]) == (2, {"NOT_SWEPT": 1, "ABANDONED": 1})

    def test_a_run_that_has_just_ended_by_itself_is_no_finding(
        self, story: Story, world: World, executions: FakeExecutions
    ) -> None:
        until(story, "VALIDATE")
        executions.standing[story.execution] = ExecutionStatus.FAILED
        listed = list(world.ledger.under_way())
        world.ledger.move(
            story.state["task_id"], Move(to=Step.RECORD_FAILURE, status=Status.FAILED), run=1
        )
        world.ledger = cast("Any", Listing(world.ledger, listed))

        assert sweep({}, world, seconds=300)["signs"] == {}


class Listing:
    """A ledger whose list lags behind, as an index does."""

    def __init__(self, ledger: Any, listed: list[TaskRecord]) -> None:
        self._ledger = ledger
        self._listed = listed

    def under_way(self) -> list[TaskRecord]:
        return self._listed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def set_one_aside(story: Story, web: FakeWeb) -> None:
    """PRICING is not there any more, and BLOG is read."""
    story.plan()
    del web.pages[PRICING]
    pricing, blog = sources_of(story)
    with pytest.raises(Exception, match="is not there"):
        story.fetch(pricing["item"], PRICING)
    story.set_aside(pricing["item"], {"Error": "SourceRefused"})
    story.read(blog["item"], BLOG)


def until_asked(story: Story) -> None:
    story.validate()
    story.report()
    story.approve()
