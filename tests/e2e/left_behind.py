"""All that a run leaves behind, in a form in which two runs can be compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lambdas.adapters import ledger_items as items
from tests.e2e.account import Account, task_of
from tests.fakes.strangers import links
from tests.fakes.talking_server import Talker


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What there is when a run is over, without the facts of this one run."""

    task_id: str
    request: str
    states: Counter[str]
    asked: frozenset[str]
    calls: int
    links: frozenset[str]
    statements: frozenset[str]
    effects: Mapping[str, Any]


def followed(account: Account, talker: Talker, log: Path, request: Mapping[str, Any]) -> Left:
    """To its end, with a person who approves."""
    asked_before, log_before = len(talker.asked), len(log.read_text())
    ended = account.run(request)
    assert (ended.status, ended.error) == ("SUCCEEDED", "")
    task = account.task(task_of(request))
    assert task is not None
    account.tellings(task.task_id)  # then its effects are all there
    shelf = task.result_uri.split("/", 3)[3]
    report = {key.rpartition("/")[2]: account.body(key).decode() for key in account.keys(shelf)}
    stored, answers = account.body(task.request).decode(), json.loads(report["report.json"])
    for fact in (request["workflow_id"], request["agent_id"]):
        stored = stored.replace(fact, "(fact)")
    return Left(
        task_id=task.task_id,
        request=stored,
        states=Counter(_states(account, ended.arn)),
        asked=frozenset(re.findall(r'"GET (\S+) ', log.read_text()[log_before:])),
        calls=len(talker.asked) - asked_before,
        links=links(report),
        statements=frozenset(s["text"] for a in answers["answers"] for s in a["statements"]),
        effects={
            "files": sorted(report),
            "pointers": [
                key.rpartition("/")[2]
                for key in account.keys(f"published/{shelf.split('/')[1]}")
                if task.task_id not in key
            ],
            "intents": sorted(_intents(account, task.task_id)),
        },
    )


def _states(account: Account, arn: str) -> Iterator[str]:
    for execution in (arn, *account.children(arn)):
        for event in account.history(execution):
            if "stateEnteredEventDetails" in event:
                yield event["stateEnteredEventDetails"]["name"]


def _intents(account: Account, task: str) -> Iterator[tuple[str, str]]:
    found = account.client("dynamodb").query(
        TableName=account.outputs["LedgerTable"],
        ConsistentRead=True,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :effect)",
        ExpressionAttributeValues={":pk": {"S": task}, ":effect": {"S": "EFFECT#"}},
    )
    for item in found["Items"]:
        intent = items.intent(item)
        yield intent.kind, intent.stage
