"""Whoever has the link of an approval, over real HTTP."""

from __future__ import annotations

import http.client
import json
import re
import time
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from lambdas.adapters import ledger_items as items
from lambdas.adapters.dynamodb_quota import EACH_MINUTE, partition_of
from lambdas.adapters.kms_seals import KmsSeals
from lambdas.agent.approval import unit_of
from lambdas.agent.contract import Step
from tests.e2e.account import Account, waited_for

VISITOR = "127.0.0.1"
"""To ministack all visitors are one: each test must leave the others their minute."""
OF_ONE_TEST = 15
"""Requests that a test of the pages makes at the most; only the one that guesses makes more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str


def room_in_this_minute(account: Account) -> None:
    """Wait until a test can be let in as often as it asks."""

    def look() -> bool:
        key = {"pk": {"S": partition_of(VISITOR, int(time.time()))}, "sk": {"S": "QUOTA"}}
        found = account.client("dynamodb").get_item(
            TableName=account.outputs["LedgerTable"], Key=key
        )
        taken = int(found.get("Item", {}).get("taken", {"N": "0"})["N"])
        return taken + OF_ONE_TEST <= EACH_MINUTE

    waited_for(look, "the next minute")


def asks(method: str, url: str, form: dict[str, str] | None = None) -> Answer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    try:
        connection.request(method, path, urlencode(form) if form else None, headers)
        told = connection.getresponse()
        return Answer(
            status=told.status, headers=dict(told.getheaders()), body=told.read().decode()
        )
    finally:
        connection.close()


def link_of(account: Account, task: str, revision: int) -> str:
    """What is sent to those who decide. An operator may open the seal; nobody else can."""
    return f"{account.outputs['HttpUrl']}/approvals/{held(account, task, revision)['id']}"


def held(account: Account, task: str, revision: int) -> dict[str, str]:
    """The token and the id that the record keeps sealed."""

    def look() -> str | None:
        found = account.client("dynamodb").get_item(
            TableName=account.outputs["LedgerTable"],
            Key=items.unit_key(unit_of(task, f"r{revision}", "")),
            ConsistentRead=True,
        )
        return str(found["Item"]["callback"]["S"]) if "callback" in found.get("Item", {}) else None

    sealed = waited_for(look, f"the invitation of {task}, revision {revision}")
    told = account.functions()[Step.APPROVE.handler]["Environment"]["Variables"]
    seals = KmsSeals(account.client("kms"), told["RATCHET_SEAL_KEY"])
    opened: dict[str, str] = json.loads(seals.unseal(sealed, about=task))
    return opened


def nonce_in(page: str) -> str:
    found = re.search(r'name="nonce" value="(\w+)"', page)
    assert found, page
    return found[1]


def answers(link: str, decision: str, **fields: str) -> Answer:
    nonce = nonce_in(asks("GET", link).body)
    return asks("POST", link, {"decision": decision, "by": "Ann", "nonce": nonce, **fields})
