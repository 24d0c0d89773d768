"""The sample among real deaths: processes that are killed, and that run into their timeouts, at
named points. The run must not be told from one that nothing has disturbed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest

from lambdas.adapters.chaos import Chaos, Point
from lambdas.adapters.endangered import Marker, markers
from lambdas.agent.contract import Step
from lambdas.agent.model import WHOLE_TASK, UnitRecord
from lambdas.agent.sources import page
from sandbox.life import sandbox
from sandbox.places import Places
from tests.e2e.account import Account
from tests.e2e.conftest import ROOT
from tests.e2e.danger import AT_ONCE, Watched, endangered, run
from tests.e2e.events import listening
from tests.e2e.invariants import Aftermath, fetches, lines, violations
from tests.fakes.model_server import Model, serving

pytestmark = pytest.mark.e2e

# Each line is a source of the sample; they wait for the leases of their dead side by side.
OF_THE_SOURCES = (
    ("FETCH", "before:ledger.claim"),
    ("FETCH", "after:ledger.claim", "after:fetcher.get"),
    ("FETCH", "after:artifacts.put"),
    ("FETCH", "before:ledger.commit"),
    ("FETCH", "after:ledger.commit"),
    ("ANALYZE", "after:ledger.submitted", "hang:ledger.commit"),
    ("EXTRACT", "before:ledger.claim", "after:ledger.claim"),
    ("EXTRACT", "before:artifacts.put", "after:ledger.commit"),
    ("EXTRACT", "after:artifacts.put"),
    ("EXTRACT", "before:ledger.commit"),
    ("ANALYZE", "before:ledger.claim", "after:model.submit"),
    ("ANALYZE", "after:ledger.claim", "after:ledger.commit"),
)
OF_THE_RUN = (
    "PLAN:*:before:ledger.claim",
    "PLAN:*:after:ledger.commit",
    "VALIDATE:*:before:ledger.claim",
    "VALIDATE:*:after:artifacts.put",
    "REPORT:*:after:model.submit",
    "REPORT:*:before:ledger.commit",
    "REPORT:*:after:ledger.commit",
    "PUBLISH:*:after:shelf.place",
    "PUBLISH:*:after:ledger.commit",
    "COMPLETE:*:after:ledger.commit",
    "TELL:beside/ReportCompleted.once.events:after:announcer.announce",
)
READ = 12
"""Sources of the sample that are there; each is one job of the model's."""
ANSWERED = 1
"""Questions that the model finds anything for; each is one more."""
MORTAL = tuple(step for step in Step if step is not Step.APPROVE)
"""The sandbox's account loses a failing function behind a task token; AWS tries it again."""
KEY = "any-key"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return Places.of(ROOT, tmp_path_factory.mktemp("chaos"))


@pytest.fixture
def asking(places: Places, model: Model) -> Iterator[Account]:
    """A sandbox of its own, whose ANALYZE and REPORT ask a model on this machine."""
    with serving(model) as url:
        told = {"model_url": url, "model_name": "any-model", "model_secret": KEY}
        context = {**told, "sources_at_once": AT_ONCE}
        with sandbox(ROOT, home=places.home, context=context, say=print) as running:
            account = Account(running)
            account.client("secretsmanager").create_secret(Name=KEY, SecretString="any key")
            yield account


@pytest.mark.promise("R8", "R10", "R11", "R12", "R13", "R15", "R20", "R36")
def test_a_run_among_deaths_cannot_be_told_from_an_undisturbed_one(
    asking: Account, model: Model, places: Places
) -> None:
    events, undisturbed = listening(asking), run(asking, sample(asking))
    request, kills, log = sample(asking), places.home / "kills", places.log("site")
    points, jobs_before = points_for(request), len(model.jobs)
    asked_before = {each["url"]: fetches(log, each["url"]) for each in request["sources"]}
    kills.mkdir()

    with endangered(asking, Chaos(folder=str(kills), points=points, each=9), MORTAL):
        watched = run(asking, request)

    deaths = markers(kills, watched.task_id)
    after = Aftermath.of(watched, deaths)
    assert violations(after, undisturbed, events) == []
    assert len(deaths) == len(points)
    assert sum(after.errors[name] for name in ("Runtime.ExitError", "Sandbox.Timedout")) >= 20
    assert least(deaths) >= 3
    asked = {url: fetches(log, url) - before for url, before in asked_before.items()}
    lost = lost_answers(deaths)
    assert {url: n - 1 for url, n in asked.items()} == {url: lost[item(url)] for url in asked}
    assert jobs_before == len(model.jobs) - jobs_before == READ + ANSWERED
    assert_each_unit_was_committed_by_one(watched, deaths)


def sample(account: Account) -> dict[str, Any]:
    text = (ROOT / "examples/acme/request.json").read_text().replace("{site}", account.site)
    # An agent of its own: the next task of the same one would find the answers of the first.
    name, told = uuid4().hex[:10], json.loads(text)
    pages = [each for each in told["sources"] if "kind" not in each]
    return {**told, "sources": pages, "agent_id": f"a{name}", "workflow_id": f"w{name}"}


def points_for(request: Mapping[str, Any]) -> tuple[Point, ...]:
    urls = [each["url"] for each in request["sources"] if "summer-release" not in each["url"]]
    of_sources = [
        f"{step}:{item(url)}:{place}"
        for url, (step, *places) in zip(sorted(urls), OF_THE_SOURCES, strict=True)
        for place in places
    ]
    return tuple(map(Point.parse, (*of_sources, *OF_THE_RUN)))


def item(url: str) -> str:
    return page(url).item


def least(deaths: list[Marker]) -> int:
    """Deaths at the boundary where fewest have been died."""
    places = Counter(f"{death.when} {death.call}" for death in deaths)
    named = ("before ledger.claim", "after ledger.claim", "after artifacts.put")
    return min(places[name] for name in (*named, "before ledger.commit", "after ledger.commit"))


def lost_answers(deaths: list[Marker]) -> Counter[str]:
    """How many answers of a source died with the worker that had asked."""
    return Counter(d.item for d in deaths if d.held and "fetcher.get" in d.calls)


def assert_each_unit_was_committed_by_one(watched: Watched, deaths: list[Marker]) -> None:
    """As the functions' own lines tell it. Who died after the commit could not say so any more,
    and was found to have done it; what those who ask a model commit first is that it is at work.
    """
    said = lines(watched.account, watched.task_id)
    told = [d for d in deaths if d.step not in {Step.ANALYZE, Step.REPORT}]
    died = {place(d) for d in told if "ledger.commit" in d.calls}
    done = {place(unit) for unit in watched.units.values() if unit.is_done}
    assert units_of(said, "committed") == Counter(done - died - {(Step.APPROVE, "r1")})
    assert units_of(said, "replayed") == Counter(died)
    assert {line.get("error") for line in said} <= {None, "StillClaimed", "SourceRefused"}


def units_of(said: list[dict[str, str]], message: str) -> Counter[tuple[str, str]]:
    ended = [line for line in said if (line["message"], line["outcome"]) == (message, "DONE")]
    return Counter((line["step"], line.get("item", WHOLE_TASK)) for line in ended)


def place(of: Marker | UnitRecord) -> tuple[str, str]:
    return of.step, of.item
