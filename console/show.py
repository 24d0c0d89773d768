"""How things look on a screen of 60 columns and more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from console import words
from console.approvals import Asked
from console.checking import Checked
from console.listing import Listed
from console.screen import plain, put
from console.sources import SourceLine, State
from console.visits import Visit
from console.watch import Look
from lambdas.agent.contract import Status
from lambdas.agent.standing import ABANDONED
from lambdas.agent.tally import OF_A_SOURCE

TIME, STATE = 8, 15
"""Columns of a clock's time and of the longest state name."""
_ONE_LINE = 116
"""Columns from which a task fits on one line whatever its id."""
_BAR = 20

_STYLES = {
    Status.SUCCEEDED.value: "green",
    Status.FAILED.value: "red",
    ABANDONED: "red",
    Status.REJECTED.value: "yellow",
    Status.EXPIRED.value: "yellow",
    Status.CANCELLED.value: "yellow",
    Status.WAITING_FOR_APPROVAL.value: "cyan",
    State.READ.value: "green",
    State.SET_ASIDE.value: "yellow",
    State.TRIED_AGAIN.value: "yellow",
}


def styled(status: str) -> Text:
    return plain(status, _STYLES.get(status, ""))


def state_line(visit: Visit, look: Look) -> RenderableType:
    """A state that was passed."""
    bad = visit.failure is not None or visit.kind == "Fail"
    said = plain(words.word(visit, look.tally), "red" if bad else "")
    line = _line(visit, [plain(_lasted(visit.entered, visit.left)), said])
    if visit.state != words.EACH_SOURCE:
        return line
    return Group(line, _counts(look))


def running_line(visit: Visit, look: Look) -> RenderableType:
    """The state the run is in, drawn over and over."""
    since = plain(_lasted(visit.entered, datetime.now(UTC)))
    if visit.state == words.EACH_SOURCE and look.sources:
        bar = ProgressBar(total=look.sources, completed=look.done, width=_BAR)
        line = _line(visit, [since, bar, plain(f"{look.done} of {look.sources}")])
        return Group(line, _counts(look))
    doing = "waits for an answer" if look.waits_for else ""
    return _line(visit, [since, Spinner("dots"), plain(doing)])


def task_lines(tasks: Sequence[Listed], width: int) -> RenderableType:
    """Newest first; on a narrow screen each task's id stands whole on a line of its own."""
    if width >= _ONE_LINE:
        return _grid((*_cells(each), plain(each.task.task_id)) for each in tasks)
    return Group(*(part for each in tasks for part in _two_lines(each)))


def source_lines(lines: Iterable[SourceLine], width: int) -> RenderableType:
    """One line a source where there is room; else what came of it below its address."""
    if width >= _ONE_LINE:
        return _grid(
            (styled(line.state), plain(line.step), plain(line.url), plain(line.comment, "dim"))
            for line in lines
        )
    return _grid((styled(line.state), _below_the_address(line)) for line in lines)


def fields(named: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    table = _grid((plain(name, "dim"), value) for name, value in named)
    return Padding(table, (0, 0, 0, 2), expand=False)


def approval(asked: Sequence[Asked]) -> RenderableType:
    return Group(*(plain(_approval(each)) for each in asked))


def checked(console: Console, found: Checked) -> None:
    """A task's comparison: what there is, then what does not fit."""
    console.print(plain(found.task.task_id, "bold"))
    put(console, fields(_checked(found)))
    for finding in found.findings:
        console.print(plain(f"  {finding}"), soft_wrap=True)


def moment(epoch: float) -> str:
    return datetime.fromtimestamp(epoch).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0):.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _checked(found: Checked) -> Iterator[tuple[str, RenderableType]]:
    yield "record", plain(f"{found.task.status} in run {found.task.run}")
    yield "execution", plain(f"{found.execution} {found.task.execution}")
    for run in found.map_runs:
        failed = f", {run.failed} failed" if run.failed else ""
        yield "map run", plain(f"{run.status}, {run.finished} of {run.items} sources over{failed}")
    yield "units", plain(found.units)
    yield "artifacts", plain(f"{found.artifacts}, {found.unrecorded} without a record")
    yield "findings", plain("none" if not found.findings else len(found.findings))


def _line(visit: Visit, cells: Sequence[RenderableType]) -> Table:
    line = Table.grid(padding=(0, 1))
    line.add_column(width=TIME, no_wrap=True)
    line.add_column(width=STATE, no_wrap=True)
    line.add_column(width=7, justify="right", no_wrap=True)
    for _ in cells[1:]:
        line.add_column(overflow="fold")
    line.add_row(plain(_clock(visit.entered)), plain(visit.state, "bold"), *cells)
    return line


def _counts(look: Look) -> RenderableType:
    passed = [f"{step} {look.tally.passed.get(step, 0)}" for step in OF_A_SOURCE]
    counted = " · ".join(filter(None, (*passed, words.spent(look.purse))))
    return Padding(plain(counted, "dim"), (0, 0, 0, TIME + 1), expand=False)


def _clock(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M:%S")


def _lasted(entered: datetime, left: datetime | None) -> str:
    return duration((left - entered).total_seconds()) if left else ""


def _cells(listed: Listed) -> tuple[Text, Text, Text]:
    task = listed.task
    read = f"{task.read} of {task.sources} read" if task.sources else ""
    return plain(moment(task.created_at)), styled(listed.status), plain(read)


def _two_lines(listed: Listed) -> tuple[RenderableType, RenderableType]:
    below = plain("  ").join(_cells(listed))
    return plain(listed.task.task_id), Padding(below, (0, 0, 0, 2), expand=False)


def _below_the_address(line: SourceLine) -> RenderableType:
    comment = ", ".join(part for part in (line.step, line.comment) if part)
    return Group(plain(line.url), plain(comment, "dim")) if comment else plain(line.url)


def _grid(rows: Iterable[Sequence[RenderableType]]) -> Table:
    """Columns as wide as what stands in them; only the last ones are broken."""
    table = Table.grid(padding=(0, 2))
    for number, row in enumerate(rows):
        if number == 0:
            table.add_column(no_wrap=True)
            for _ in row[1:]:
                table.add_column(overflow="fold")
        table.add_row(*row)
    return table


def _approval(asked: Asked) -> str:
    until = f", until {asked.until}" if asked.until else ""
    return f"r{asked.revision}: {asked.answer or f'waits since {asked.since}{until}'}"
