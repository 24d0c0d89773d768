"""docs/events.md, docs/webhooks.md and the schema say what is told, and their receiver works."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validator_for
from standardwebhooks import Webhook

from lambdas.agent.channels import EVENTS, SUBSCRIBERS, Directory
from lambdas.agent.contract import Status, Step
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.letters import Letter, letter
from lambdas.agent.notices import Kind, Notice
from lambdas.agent.patience import WAITS
from lambdas.agent.tasks import TaskRecord

DOCS = Path(__file__).resolve().parents[1] / "docs"
SCHEMA = json.loads((DOCS / "events.schema.json").read_text(encoding="utf-8"))
EVENTS_PAGE, HOOKS_PAGE = (
    (DOCS / name).read_text(encoding="utf-8") for name in ("events.md", "webhooks.md")
)
OCCASIONS = {
    "TaskFailed": "run1",
    "ApprovalRequested": "r2",
    "ApprovalReminder": "r2.1796803200",
}
TASK = TaskRecord(
    task_id="acme-monday-0123456789ab",
    agent_id="acme",
    workflow_id="monday",
    input_id="any",
    status=Status.FAILED,
    current_step=Step.PUBLISH,
    state_version=1,
    schema_version=1,
    execution="any",
    run=1,
    revision=2,
    result_uri="s3://any/published/",
    error_code="COVERAGE_TOO_LOW",
    last_error="too few",
    created_at=1_000_000.0,
    updated_at=1_000_060.0,
)


def told(kind: Kind, task: TaskRecord = TASK) -> Letter:
    notice = Notice(task_id=task.task_id, kind=kind, occasion=OCCASIONS.get(kind, "once"))
    return letter(notice, task, until="2026-12-09T08:00:00Z", http_url="https://api.example")


@pytest.mark.promise("R27", "R31")
@pytest.mark.parametrize("kind", Kind)
def test_what_is_told_is_as_the_schema_has_it(kind: Kind) -> None:
    validator = validator_for(SCHEMA)

    validator.validate(json.loads(told(kind).body))
    later = replace(TASK, status=Status.RUNNING, run=2)
    validator.validate(json.loads(told(kind, later).body))


@pytest.mark.parametrize("change", [{"version": 2}, {"more": 1}, {"links": {}}])
def test_the_schema_refuses_what_it_does_not_name(change: dict[str, Any]) -> None:
    said = json.loads(told(Kind.REPORT_COMPLETED).body)
    said["data"] |= change

    assert not validator_for(SCHEMA).is_valid(said)


def test_the_page_says_of_each_type_by_which_channels_it_goes() -> None:
    row = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
    rows = row.findall(EVENTS_PAGE)
    said = {name: tuple(cell.strip() for cell in cells) for name, *cells in rows}
    crm = Endpoint(name="crm", url="any", secret="any")

    assert said.keys() == set(Kind)
    for kind in Kind:
        notice = Notice(task_id="t", kind=kind)
        channels = set(Directory(endpoints=(crm,)).channels(notice, "acme"))
        bus, mail, hooks = said[kind]
        assert (bus == "yes") is (EVENTS in channels), kind
        assert mail.startswith("yes") is (SUBSCRIBERS in channels), kind
        assert (hooks == "yes") is ("webhook.crm" in channels), kind


def test_the_event_on_the_page_has_the_fields_of_one() -> None:
    (block,) = re.findall(r"```json\n(\{.*?\})\n```", EVENTS_PAGE, re.DOTALL)

    assert json.loads(block).keys() == {*told(Kind.REPORT_COMPLETED).data, "event_id"}


def test_the_page_names_every_wait() -> None:
    assert WAITS == (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
    assert "5 s, 30 s, 2 and 10 minutes, half an hour, 1, 2, 4, 8 and 8 hours" in HOOKS_PAGE
    assert "eleven\ntimes" in EVENTS_PAGE


def _receiver() -> dict[str, Any]:
    (code,) = re.findall(r"```python\n(.*?)```", HOOKS_PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "docs/webhooks.md", "exec"), names)  # noqa: S102 the page's own example
    return names


def _headers(body: bytes, secret: str, at: float) -> dict[str, str]:
    signature = Webhook(secret).sign("id-1", datetime.fromtimestamp(at, UTC), body)
    return {
        "webhook-id": "id-1",
        "webhook-timestamp": str(int(at)),
        "webhook-signature": signature,
    }


def test_the_receiver_on_the_page_takes_ours_once(capsys: pytest.CaptureFixture[str]) -> None:
    names, body = _receiver(), told(Kind.REPORT_COMPLETED).body
    headers = _headers(body, names["SECRET"], time.time())

    answers = [names["receive"](headers, body) for _ in range(2)]

    assert answers == [204, 204]
    assert capsys.readouterr().out == f"ReportCompleted {TASK.task_id}\n"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body, secret: (_headers(body, secret, time.time()), body.replace(b"acme", b"evil")),
        lambda body, secret: (_headers(body, secret, time.time() - 301), body),
        lambda body, _: (_headers(body, "whsec_" + "A" * 44, time.time()), body),
        lambda body, secret: (
            _headers(body, secret, time.time()),
            json.dumps(json.loads(body)).encode(),
        ),
    ],
    ids=["changed", "old", "another's", "written anew"],
)
def test_the_receiver_on_the_page_refuses_what_is_not(
    spoil: Callable[[bytes, str], tuple[dict[str, str], bytes]],
) -> None:
    """Case F06."""
    names, body = _receiver(), told(Kind.REPORT_COMPLETED).body

    assert names["receive"](*spoil(body, names["SECRET"])) == 401
