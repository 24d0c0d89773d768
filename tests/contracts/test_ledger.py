"""One contract for the ledger in memory and the ledger on DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from moto import mock_aws

from lambdas.adapters.dynamodb_ledger import DynamoDbLedger
from lambdas.agent.contract import CLOCK_SKEW, CONTINUABLE, Progress, Status, Step
from lambdas.agent.errors import IllegalMove, InputChanged, LeaseLost, StillClaimed
from lambdas.agent.intents import Intent, Stage
from lambdas.agent.ledger_ports import Ledger
from lambdas.agent.model import Fault, Outcome, Unit, UnitRecord
from lambdas.agent.notices import Kind, Notice
from lambdas.agent.tasks import Move, NewTask, TaskRecord
from tests.contracts.table import a_table
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger

RETENTION_DAYS = 30
TASK = NewTask(
    task_id="agent-flow-0123456789ab",
    agent_id="agent",
    workflow_id="flow",
    input_id="request-1",
    execution="agent-flow-0123456789ab-r1",
)
FETCH = Unit(task_id=TASK.task_id, step=Step.FETCH, item="s1", args={"url": "https://a.test/"})
VALIDATE = Unit(task_id=TASK.task_id, step=Step.VALIDATE, args={"manifest": "m"})
LEASE = 60.0


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(clock, retention=RETENTION_DAYS)
        return
    with mock_aws():
        yield DynamoDbLedger(a_table(), "ledger", clock, retention=RETENTION_DAYS)


def claimed(ledger: Ledger, clock: FakeClock, unit: Unit = FETCH, owner: str = "one") -> UnitRecord:
    return ledger.claim(unit, owner=owner, until=clock.now() + LEASE)


def found(ledger: Ledger, unit: Unit = FETCH) -> UnitRecord:
    (record,) = ledger.units(unit.task_id, item=unit.item)
    return record


def task(ledger: Ledger) -> TaskRecord:
    record = ledger.task(TASK.task_id)
    assert record is not None
    return record


@pytest.mark.promise("R7")
def test_a_new_unit_is_claimed_and_read_at_once(ledger: Ledger, clock: FakeClock) -> None:
    held = claimed(ledger, clock)

    assert (held.owner, held.version, held.attempt, held.outcome) == ("one", 1, 1, None)
    assert held.leased_until == pytest.approx(clock.now() + LEASE)


def test_a_second_worker_is_refused_while_the_lease_runs(ledger: Ledger, clock: FakeClock) -> None:
    claimed(ledger, clock)
    clock.pass_seconds(LEASE)

    with pytest.raises(StillClaimed, match="leased to one"):
        claimed(ledger, clock, owner="two")


@pytest.mark.promise("R9")
@pytest.mark.parametrize(("later", "is_free"), [(0.0, False), (0.9, False), (1.1, True)])
def test_an_expired_lease_is_free_only_after_the_clocks_skew(
    ledger: Ledger, clock: FakeClock, later: float, is_free: bool
) -> None:
    claimed(ledger, clock, owner="dead")
    clock.pass_seconds(LEASE + CLOCK_SKEW - 1 + later)

    if is_free:
        assert claimed(ledger, clock, owner="heir").owner == "heir"
    else:
        with pytest.raises(StillClaimed):
            claimed(ledger, clock, owner="heir")


@pytest.mark.promise("R8")
def test_a_late_worker_cannot_commit_over_its_heir(ledger: Ledger, clock: FakeClock) -> None:
    late = claimed(ledger, clock, owner="late")
    clock.pass_seconds(LEASE + CLOCK_SKEW + 1)
    heir = claimed(ledger, clock, owner="heir")
    ledger.commit(FETCH, heir, Outcome.go_on({"next": 5}))

    with pytest.raises(LeaseLost):
        ledger.commit(FETCH, late, Outcome.go_on({"next": 3}))
    assert found(ledger).cursor == {"next": 5}


@pytest.mark.promise("R10")
def test_a_finished_unit_answers_with_what_was_committed(ledger: Ledger, clock: FakeClock) -> None:
    outcome = Outcome.done(ref="a/b", result=b'{"x":1}', score=0.25, count=3, tiny=1e-7)
    ledger.commit(FETCH, claimed(ledger, clock), outcome)
    clock.pass_seconds(3600)

    again = claimed(ledger, clock, owner="two")

    assert again.is_done
    assert again.owner is None
    assert again.outcome == outcome
    assert again.outcome.as_event() == outcome.as_event()


def test_another_input_under_the_same_identity_is_refused(ledger: Ledger, clock: FakeClock) -> None:
    outcome = Outcome.done(ref="a")
    ledger.commit(FETCH, claimed(ledger, clock), outcome)

    with pytest.raises(InputChanged):
        claimed(ledger, clock, replace(FETCH, args={"url": "https://b.test/"}))
    assert found(ledger).outcome == outcome


def test_the_context_is_not_part_of_the_input(ledger: Ledger, clock: FakeClock) -> None:
    ledger.commit(FETCH, claimed(ledger, clock), Outcome.done())

    assert claimed(ledger, clock, replace(FETCH, context={"execution": "another"})).is_done


@pytest.mark.promise("R16")
def test_a_cursor_survives_the_lap_and_the_worker(ledger: Ledger, clock: FakeClock) -> None:
    lap = Outcome.go_on({"next": 7}, result=b"so far")
    ledger.commit(FETCH, claimed(ledger, clock), lap)

    held = claimed(ledger, clock, owner="two")

    assert held.cursor == {"next": 7}
    assert held.outcome == lap


def test_laps_that_go_well_are_no_attempts(ledger: Ledger, clock: FakeClock) -> None:
    ledger.commit(FETCH, claimed(ledger, clock), Outcome.go_on({"next": 1}))
    ledger.commit(FETCH, claimed(ledger, clock), Outcome.wait({"next": 1}, seconds=5))

    assert claimed(ledger, clock).attempt == 1


@pytest.mark.promise("R22")
def test_starts_after_a_failure_and_after_a_lost_lease_are_attempts(
    ledger: Ledger, clock: FakeClock
) -> None:
    failed = claimed(ledger, clock)
    ledger.release(FETCH, failed, Fault(error_code="HTTP_503", message="no answer"))
    killed = claimed(ledger, clock)
    clock.pass_seconds(LEASE + CLOCK_SKEW + 1)

    assert (killed.attempt, claimed(ledger, clock).attempt) == (2, 3)


@pytest.mark.promise("R23")
def test_a_released_unit_tells_why_and_is_free_at_once(ledger: Ledger, clock: FakeClock) -> None:
    fault = Fault(error_code="HTTP_503", message="a.test answered 503", dependency="a.test")
    ledger.release(FETCH, claimed(ledger, clock), fault)

    record = found(ledger)
    assert (record.error_code, record.last_error, record.dependency) == (
        "HTTP_503",
        "a.test answered 503",
        "a.test",
    )
    assert claimed(ledger, clock, owner="two").owner == "two"


def test_a_commit_clears_the_fault_before_it(ledger: Ledger, clock: FakeClock) -> None:
    ledger.release(FETCH, claimed(ledger, clock), Fault(error_code="X", message="y"))
    ledger.commit(FETCH, claimed(ledger, clock), Outcome.done())

    assert (found(ledger).error_code, found(ledger).last_error) == ("", "")


def test_a_release_by_somebody_else_changes_nothing(ledger: Ledger, clock: FakeClock) -> None:
    late = claimed(ledger, clock, owner="late")
    clock.pass_seconds(LEASE + CLOCK_SKEW + 1)
    heir = claimed(ledger, clock, owner="heir")

    ledger.release(FETCH, late, Fault(error_code="LATE", message="late"))

    assert found(ledger) == heir


def test_a_token_is_kept_and_replaced_and_never_answered(ledger: Ledger, clock: FakeClock) -> None:
    ledger.accept(TASK)
    ask = Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL)
    unit = replace(FETCH, step=Step.APPROVE, item="r1")
    for token in ("first", "second"):
        held = claimed(ledger, clock, unit)
        ledger.commit(unit, held, Outcome.ask(callback=token, move=ask, report="r"))

    (record,) = ledger.units(TASK.task_id, item="r1")
    assert record.outcome is not None
    assert record.outcome.callback == "second"
    assert "second" not in str(record.outcome.as_event())
    assert "second" not in repr(record)


@pytest.mark.promise("R1", "R2")
def test_a_task_is_accepted_once_and_found_again(ledger: Ledger, clock: FakeClock) -> None:
    first = ledger.accept(TASK)
    clock.pass_seconds(5)
    again = ledger.accept(replace(TASK, execution="another"))

    assert again == first == task(ledger)
    assert (first.status, first.current_step, first.state_version) == (
        Status.RUNNING,
        Step.PLAN,
        1,
    )
    assert first.execution == TASK.execution


def test_a_task_with_another_request_is_refused(ledger: Ledger) -> None:
    ledger.accept(TASK)

    with pytest.raises(InputChanged, match="another request"):
        ledger.accept(replace(TASK, input_id="request-2"))


@pytest.mark.promise("R7")
def test_output_and_move_are_one_transition(ledger: Ledger, clock: FakeClock) -> None:
    ledger.accept(TASK)
    clock.pass_seconds(3)
    move = Move(to=Step.REPORT, fields={"read": 9, "error_code": "NONE"})
    ledger.commit(VALIDATE, claimed(ledger, clock, VALIDATE), Outcome.done(ref="v", move=move))

    moved = task(ledger)
    assert (moved.current_step, moved.state_version, moved.read) == (Step.REPORT, 2, 9)
    assert moved.error_code == "NONE"
    assert moved.updated_at == pytest.approx(clock.now())
    assert found(ledger, VALIDATE).is_done


@pytest.mark.promise("R15")
@pytest.mark.parametrize("end", [status for status in Status if status.is_final])
@pytest.mark.parametrize("to", [Status.RUNNING, Status.FAILED, Status.SUCCEEDED])
def test_a_task_that_has_ended_stays_as_it_ended(
    ledger: Ledger, clock: FakeClock, end: Status, to: Status
) -> None:
    ledger.accept(TASK)
    done = Outcome.done(move=Move(to=Step.COMPLETE, status=end))
    ledger.commit(VALIDATE, claimed(ledger, clock, VALIDATE), done)
    late = replace(VALIDATE, step=Step.RECORD_FAILURE)
    held = claimed(ledger, clock, late)

    with pytest.raises(IllegalMove):
        ledger.commit(late, held, Outcome.done(move=Move(to=Step.PUBLISH, status=to)))
    assert task(ledger).status is end
    assert not next(u for u in ledger.units(TASK.task_id) if u.step is late.step).is_done


def test_a_lost_lease_moves_nothing(ledger: Ledger, clock: FakeClock) -> None:
    ledger.accept(TASK)
    late = claimed(ledger, clock, VALIDATE)
    clock.pass_seconds(LEASE + CLOCK_SKEW + 1)
    claimed(ledger, clock, VALIDATE, owner="heir")

    with pytest.raises(LeaseLost):
        ledger.commit(VALIDATE, late, Outcome.done(move=Move(to=Step.REPORT)))
    assert task(ledger).state_version == 1


def test_units_are_listed_by_task_and_by_item(ledger: Ledger, clock: FakeClock) -> None:
    units = [replace(FETCH, item=f"s{n}") for n in range(40)]
    units += [replace(FETCH, step=Step.EXTRACT), VALIDATE, replace(FETCH, task_id="other")]
    for unit in units:
        claimed(ledger, clock, unit)

    everything = {(u.step, u.item) for u in ledger.units(TASK.task_id)}
    assert everything == {(u.step, u.item) for u in units if u.task_id == TASK.task_id}
    assert {u.step for u in ledger.units(TASK.task_id, item="s1")} == {Step.FETCH, Step.EXTRACT}


def test_what_is_past_its_retention_counts_as_absent(ledger: Ledger, clock: FakeClock) -> None:
    """Case A11."""
    ledger.accept(TASK)
    ledger.commit(FETCH, claimed(ledger, clock), Outcome.done(ref="old"))
    ledger.reserve(TASK.task_id, "k", "kind")
    ledger.settle(TASK.task_id, "k", "old receipt")
    clock.pass_seconds(RETENTION_DAYS * 86_400 + 1)

    assert ledger.task(TASK.task_id) is None
    assert list(ledger.units(TASK.task_id)) == []
    fresh = claimed(ledger, clock, replace(FETCH, args={"url": "https://new.test/"}))
    assert (fresh.attempt, fresh.outcome) == (1, None)
    assert ledger.accept(replace(TASK, input_id="request-2")).input_id == "request-2"
    assert ledger.reserve(TASK.task_id, "k", "kind").is_new


@pytest.mark.promise("R11", "R13")
def test_an_effect_is_reserved_once_and_settled_once(ledger: Ledger) -> None:
    mine = ledger.reserve(TASK.task_id, "k", "webhook")
    unknown = ledger.reserve(TASK.task_id, "k", "webhook")
    ledger.settle(TASK.task_id, "k", "receipt 1")
    ledger.settle(TASK.task_id, "k", "receipt 2")

    done = Intent(key="k", kind="webhook", stage=Stage.DONE, receipt="receipt 1")
    assert (mine.is_new, mine.stage) == (True, Stage.RESERVED)
    assert (unknown.is_new, unknown.stage) == (False, Stage.RESERVED)
    assert replace(ledger.reserve(TASK.task_id, "k", "webhook"), reserved_at=0.0) == done


@pytest.mark.parametrize("progress", [Progress.CONTINUE, Progress.PENDING])
def test_two_workers_never_both_commit_a_lap(
    ledger: Ledger, clock: FakeClock, progress: Progress
) -> None:
    held = claimed(ledger, clock)
    lap = Outcome(progress=progress, cursor={"next": 1})
    ledger.commit(FETCH, held, lap)

    with pytest.raises(LeaseLost):
        ledger.commit(FETCH, held, replace(lap, cursor={"next": 2}))
    assert found(ledger).cursor == {"next": 1}


def failed(ledger: Ledger) -> TaskRecord:
    """The task, accepted and failed of something."""
    ledger.accept(TASK)
    fields = {"error_code": "CODE", "last_error": "why"}
    move = Move(to=Step.RECORD_FAILURE, status=Status.FAILED, fields=fields)
    return ledger.move(TASK.task_id, move, run=1)


@pytest.mark.promise("R15", "R24")
def test_a_later_run_takes_a_failed_task_on(ledger: Ledger) -> None:
    before = failed(ledger)

    record = ledger.continue_run(TASK.task_id, run=2, execution="r2")

    assert (record.run, record.execution, record.status) == (2, "r2", Status.RUNNING)
    assert (record.error_code, record.last_error, record.current_step) == ("", "", Step.PLAN)
    assert record.state_version == before.state_version + 1
    assert task(ledger) == record


@pytest.mark.promise("R10", "R28")
def test_a_run_that_took_the_task_on_finds_it_as_it_stands(ledger: Ledger) -> None:
    failed(ledger)
    once = ledger.continue_run(TASK.task_id, run=2, execution="r2")

    assert ledger.continue_run(TASK.task_id, run=2, execution="r2") == once


@pytest.mark.promise("R8", "R28")
@pytest.mark.parametrize(("run", "execution"), [(2, "another"), (1, "r1"), (2, "r1")])
def test_no_other_execution_of_this_run_or_an_earlier_one_takes_it(
    ledger: Ledger, run: int, execution: str
) -> None:
    failed(ledger)
    ledger.continue_run(TASK.task_id, run=2, execution="r2")

    with pytest.raises(IllegalMove, match="in run 2 already"):
        ledger.continue_run(TASK.task_id, run=run, execution=execution)
    assert task(ledger).execution == "r2"


def test_a_run_number_may_be_left_out(ledger: Ledger) -> None:
    """Its execution ended before PLAN took the task on, and has used up its name."""
    failed(ledger)

    assert ledger.continue_run(TASK.task_id, run=4, execution="r4").run == 4


@pytest.mark.promise("R15")
@pytest.mark.parametrize("status", Status)
def test_what_has_ended_well_or_was_decided_is_not_taken_on(ledger: Ledger, status: Status) -> None:
    ledger.accept(TASK)
    if status is not Status.PENDING:
        ledger.move(TASK.task_id, Move(to=Step.COMPLETE, status=status), run=1)

    if status in CONTINUABLE:
        assert ledger.continue_run(TASK.task_id, run=2, execution="r2").run == 2
    else:
        with pytest.raises(IllegalMove, match=f"has ended as {status}"):
            ledger.continue_run(TASK.task_id, run=2, execution="r2")
        assert (task(ledger).status, task(ledger).run) == (status, 1)


def test_there_is_nothing_to_take_on_where_there_is_no_task(
    ledger: Ledger, clock: FakeClock
) -> None:
    with pytest.raises(IllegalMove, match="There is no task"):
        ledger.continue_run(TASK.task_id, run=2, execution="r2")

    failed(ledger)
    clock.pass_seconds(RETENTION_DAYS * 86_400)
    with pytest.raises(IllegalMove, match="There is no task"):
        ledger.continue_run(TASK.task_id, run=2, execution="r2")


@pytest.mark.promise("R15")
def test_a_record_is_moved_by_itself_only_in_the_run_it_was_seen_in(ledger: Ledger) -> None:
    failed(ledger)
    ledger.continue_run(TASK.task_id, run=2, execution="r2")
    cancelled = Move(to=Step.PLAN, status=Status.CANCELLED)

    with pytest.raises(IllegalMove):
        ledger.move(TASK.task_id, cancelled, run=1)
    assert ledger.move(TASK.task_id, cancelled, run=2).status is Status.CANCELLED
    with pytest.raises(IllegalMove):
        ledger.move(TASK.task_id, Move(to=Step.PLAN, status=Status.FAILED), run=2)


@pytest.mark.promise("R9")
def test_the_tasks_under_way_are_listed_oldest_first(ledger: Ledger, clock: FakeClock) -> None:
    for name in ("b", "a", "c"):
        ledger.accept(replace(TASK, task_id=name))
        clock.pass_seconds(1)
    ledger.move("a", Move(to=Step.COMPLETE, status=Status.SUCCEEDED), run=1)
    ledger.move("c", Move(to=Step.APPROVE, status=Status.WAITING_FOR_APPROVAL), run=1)

    assert [(each.task_id, each.status) for each in ledger.under_way()] == [
        ("b", Status.RUNNING),
        ("c", Status.WAITING_FOR_APPROVAL),
    ]
    clock.pass_seconds(RETENTION_DAYS * 86_400)
    assert list(ledger.under_way()) == []


@pytest.mark.promise("R8", "R28")
def test_of_two_executions_at_once_one_takes_the_task_on(clock: FakeClock) -> None:
    with mock_aws():
        ledger = DynamoDbLedger(a_table(), "ledger", clock, retention=RETENTION_DAYS)
        failed(ledger)

        def take(execution: str) -> str:
            try:
                return ledger.continue_run(TASK.task_id, run=2, execution=execution).execution
            except IllegalMove:
                return ""

        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(take, [f"execution-{n}" for n in range(8)]))

        assert [name for name in won if name] == [task(ledger).execution]


@pytest.mark.promise("R2")
def test_what_is_told_of_a_task_is_none_of_its_runs_units(ledger: Ledger, clock: FakeClock) -> None:
    """Whoever counts a run's sources, or goes over its units, would take it for a source."""
    ledger.accept(TASK)
    claimed(ledger, clock)
    told = Notice(task_id=TASK.task_id, kind=Kind.TASK_ACCEPTED).unit("events")

    claimed(ledger, clock, told)

    assert [unit.step for unit in ledger.units(TASK.task_id)] == [FETCH.step]
    assert ledger.tally(TASK.task_id).done == 0
    assert found(ledger, told).step is Step.TELL
