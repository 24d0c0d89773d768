"""How fast and how surely a large set of real pages is read: `make bench-reading PAGES=folder`.

The pages are served on this machine and go through FETCH and EXTRACT as they are deployed: the
guard, the sockets, the parsers. Only ledger and artifacts are in memory, and politeness, which is
told by a clock, costs no time. Every page has an outcome: its text, or a code that says why not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

from lambdas.adapters.http_fetcher import HttpFetcher
from lambdas.adapters.page_reader import PageReader
from lambdas.agent.contract import Step
from lambdas.agent.errors import StepError
from tests.fakes.clock import FakeClock
from tests.fakes.story import State, invoke
from tests.fakes.world import World, a_world

READ = "READ"
SLOWEST = 10
HINT = """\
No web pages are in {folder}. Any folder of them will do, for instance two of Debian's manuals:
  apt-get download python3.11-doc postgresql-doc-15
  for package in *-doc*.deb; do dpkg -x "$package" pages; done
  make bench-reading PAGES=pages"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`code` is READ, or why the page was set aside."""

    page: str
    code: str
    seconds: float


def main() -> int:
    asked = _asked()
    pages = pages_in(asked.pages)[: asked.most]
    if not pages:
        _say(HINT.format(folder=asked.pages))
        return 2
    begun = time.perf_counter()
    outcomes = list(read(pages, asked.pages))
    _tell(outcomes, time.perf_counter() - begun)
    return 0


def pages_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.htm*") if path.is_file())


def read(pages: Sequence[Path], folder: Path) -> Iterator[Outcome]:
    with _served(folder) as site:
        clock = FakeClock()
        world = a_world(clock)
        world.fetcher = HttpFetcher(user_agent="bench-reading", loopback_site=site)
        world.reader = PageReader()
        for number, page in enumerate(pages):
            path = page.relative_to(folder).as_posix()
            begun = time.perf_counter()
            code = _read(world, clock, f"s{number}", f"http://{site}/{quote(path)}")
            yield Outcome(page=path, code=code, seconds=time.perf_counter() - begun)


def _read(world: World, clock: FakeClock, item: str, url: str) -> str:
    event = {"task_id": "bench", "item": item, "context": {"agent_id": "bench"}}
    try:
        fetched = _laps(world, clock, Step.FETCH, {**event, "args": {"url": url}})
        args = {"url": url, "page": fetched["ref"], "content_type": fetched["content_type"]}
        _laps(world, clock, Step.EXTRACT, {**event, "args": args})
    except StepError as error:
        return error.code
    return READ


def _laps(world: World, clock: FakeClock, step: Step, event: State) -> State:
    while (told := invoke(step, event, world))["progress"] != "DONE":
        clock.pass_seconds(told.get("wait_seconds", 0))
    return told


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: the table tells enough."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The folder as a web site on this machine; its address and port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-reading", description=__doc__)
    parser.add_argument("pages", type=Path, help="a folder of web pages")
    parser.add_argument("--most", type=int, default=1_000, help="pages that are read")
    return parser.parse_args()


def _tell(outcomes: Sequence[Outcome], seconds: float) -> None:
    _say(f"{len(outcomes):,} pages in {seconds:.1f} s: {len(outcomes) / seconds:.1f} a second")
    for code, number in Counter(outcome.code for outcome in outcomes).most_common():
        _say(f"  {number:6,} {code}")
    _say("The slowest:")
    for outcome in sorted(outcomes, key=lambda each: -each.seconds)[:SLOWEST]:
        _say(f"  {outcome.seconds * 1000:6.0f} ms  {outcome.code:12} {outcome.page}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
