"""Real processes, killed in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lambdas.agent.contract import Status, Step
from lambdas.agent.sources import page
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.conftest import Publish, a_page
from tests.e2e.danger import LIFE, short_lived
from tests.e2e.events import Events

pytestmark = pytest.mark.e2e


@pytest.fixture
def long_page(site: Publish) -> str:
    """Enough text that ANALYZE is at it for seconds."""
    sentences = [
        f"In week {n} the Team plan of customer {n} costs {40 + n % 9} euros a month, and the "
        f"feature number {n} was launched for {n % 7} of its {n} teams."
        for n in range(12_000)
    ]
    paragraphs = [" ".join(sentences[n : n + 8]) for n in range(0, len(sentences), 8)]
    return site({"long.html": a_page("A long report", *paragraphs)}) + "/long.html"


@pytest.mark.promise("R9", "R20", "R36", "R37")
def test_a_process_killed_in_the_middle_of_analyze_loses_nothing_and_repeats_nothing(
    account: Account, a_request: Callable[..., dict[str, Any]], long_page: str, events: Events
) -> None:
    request = a_request(long_page)
    task = task_of(request)

    with short_lived(account, {Step.ANALYZE: LIFE}):
        arn = account.start(request)
        victim = waited_for(
            lambda: _alone_at_work(account, task, long_page), "ANALYZE to be at the long page alone"
        )
        assert _kill_all(account, Step.ANALYZE.handler)
        account.asked(task)
    account.decide(task, "APPROVED")
    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.read) == (Status.SUCCEEDED, 3)
    units = [unit for unit in account.units(task) if unit.step is not Step.TELL]
    attempts = {(unit.step, unit.item): unit.attempt for unit in units}
    assert {unit: n for unit, n in attempts.items() if n != 1} == {(Step.ANALYZE, victim): 2}
    assert len(account.keys(record.result_uri.split("/", 3)[3])) == 3
    assert events.ends(task) == ["ReportCompleted"]


def _alone_at_work(account: Account, task: str, url: str) -> str | None:
    """The page's item, while its ANALYZE is leased and every other source is read."""
    item = page(url).item
    units = [unit for unit in account.units(task) if unit.step is Step.ANALYZE]
    busy = [unit.item for unit in units if unit.owner and not unit.is_done]
    return item if len(units) == 3 and busy == [item] else None


@pytest.mark.promise("R20", "R21")
def test_processes_killed_while_they_start_and_work_cost_no_source(
    account: Account, a_request: Callable[..., dict[str, Any]]
) -> None:
    request = a_request()
    task = task_of(request)
    arn = account.start(request)

    for step in (Step.FETCH, Step.EXTRACT, Step.ANALYZE):
        waited_for(partial(_kill_all, account, step.handler), f"a process of {step}")

    account.asked(task)
    account.decide(task, "REJECTED")
    assert account.ended(arn).status == "SUCCEEDED"
    record = account.task(task)
    assert record is not None
    assert (record.status, record.read) == (Status.REJECTED, 2)


def _processes(account: Account, handler: str) -> Iterator[int]:
    """The processes of one function of this sandbox: another's, a user's, are nobody's business.

    The handler stands in their command line, the account they talk to in their environment.
    """
    ours = f"AWS_ENDPOINT_URL={account.endpoint}\0"
    for entry in Path("/proc").iterdir():
        of_the_function = entry.name.isdigit() and handler in _of(entry, "cmdline")
        if of_the_function and ours in _of(entry, "environ"):
            yield int(entry.name)


def _of(entry: Path, name: str) -> str:
    try:
        return (entry / name).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _kill_all(account: Account, handler: str) -> list[int]:
    return [_kill(pid) for pid in _processes(account, handler)]


def _kill(pid: int) -> int:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return pid
