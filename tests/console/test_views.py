"""What is seen of a run: in a pipe, on a narrow terminal, by a program."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from console.executions import Execution
from console.screen import WIDE, plain
from console.views import JsonView, LineView, LiveView, view_on
from console.visits import visits
from console.watch import Look
from lambdas.agent.contract import Status, Step
from lambdas.agent.costs import Cost, Purse
from lambdas.agent.tally import Tally
from lambdas.agent.tasks import TaskRecord
from tests.console.history import Event, broke, entered, left, raised, timed

PLANNED = (entered("PLAN"), left("PLAN", output={"sources": 40}))
READING = (*PLANNED, entered("EACH_SOURCE", "Map"))
READ = (*READING, left("EACH_SOURCE", "Map"), entered("BEGIN?", "Choice"), left("BEGIN?", "Choice"))
FAILED = (
    entered("FAILED", "Fail"),
    broke("ExecutionFailed", "CoverageTooLow", raised("1 of 40 read", "CoverageTooLow")),
)


def test_in_a_pipe_each_state_is_a_line_without_control_codes() -> None:
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        view.show(a_look(PLANNED))
        view.show(a_look(READ, a_tally(38, 2)))

    lines = out.getvalue().splitlines()

    assert [line[9:] for line in lines] == [
        "PLAN              1.0 s 40 sources",
        "EACH_SOURCE       1.0 s 38 read, 2 set aside",
        "FETCH 40 · EXTRACT 38 · ANALYZE 38 · SET_ASIDE 2",
    ]
    assert "\x1b" not in out.getvalue()


def test_what_models_have_cost_stands_beside_the_counts() -> None:
    purse = Purse(spent=Cost(tokens=1_200, micro_usd=3_100), held=Cost(tokens=5_000))
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        view.show(replace(a_look(READ, a_tally(2, 0)), purse=purse))

    told = out.getvalue().splitlines()[-1]
    assert told.endswith("SET_ASIDE 0 · 1,200 tokens, 0.0031 USD, 5,000 tokens held")


def test_a_program_is_told_what_models_have_cost(capsys: pytest.CaptureFixture[str]) -> None:
    purse = Purse(spent=Cost(tokens=1_200, micro_usd=3_100))
    with JsonView() as view:
        view.show(replace(a_look(READ, a_tally(2, 0)), purse=purse))

    reading = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert reading["spent"] == {"tokens": 1_200, "micro_usd": 3_100}


def test_in_a_pipe_the_reading_of_many_sources_is_told_now_and_then() -> None:
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        for count in (1, 9, 10, 11, 19, 25):
            view.show(a_look(READING, a_tally(count, 0)))

    told = [line.split(" done")[0].split()[-3] for line in out.getvalue().splitlines()[1:]]
    assert told == ["10", "25"]


def test_a_state_is_told_once_and_not_before_it_is_passed() -> None:
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        view.show(a_look(PLANNED[:1]))
        assert out.getvalue() == ""
        view.show(a_look(PLANNED))
        view.show(a_look(PLANNED))

    assert len(out.getvalue().splitlines()) == 1


def test_the_state_that_a_run_broke_off_in_is_told_at_the_end() -> None:
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        view.show(a_look((*PLANNED, entered("REPORT")), status="ABORTED"))

    assert out.getvalue().splitlines()[-1].endswith("broken off")


def test_a_failure_tells_its_error() -> None:
    out = io.StringIO()
    with LineView(Console(file=out, width=WIDE)) as view:
        view.show(a_look((*PLANNED, *FAILED), status="FAILED"))

    last = out.getvalue().splitlines()[-1]
    assert last[9:].split() == ["FAILED", "CoverageTooLow"]


def test_on_a_narrow_terminal_no_line_is_longer_than_it() -> None:
    screen = a_terminal()
    with LiveView(screen) as view:
        view.show(a_look(READING, a_tally(3, 1)))
        view.say("approval asked: revision 1, 38 statements from 12 of 13 sources")
        view.show(a_look((*READ, *FAILED), a_tally(38, 2), status="FAILED"))

    shown = screen.export_text()

    assert "EACH_SOURCE" in shown
    assert max(len(line) for line in shown.splitlines()) <= 60


def test_on_a_terminal_the_bar_shows_what_the_map_knows_before_the_ledger_is_counted() -> None:
    screen = a_terminal()
    with LiveView(screen) as view:
        view.show(replace(a_look(READING, a_tally(3, 1)), finished=17))

    assert "17 of 40" in screen.export_text()


def test_on_a_terminal_a_question_has_the_screen_to_itself() -> None:
    screen = a_terminal()
    with LiveView(screen) as view:
        view.show(a_look(READING))
        with view.paused():
            screen.print("a question")

    assert "a question" in screen.export_text()


def test_a_program_gets_one_object_for_each_state(capsys: pytest.CaptureFixture[str]) -> None:
    with JsonView() as view:
        view.show(a_look(READ, a_tally(38, 2)))
        view.say("approval asked")
        view.show(a_look((*READ, *FAILED), status="FAILED"))

    plan, reading, said, failed = [
        json.loads(line) for line in capsys.readouterr().out.splitlines()
    ]
    assert plan["state"] == "PLAN"
    assert plan["entered_at"] == "2026-11-30T19:45:00+00:00"
    assert reading["passed"] == {"FETCH": 40, "EXTRACT": 38, "ANALYZE": 38, "SET_ASIDE": 2}
    assert said == {"said": "approval asked"}
    assert failed["errors"] == [{"error": "CoverageTooLow", "message": "1 of 40 read"}]


def test_a_pipe_and_a_dumb_terminal_are_told_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    assert isinstance(view_on(Console(file=io.StringIO())), LineView)
    assert isinstance(view_on(Console(file=Terminal())), LiveView)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(view_on(Console(file=Terminal())), LineView)


def test_text_of_strangers_cannot_move_the_cursor() -> None:
    assert plain("a\x1b[2Jb\x07c\x9b0md\n[red]e").plain == "a�[2Jb�c�0md\n[red]e"


def a_terminal() -> Console:
    return Console(file=io.StringIO(), width=60, force_terminal=True, record=True)


def a_tally(read: int, aside: int) -> Tally:
    return Tally(
        passed={
            Step.FETCH: read + aside,
            Step.EXTRACT: read,
            Step.ANALYZE: read,
            Step.SET_ASIDE: aside,
        }
    )


def a_look(
    events: tuple[Event, ...], tally: Tally | None = None, *, status: str = "RUNNING"
) -> Look:
    return Look(
        task_id="any-task",
        execution=Execution(arn="any", name="any", status=status, started=datetime.now(UTC)),
        visits=tuple(visits(timed(*events))),
        tally=tally or Tally(),
        finished=0,
        task=a_record(),
    )


def a_record(**fields: object) -> TaskRecord:
    record = TaskRecord(
        task_id="any-task",
        agent_id="any-agent",
        workflow_id="any-workflow",
        input_id="any-input",
        status=Status.RUNNING,
        current_step=Step.FETCH,
        state_version=3,
        schema_version=1,
        execution="any-task-r1",
        run=1,
        sources=40,
        created_at=1_796_000_000.0,
        updated_at=1_796_000_065.0,
    )
    return replace(record, **fields)  # type: ignore[arg-type]  # fields of the record
