"""Ticks of a schedule: one task each, however often and late they come, and none over another."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from lambdas.agent.contract import Status
from lambdas.agent.errors import InvalidRequest, ServiceUnavailable, StillClaimed
from lambdas.agent.identity import execution_name
from lambdas.agent.instants import iso
from lambdas.agent.schedules import Schedule
from lambdas.agent.tasks import ExecutionStatus, Move, NewTask
from lambdas.doors.sweep import sweep
from lambdas.doors.tick import tick
from tests.fakes.clock import FakeClock
from tests.fakes.deaths import Boundary, Died, Mortal, die
from tests.fakes.outside import FakeExecutions
from tests.fakes.schedules import MemoryInbox, MemorySchedules
from tests.fakes.world import World
from tests.steps.conftest import REQUEST

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "inputs"
needs_cases = pytest.mark.skipif(
    not CASES.exists(), reason="the case bank is not beside this checkout"
)
FIRST, SECOND, THIRD = (f"2026-07-{day}T10:00:00Z" for day in ("08", "15", "22"))
SOME = {name: value for name, value in REQUEST.items() if name != "workflow_id"}


@pytest.fixture
def executions(world: World) -> FakeExecutions:
    return cast("FakeExecutions", world.executions)


def strikes(
    ports: Any, at: str, *, schedule: str = "weekly", overlap: str = "skip", request: Any = None
) -> dict[str, Any]:
    event = {
        "schedule": schedule,
        "scheduled_time": at,
        "overlap": overlap,
        "request": request or SOME,
    }
    return tick(event, ports)


def ends(world: World, task_id: str, status: Status = Status.SUCCEEDED) -> None:
    """As its run would leave it."""
    name = execution_name(task_id, 1)
    world.ledger.accept(
        NewTask(task_id=task_id, agent_id="a", workflow_id="w", input_id="i", execution=name)
    )
    task = world.ledger.task(task_id)
    assert task is not None
    world.ledger.move(task_id, Move(to=task.current_step, status=status), run=1)
    cast("FakeExecutions", world.executions).standing[name] = ExecutionStatus.SUCCEEDED


def swept(world: World) -> dict[str, Any]:
    return sweep({"abandoned": "park"}, world, seconds=300)


class TestOneTickOneTask:
    @needs_cases
    @pytest.mark.promise("R6", "R28")
    def test_a_tick_that_is_delivered_twice_or_a_day_late_is_one_task(
        self, world: World, executions: FakeExecutions
    ) -> None:
        """Case B27, with the events as they came."""
        told = json.loads((CASES / "B27_schedule_events.json").read_text())
        tasks: dict[str, str] = {}
        for event in sorted(told, key=lambda each: each["received"]):
            at, schedule = event["scheduled_time"], event["schedule"]
            answer = strikes(world, at, schedule=schedule)
            tasks[event["delivery_id"]] = answer["task_id"]
            if answer["said"] == "STARTED":
                ends(world, answer["task_id"])

        assert tasks["d-1"] == tasks["d-2"] == tasks["d-4"] != tasks["d-3"]
        assert len(executions.told) == 2

    @needs_cases
    @pytest.mark.promise("R28")
    def test_an_hour_that_comes_twice_is_two_tasks_and_a_zone_changes_none(
        self, world: World
    ) -> None:
        """Case F08: the instant counts, whatever the clock on the wall says."""
        told = json.loads((CASES / "F08_instants.json").read_text())
        twice = told["daily_02_30"]["2026-10-25"]
        zone = ZoneInfo(told["zone"])
        local = [datetime.fromisoformat(each).astimezone(zone).isoformat() for each in twice]
        tasks = []
        for instant, same in zip(twice, local, strict=True):
            tasks.append(strikes(world, instant)["task_id"])
            assert strikes(world, same)["task_id"] == tasks[-1]
            ends(world, tasks[-1])

        assert len(set(tasks)) == 2
        assert {each[11:16] for each in local} == {"02:30"}

    def test_the_execution_is_told_the_request_and_who_it_is(
        self, world: World, executions: FakeExecutions
    ) -> None:
        answer = strikes(world, FIRST)

        told = executions.told[execution_name(answer["task_id"], 1)]
        assert told == {**SOME, "workflow_id": f"weekly-{FIRST}"}

    def test_a_large_request_is_left_before_it_is_named(
        self, world: World, executions: FakeExecutions
    ) -> None:
        many = [{"url": f"https://acme.test/{n}"} for n in range(500)]
        answer = strikes(world, FIRST, request={**SOME, "sources": many})

        told = executions.told[execution_name(answer["task_id"], 1)]
        left = cast("MemoryInbox", world.inbox).left[told["request_ref"]]
        assert json.loads(left)["workflow_id"] == f"weekly-{FIRST}"

    @pytest.mark.parametrize("at", ["", "now", "2026-07-29T10:00:00", "<aws.scheduler.x>", None])
    def test_an_instant_that_nobody_can_place_is_refused(self, world: World, at: Any) -> None:
        with pytest.raises(InvalidRequest, match="with its zone"):
            strikes(world, at)

    def test_a_request_with_faults_starts_nothing(
        self, world: World, executions: FakeExecutions
    ) -> None:
        with pytest.raises(InvalidRequest):
            strikes(world, FIRST, request={"agent_id": "a"})
        assert executions.told == {}


class TestOverlap:
    def test_a_tick_over_a_run_that_is_under_way_is_skipped_and_stays_so(
        self, world: World, executions: FakeExecutions
    ) -> None:
        first = strikes(world, FIRST)
        assert strikes(world, SECOND)["said"] == "SKIPPED"
        ends(world, first["task_id"])

        assert strikes(world, SECOND)["said"] == "SKIPPED"  # delivered once more
        assert strikes(world, THIRD)["said"] == "STARTED"
        assert len(executions.told) == 2
        assert world.schedules.find("weekly").skips == 1

    def test_a_task_that_waits_for_approval_is_under_way(self, world: World) -> None:
        first = strikes(world, FIRST)
        ends(world, first["task_id"], Status.WAITING_FOR_APPROVAL)

        assert strikes(world, SECOND)["said"] == "SKIPPED"

    def test_a_queued_tick_is_started_by_the_sweeper_once_the_run_has_ended(
        self, world: World, executions: FakeExecutions
    ) -> None:
        first = strikes(world, FIRST, overlap="queue")
        queued = strikes(world, SECOND, overlap="queue")
        assert queued["said"] == strikes(world, SECOND, overlap="queue")["said"] == "QUEUED"
        assert swept(world)["done"] == {}
        ends(world, first["task_id"])

        assert swept(world)["done"] == {"started": 1}
        assert swept(world)["done"] == {}
        assert world.schedules.find("weekly").queued is None
        assert execution_name(queued["task_id"], 1) in executions.told
        assert strikes(world, SECOND, overlap="queue")["said"] == "ALREADY"

    def test_one_waits_and_a_later_one_takes_its_place(self, world: World) -> None:
        first = strikes(world, FIRST, overlap="queue")
        strikes(world, SECOND, overlap="queue")
        strikes(world, THIRD, overlap="queue")
        assert strikes(world, SECOND, overlap="queue")["said"] == "LATE"
        ends(world, first["task_id"])
        swept(world)

        last = world.schedules.find("weekly").last
        assert last is not None
        assert last.instant == THIRD

    def test_a_tick_that_comes_after_the_next_one_starts_nothing_out_of_order(
        self, world: World, executions: FakeExecutions
    ) -> None:
        ends(world, strikes(world, SECOND)["task_id"])

        assert strikes(world, FIRST)["said"] == "LATE"
        assert len(executions.told) == 1

    def test_schedules_do_not_wait_for_each_other(self, world: World) -> None:
        assert [strikes(world, FIRST, schedule=name)["said"] for name in ("a", "b")] == [
            "STARTED",
            "STARTED",
        ]

    def test_what_the_ledger_knows_is_not_begun_again_when_all_else_has_forgotten_it(
        self, world: World
    ) -> None:
        """AWS forgets an execution's name after 90 days."""
        ends(world, strikes(world, FIRST)["task_id"])
        later = _anew(world)
        strikes(later, FIRST)

        assert cast("FakeExecutions", later.executions).told == {}

    def test_what_is_long_forgotten_is_not_begun_by_the_sweeper(
        self, world: World, executions: FakeExecutions
    ) -> None:
        """Neither a record nor an execution: it was refused, and AWS knows its name no more."""
        clock = cast("FakeClock", world.clock)
        strikes(world, iso(clock.now()))
        executions.standing.clear()
        executions.told.clear()
        clock.pass_seconds(100 * 86_400)
        swept(world)

        assert executions.told == {}
        assert strikes(world, iso(clock.now()))["said"] == "STARTED"

    def test_a_tick_that_waits_is_started_though_later_ones_are_skipped_by_now(
        self, world: World
    ) -> None:
        first = strikes(world, FIRST, overlap="queue")
        strikes(world, SECOND, overlap="queue")
        assert strikes(world, THIRD, overlap="skip")["said"] == "SKIPPED"
        ends(world, first["task_id"])
        swept(world)

        last = world.schedules.find("weekly").last
        assert last is not None
        assert last.instant == SECOND

    def test_a_tick_that_is_known_is_told_its_own_task_though_its_request_was_changed(
        self, world: World
    ) -> None:
        first = strikes(world, FIRST)
        again = strikes(world, FIRST, request={**SOME, "agent_id": "renamed"})

        assert (again["said"], again["task_id"]) == ("ALREADY", first["task_id"])

    def test_a_run_that_was_refused_holds_nobody_up(
        self, world: World, executions: FakeExecutions
    ) -> None:
        """It ended before there was a record of it."""
        first = strikes(world, FIRST)
        executions.standing[execution_name(first["task_id"], 1)] = ExecutionStatus.FAILED

        assert strikes(world, SECOND)["said"] == "STARTED"


class TestMisfortune:
    @pytest.mark.promise("R10", "R20")
    @pytest.mark.parametrize("overlap", ["skip", "queue"])
    def test_wherever_a_tick_dies_its_next_delivery_comes_to_the_same_end(
        self, world: World, overlap: str
    ) -> None:
        watched = Mortal(_anew(world))
        expected = strikes(watched, FIRST, overlap=overlap)
        assert watched.calls
        for call in range(len(watched.calls)):
            for after in (False, True):
                ports = _anew(world)
                with pytest.raises(Died):
                    strikes(Mortal(ports, Boundary(call=call, after=after), die), FIRST)
                again = strikes(ports, FIRST, overlap=overlap)

                executions = cast("FakeExecutions", ports.executions)
                assert list(executions.told) == [execution_name(expected["task_id"], 1)]
                assert again["task_id"] == expected["task_id"]

    @pytest.mark.promise("R20")
    def test_a_tick_that_died_for_good_is_begun_by_the_sweeper(
        self, world: World, executions: FakeExecutions
    ) -> None:
        watched = Mortal(_anew(world))
        strikes(watched, FIRST)
        start = watched.calls.index("executions.start")
        with pytest.raises(Died):
            strikes(Mortal(world, Boundary(call=start, after=False), die), FIRST)
        assert executions.told == {}

        swept(world)

        assert len(executions.told) == 1

    def test_two_deliveries_at_once_start_one(self, world: World) -> None:
        watched = Mortal(_anew(world))
        strikes(watched, FIRST)
        for call in range(len(watched.calls)):
            ports = _anew(world)
            told = _two_at_once(ports, call)

            executions = cast("FakeExecutions", ports.executions)
            assert len(set(told)) == len(executions.told) == 1

    def test_who_never_gets_to_write_says_so(self, world: World) -> None:
        class Contended(MemorySchedules):
            def write(self, then: Schedule, *, version: int) -> bool:
                return False

        with pytest.raises(StillClaimed, match="schedule weekly"):
            strikes(replace(world, schedules=Contended()), FIRST)

    def test_a_waiting_tick_is_started_also_by_a_sweep_that_never_gets_through(
        self, world: World
    ) -> None:
        first = strikes(world, FIRST, overlap="queue")
        strikes(world, SECOND, overlap="queue")
        ends(world, first["task_id"])
        world.ledger.accept(
            NewTask(task_id="t", agent_id="a", workflow_id="w", input_id="i", execution="e")
        )

        told = sweep({"abandoned": "park"}, world, seconds=0)
        assert (told["is_whole"], told["done"]) == (False, {"started": 1})

    def test_one_schedules_trouble_is_no_others(self, world: World) -> None:
        class Broken(FakeExecutions):
            def status(self, name: str) -> ExecutionStatus:
                if "broken" in name:
                    raise ServiceUnavailable("it cannot be looked at")
                return super().status(name)

        ports = replace(world, executions=Broken())
        for schedule in ("broken", "weekly"):
            request = {**SOME, "agent_id": schedule}
            strikes(ports, FIRST, schedule=schedule, request=request)

        found = sweep({"abandoned": "park"}, ports, seconds=300)
        assert found["signs"] == {"TICK_NOT_SWEPT": 1}


def _two_at_once(ports: World, call: int) -> list[str]:
    """The second comes after the first one's n-th call, and is through before its next."""
    told: list[str] = []

    def second(_: str) -> None:
        told.append(strikes(ports, FIRST)["task_id"])

    worker = Mortal(ports, Boundary(call=call, after=True), second)
    told.append(strikes(worker, FIRST)["task_id"])
    return told


def _anew(world: World) -> World:
    return replace(
        world, schedules=MemorySchedules(), executions=FakeExecutions(), inbox=MemoryInbox()
    )
