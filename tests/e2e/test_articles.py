"""119 real pages at once, where they lie beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lambdas.agent.contract import STATE_LIMIT, Status, Step
from sandbox.mounts import mount, write_request
from sandbox.places import Places
from tests.e2e.account import Account, task_of
from tests.e2e.conftest import ROOT
from tests.e2e.test_runs import payloads

pytestmark = pytest.mark.e2e

ARTICLES = ROOT.parent / "shared/corpus/articles/html"


@pytest.mark.promise("R16", "R29", "R37")
def test_every_page_ends_as_findings_or_as_set_aside_with_a_reason(
    account: Account, home: Path
) -> None:
    if not ARTICLES.is_dir():
        pytest.skip("the article pages are not beside this checkout")
    name = mount(Places.of(ROOT, home), ARTICLES, name="articles")
    questions = ["What did the court decide?", "How much does it cost?"]
    request = {**write_request(ARTICLES, name, questions, account.site), "workflow_id": "all"}

    arn = account.start_large(request)
    account.asked(task_of(request))
    account.decide(task_of(request), "APPROVED")
    assert account.ended(arn).status == "SUCCEEDED"

    record = account.task(task_of(request))
    assert record is not None
    assert (record.status, record.sources) == (Status.SUCCEEDED, 119)
    units = account.units(task_of(request))
    read = {unit.item for unit in units if unit.step is Step.ANALYZE and unit.is_done}
    aside = {unit.item: unit for unit in units if unit.step is Step.SET_ASIDE}
    assert read.isdisjoint(aside)
    assert (len(read) + len(aside), len(read)) == (119, record.read)
    for unit in aside.values():
        assert unit.outcome is not None
        assert json.loads(unit.outcome.result or b"{}")["reason"]
    assert len(read) > 100
    assert max(payloads(account.history(arn))) <= STATE_LIMIT
