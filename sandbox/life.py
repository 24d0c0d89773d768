"""The sandbox's life: up, found again by the next command, down."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox import account, site
from sandbox.deployment import Outputs, deploy, sandbox_context
from sandbox.interruptions import endings_raised
from sandbox.places import Places, read_json, write_json

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where everything is, for whoever uses the sandbox."""

    endpoint: str
    site: str
    region: str
    outputs: Outputs

    @property
    def environment(self) -> Mapping[str, str]:
        """What stands in for the user's own AWS_* variables to talk to this account."""
        return account.credentials(self.endpoint)

    def client(self, service: str) -> Any:
        return account.client(service, self.endpoint)


def up(
    root: Path,
    *,
    home: Path | None = None,
    context: Mapping[str, object] | None = None,
    say: Say = lambda _: None,
) -> Running:
    """Start what is not running and deploy what has changed. If that fails or is interrupted,
    whatever it started is stopped again. `context` replaces parts of what the app is told.
    """
    places = Places.of(root, home)
    with endings_raised(), _alone(places, say), ExitStack() as undo:
        endpoint = account.address(places)
        if endpoint is None:
            undo.callback(account.stop, places)
            say("starting the account")
            endpoint = account.start(places)
        address = site.address(places)
        if address is None:
            undo.callback(site.stop, places)
            say("starting the sample site")
            address = site.start(places, say)
        told = sandbox_context(places, address, endpoint) | dict(context or {})
        outputs = deploy(places, endpoint, told, say)
        write_json(places.state, {"endpoint": endpoint, "site": address, "outputs": outputs})
        undo.pop_all()
    return Running(endpoint=endpoint, site=address, region=account.REGION, outputs=outputs)


def running(root: Path, *, home: Path | None = None) -> Running | None:
    """The sandbox of this checkout, if it is up."""
    places = Places.of(root, home)
    endpoint, address = account.address(places), site.address(places)
    outputs = read_json(places.state).get("outputs")
    if endpoint is None or address is None or outputs is None:
        return None
    return Running(endpoint=endpoint, site=address, region=account.REGION, outputs=outputs)


def down(root: Path, *, home: Path | None = None, say: Say = lambda _: None) -> bool:
    """Stop it and keep its state. Says whether there was something to stop."""
    places = Places.of(root, home)
    stopped: list[bool] = []
    with _alone(places, say), ExitStack() as both:
        both.callback(lambda: stopped.append(site.stop(places)))
        both.callback(lambda: stopped.append(account.stop(places)))
    return any(stopped)


@contextmanager
def sandbox(
    root: Path,
    *,
    home: Path | None = None,
    context: Mapping[str, object] | None = None,
    say: Say = lambda _: None,
) -> Iterator[Running]:
    """The sandbox for the length of a block. One that was up before stays up after it."""
    with endings_raised(), ExitStack() as afterwards:
        if running(root, home=home) is None:
            afterwards.callback(down, root, home=home, say=say)
        yield up(root, home=home, context=context, say=say)


@contextmanager
def _alone(places: Places, say: Say) -> Iterator[None]:
    """One command at a time starts or stops the sandbox of a folder."""
    with places.lock("command").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another command to finish with the sandbox")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
