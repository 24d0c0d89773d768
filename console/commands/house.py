"""The sandbox: `sandbox up`, `down`, `status`, `serve`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from console import screen, show
from console.account import ROOT
from console.commands.options import AsJson, desk_of
from console.errors import BadInput, Refused
from console.requests import ANY_SITE, SITE, prepare
from sandbox import life
from sandbox.life import Running
from sandbox.mounts import mount, mounts, write_request
from sandbox.places import Places

commands = typer.Typer(
    name="sandbox", help="The AWS account on this machine.", no_args_is_help=True
)

_GLANCE = 5.0
"""Seconds between two looks at whether another command has stopped the sandbox."""


@commands.command()
def up(
    context: typer.Context,
    detach: Annotated[bool, typer.Option("--detach", help="Leave it up and come back.")] = False,
) -> None:
    """Start the sandbox, deploy the app into it, and keep it up until Ctrl-C.

    If it is up already, what has changed is deployed, and it stays up.
    """
    desk, console = desk_of(context), screen.stdout()
    if detach or life.running(ROOT, home=desk.home):
        _tell(life.up(ROOT, home=desk.home, say=_say))
        console.print(screen.plain("It stays up until `./ratchet sandbox down`."))
        return
    with life.sandbox(ROOT, home=desk.home, say=_say) as running:
        _tell(running)
        console.print(screen.plain("Ctrl-C stops it; its state is kept."))
        try:
            while life.running(ROOT, home=desk.home):
                desk.pause(_GLANCE)
        except KeyboardInterrupt:
            _say("stopping")
            return
    raise Refused("The sandbox was stopped by another command, or died: see .sandbox/*.log.")


@commands.command()
def down(context: typer.Context) -> None:
    """Stop the sandbox. Its state is kept; runs that were under way cannot go on."""
    stopped = life.down(ROOT, home=desk_of(context).home, say=_say)
    _say("stopped, and its state is kept" if stopped else "it was not running")


@commands.command()
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Tell whether the sandbox is up, and where. The exit code is 1 where it is not."""
    desk = desk_of(context)
    running = life.running(ROOT, home=desk.home)
    if as_json:
        screen.print_json(_as_json(running, Places.of(ROOT, desk.home)))
    elif running:
        _tell(running)
    else:
        screen.stdout().print(screen.plain("It is not running: `make sandbox` starts it."))
    raise typer.Exit(0 if running else 1)


@commands.command()
def serve(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Saved pages.")],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Its name on the site.")
    ] = None,
    request: Annotated[
        Path | None,
        typer.Option("--request", metavar="OUT.json", help="Write a request to read every page."),
    ] = None,
    questions: Annotated[
        list[str] | None,
        typer.Option("--question", metavar="TEXT", help="What the request asks. Repeatable."),
    ] = None,
) -> None:
    """Show a folder of pages on the sandbox's sample site, now and whenever it is up.

    The folder is read where it lies. With --request, `make run REQUEST=OUT.json` reads it.
    """
    if (request is None) != (not questions):
        raise BadInput("A request needs its questions: give --request and --question together.")
    places = Places.of(ROOT, desk_of(context).home)
    shown = mount(places, folder, name=name)
    screen.stdout().print(screen.plain(f"{folder} is shown as {SITE}/{shown}/."))
    if request and questions:
        _write(request, dict(write_request(folder, shown, questions, SITE)))


def _write(file: Path, request: dict[str, Any]) -> None:
    prepare(request, site=ANY_SITE)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(request, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    count = len(request["sources"])
    said = f"{file} asks about {count} pages. Run it: `make run REQUEST={file}`."
    screen.stdout().print(screen.plain(said))


def _tell(running: Running) -> None:
    console = screen.stdout()
    console.print(screen.plain("The sandbox is up."))
    told = {
        "account": running.endpoint,
        "site": f"{running.site}/",
        "next": "./ratchet start examples/acme/request.json --follow",
    }
    screen.put(console, show.fields((name, screen.plain(what)) for name, what in told.items()))


def _as_json(running: Running | None, places: Places) -> dict[str, Any]:
    return {
        "is_running": running is not None,
        "endpoint": running.endpoint if running else None,
        "site": running.site if running else None,
        "outputs": running.outputs if running else None,
        "mounts": {name: str(folder) for name, folder in mounts(places).items()},
    }


def _say(sentence: str) -> None:
    screen.stderr().print(screen.plain(f"Sandbox: {sentence}."))
