"""Starting a run or going on with it, and following it: `start`, `resume`, `watch`, `demo`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from console import asking, executions, resuming, screen, tasks
from console.account import ROOT, Account, of_sandbox
from console.begin import Begun, begin
from console.commands.options import (
    AsJson,
    By,
    Follows,
    Fresh,
    RequestFile,
    TaskId,
    Yes,
    desk_of,
)
from console.desk import Desk
from console.ending import Ending, ending_of, tell, with_report
from console.errors import BadInput
from console.following import to_its_end, whom_to_ask
from console.requests import ANY_SITE, prepare, read, sample_sites
from console.show import duration
from console.views import JsonView, view_on
from console.watch import follow
from lambdas.agent.beginning import FIRST_RUN
from lambdas.agent.identity import execution_name
from sandbox import life
from sandbox.editions import FIRST, editions, show
from sandbox.places import Places

commands = typer.Typer()

_STAYS_UP = "\nThe sandbox stays up, and the run goes on: `./ratchet list` shows it."
_STOPPED = (
    "\nThe sandbox is stopped, and the run with it. What it has done is kept: when the sandbox is "
    "up again (`make sandbox`), go on with `./ratchet resume {task_id}`."
)


@commands.command()
def start(
    context: typer.Context,
    request: RequestFile,
    follows: Follows = False,
    yes: Yes = False,
    fresh: Fresh = False,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Start a task from a request; one that was started before is shown as it stands.

    The request is checked first, and nothing is started if it has faults. With --follow on a
    terminal you are asked for the approval. The exit code is 1 where the run failed.
    """
    desk, notes = desk_of(context), screen.stderr()
    typed = read(request)
    prepare(typed, site=ANY_SITE)  # its faults are told before any account is looked for
    account = desk.find()
    prepared = prepare(typed, site=account.site, anew_at=datetime.now(UTC) if fresh else None)
    begun = begin(account, prepared)
    notes.print(screen.plain(_what_began(begun, account.name)))
    _go_on(desk, account, begun, follows=follows, yes=yes, by=by, as_json=as_json)


@commands.command()
def resume(
    context: typer.Context,
    task: TaskId,
    retry_set_aside: Annotated[
        bool, typer.Option("--retry-set-aside", help="Try the sources again that were set aside.")
    ] = False,
    follows: Follows = False,
    yes: Yes = False,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a task that failed, or whose execution is over: as its next run.

    What is done stays done: only what is left is read, and no effect happens a second time.
    """
    desk = desk_of(context)
    account = desk.find()
    begun = resuming.resume(account, task, retry_set_aside=retry_set_aside)
    said = f"Resumed as {begun.name}." if begun.is_new else f"It was resumed before: {begun.name}."
    screen.stderr().print(screen.plain(said))
    _go_on(desk, account, begun, follows=follows, yes=yes, by=by, as_json=as_json)


@commands.command()
def watch(context: typer.Context, task: TaskId, as_json: AsJson = False) -> None:
    """Show each state of a run as it passes, to the run's end.

    With --json each state is one JSON object on a line of its own, and so is the end.
    """
    desk, notes = desk_of(context), screen.stderr()
    account = desk.find()
    record = account.ledger.task(task)
    name = record.execution if record else execution_name(task, FIRST_RUN)
    if executions.find(account, name) is None:
        tasks.known_task(account, task)
        raise BadInput(f"The execution {name} is not there any more: `./ratchet status {task}`.")
    view = JsonView() if as_json else view_on(screen.stdout())
    try:
        look = follow(account, task, name, view=view, ask=asking.nobody(notes), pause=desk.pause)
    except KeyboardInterrupt:
        notes.print(screen.plain(_come_back(task)))
        raise
    _close(ending_of(task, look.task, look.execution), as_json=as_json, indent=None)


@commands.command()
def demo(
    context: typer.Context,
    request: RequestFile,
    edition: Annotated[
        int,
        typer.Option("--edition", metavar="N", help="How the sample site shall be: as in week N."),
    ] = FIRST,
    fresh: Fresh = False,
    by: By = None,
) -> None:
    """Run a request in the sandbox to its end, and approve its report: `make run`.

    If no sandbox is up, one is started, and stopped again at the end; its state is kept. Each
    edition of the sample site is a task of its own: the second run finds what is different.
    """
    desk, notes, began = desk_of(context), screen.stderr(), time.monotonic()
    typed, anew_at = read(request), datetime.now(UTC) if fresh else None
    prepare(typed, site=ANY_SITE)  # its faults are told before anything is started
    _show_edition(Places.of(ROOT, desk.home), typed, edition)
    was_up = life.running(ROOT, home=desk.home) is not None
    ask = asking.yes(by or asking.whoever_types())
    begun = None
    try:
        with life.sandbox(ROOT, home=desk.home, say=_say) as running:
            account = of_sandbox(running)
            prepared = prepare(typed, site=account.site, edition=edition, anew_at=anew_at)
            begun = begin(account, prepared)
            notes.print(screen.plain(_what_began(begun, account.name)))
            ending = to_its_end(begun, account, screen.stdout(), ask=ask, pause=desk.pause)
            ending = with_report(ending, account, desk.out)
    except KeyboardInterrupt:
        if begun:
            said = _STAYS_UP if was_up else _STOPPED.format(task_id=begun.task_id)
            notes.print(screen.plain(said))
        raise
    tell(ending, screen.stdout())
    notes.print(screen.plain(f"It took {duration(time.monotonic() - began)} in all."))
    raise typer.Exit(ending.exit_code)


def _show_edition(places: Places, typed: Mapping[str, Any], edition: int) -> None:
    there_are = editions(places, sample_sites(typed))
    if edition not in there_are:
        raise BadInput(
            f"What this request reads has no edition {edition}: name one of those there are, "
            f"{', '.join(map(str, there_are))}."
        )
    show(places, edition)


def _go_on(
    desk: Desk,
    account: Account,
    begun: Begun,
    *,
    follows: bool,
    yes: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Follow it to its end where that is wanted, or where it has ended already."""
    notes = screen.stderr()
    if not (follows or yes or begun.is_over):
        _tell_how_to_follow(begun, as_json=as_json)
        return
    console = notes if as_json else screen.stdout()
    ask = whom_to_ask(account, console, yes=yes, by=by, out=desk.out)
    try:
        ending = to_its_end(begun, account, console, ask=ask, pause=desk.pause)
    except KeyboardInterrupt:
        notes.print(screen.plain(_come_back(begun.task_id)))
        raise
    _close(with_report(ending, account, desk.out), as_json=as_json)


def _what_began(begun: Begun, where: str) -> str:
    if begun.is_new:
        return f"Started {begun.task_id} in {where}."
    how = "is over" if begun.is_over else "is under way"
    return f"{begun.task_id} was started before in {where}, and {how}."


def _come_back(task_id: str) -> str:
    return f"\nThe run goes on without you. Come back with `./ratchet watch {task_id}`."


def _tell_how_to_follow(begun: Begun, *, as_json: bool) -> None:
    ending = ending_of(begun.task_id, begun.task, begun.execution)
    if as_json:
        screen.print_json(ending.as_json())
    else:
        screen.stdout().print(screen.plain(f"Follow it with `./ratchet watch {begun.task_id}`."))


def _close(ending: Ending, *, as_json: bool, indent: int | None = 2) -> None:
    if as_json:
        screen.print_json(ending.as_json(), indent=indent)
    else:
        tell(ending, screen.stdout())
    raise typer.Exit(ending.exit_code)


def _say(sentence: str) -> None:
    screen.stderr().print(screen.plain(f"Sandbox: {sentence}"))
