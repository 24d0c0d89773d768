"""A feed and a sitemap in a request, on the state machine as it is deployed."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from lambdas.agent.contract import STATE_LIMIT, Status, Step
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import Publish, a_page
from tests.e2e.test_runs import payloads

pytestmark = pytest.mark.e2e

FEED = (
    "<rss><channel><item><link>one.html</link></item><item><link>two.html</link></item>"
    "</channel></rss>"
)
INDEX = (
    "<sitemapindex><sitemap><loc>child.xml</loc></sitemap><sitemap><loc>gone.xml</loc></sitemap>"
    "</sitemapindex>"
)
CHILD = (
    "<urlset><url><loc>two.html</loc></url><url><loc>three.html?utm_source=map</loc></url></urlset>"
)


@pytest.mark.promise("R16", "R19", "R21")
def test_lists_become_pages_and_what_they_lack_is_told(account: Account, site: Publish) -> None:
    """Case C25."""
    pages = {
        f"{name}.html": a_page(
            name,
            f"The plan called {name} costs 49 euros a month for each seat, billed once a year.",
            "It was launched in October with a page of prices that says what each plan holds.",
        )
        for name in ("one", "two", "three")
    }
    base = site({**pages, "feed.xml": FEED, "sitemap.xml": INDEX, "child.xml": CHILD})
    request = {
        "agent_id": "competitor-monitor",
        "workflow_id": f"w{uuid4().hex[:10]}",
        "questions": ["How much does the plan cost?"],
        "sources": [
            {"url": f"{base}/feed.xml", "kind": "feed"},
            {"url": f"{base}/sitemap.xml", "kind": "sitemap"},
        ],
        "coverage": 0.5,
    }

    ended = account.run(request)

    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    record = account.task(task_of(request))
    assert record is not None
    assert (record.status, record.sources, record.read) == (Status.SUCCEEDED, 4, 3)
    (aside,) = (u for u in account.units(task_of(request)) if u.step is Step.SET_ASIDE)
    assert aside.outcome is not None
    told = json.loads(aside.outcome.result or b"{}")
    assert told["error_code"] == "LIST_INCOMPLETE"
    assert "gone.xml" in told["reason"]
    history = account.history(ended.arn)
    assert max(payloads(history)) <= STATE_LIMIT
    entered = [
        e["stateEnteredEventDetails"]["name"] for e in history if "stateEnteredEventDetails" in e
    ]
    assert entered[:6] == ["REQUEST", "PLAN", "PLAN_DONE?", "PLAN", "PLAN_DONE?", "BEGIN?"]
