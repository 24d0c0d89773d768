"""The sample in its two editions, as `make run` and `make run EDITION=2` read it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from console.requests import prepare, read
from sandbox.editions import FIRST, show
from sandbox.places import Places
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import ROOT

pytestmark = pytest.mark.e2e

Asks = Callable[[int], Mapping[str, Any]]

SECOND = 2
SAME = (
    "blog/2026-09-22-live-spend-alerts.html",
    "blog/2026-10-06-new-plans.html",
    "blog/2026-10-20-price-lab.html",
    "blog/2026-11-12-ingest-api-v3.html",
    "careers.html",
    "docs/migrating-to-v3.html",
    "docs/single-sign-on.html",
)


@pytest.fixture
def places(home: Path) -> Iterator[Places]:
    places = Places.of(ROOT, home)
    yield places
    show(places, FIRST)


@pytest.fixture
def request_of(account: Account) -> Asks:
    """The sample's request as the command line completes it, for an agent of this test."""
    typed = read(ROOT / "examples/acme/request.json") | {"agent_id": f"editions-{uuid4().hex[:8]}"}

    def make(edition: int) -> Mapping[str, Any]:
        return prepare(typed, site=account.site, edition=edition).typed

    return make


def test_a_week_later_the_same_addresses_give_another_report(
    account: Account, places: Places, request_of: Asks
) -> None:
    show(places, FIRST)
    before = reported(account, request_of(FIRST))
    show(places, SECOND)
    log = places.log("site").read_text()
    after = reported(account, request_of(SECOND))

    answered = answers(places.log("site").read_text()[len(log) :])
    assert {page for page, status in answered if status == "304"} == set(SAME)
    assert ("security.html", "200") in answered
    assert ("blog/2026-12-09-invoice-preview.html", "200") in answered
    assert left_out(before) == {"blog/2026-08-11-summer-release.html": "HTTP_404"}
    assert left_out(after) == {
        "blog/2026-08-11-summer-release.html": "HTTP_404",
        "blog/2026-11-03-series-b.html": "HTTP_404",
        "docs/rate-limits.html": "HTTP_503",
    }
    assert before["changes"]["task_id"] == ""
    changes = after["changes"]
    assert {page_of(each["url"]): each["kind"] for each in changes["sources"]} == {
        "pricing.html": "CHANGED",
        "changelog.html": "CHANGED",
        "blog/2026-12-09-invoice-preview.html": "NEW",
        "blog/2026-11-03-series-b.html": "GONE",
        "blog/2026-08-11-summer-release.html": "UNREACHABLE",  # then and now: no news
        "docs/rate-limits.html": "UNREACHABLE",
    }
    assert changes["unchanged"] == len({*SAME, "security.html"})
    assert any("€49" in each["text"] for each in changes["gone"])
    marks = {each["mark"] for answer in after["answers"] for each in answer["statements"]}
    assert marks == {"NEW", "STILL"}
    assert "€59" not in str(before["answers"])
    assert "€59" in str(after["answers"])
    assert "Invoice preview" in str(after["answers"])


def reported(account: Account, request: Mapping[str, Any]) -> dict[str, Any]:
    """The published report, as JSON."""
    ended = account.run(request)
    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    task = account.task(task_of(request))
    assert task is not None
    keys = account.keys(task.result_uri.split("/", 3)[3])
    report: dict[str, Any] = json.loads(account.body(next(k for k in keys if k.endswith(".json"))))
    return report


def left_out(report: dict[str, Any]) -> dict[str, str]:
    return {page_of(s["url"]): s["error_code"] for s in report["sources"] if not s["was_read"]}


def answers(log: str) -> Counter[tuple[str, str]]:
    """What the site answered to each page of Acme's that was asked for."""
    asked = [line.split('"')[1:] for line in log.splitlines() if '"GET /acme/' in line]
    return Counter((page_of(request.split()[1]), status.split()[0]) for request, status in asked)


def page_of(address: str) -> str:
    return address.partition("/acme/")[2]
