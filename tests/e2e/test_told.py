"""One run from a program's start to everybody who is told of it, over real HTTP and with IAM."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from standardwebhooks import Webhook

from console.account import of_sandbox
from console.checking import checked
from console.standing import standing
from console.watch import looks
from lambdas.adapters.chaos import Chaos, Point
from lambdas.adapters.endangered import markers
from lambdas.agent.contract import Status, Step
from lambdas.agent.identity import execution_name
from sandbox.hooks import Received, received
from sandbox.life import Running
from sandbox.places import Places
from tests.e2e.account import Account, task_of, waited_for
from tests.e2e.conftest import ROOT, SIGNS_WITH
from tests.e2e.danger import endangered
from tests.e2e.events import Events
from tests.e2e.signed import signer_of
from tests.e2e.test_api import started_executions
from tests.e2e.visiting import asks, room_in_this_minute
from tests.fakes.browser import a_browser, chromium

pytestmark = pytest.mark.e2e

Make = Callable[..., dict[str, Any]]
NO_BROWSER = "there is no chromium on this machine: install Debian's package of that name"


@dataclass(slots=True)
class Mailbox:
    """What somebody who has subscribed to the topic gets."""

    account: Account
    queue: str
    read: list[dict[str, str]] = field(default_factory=list)

    def about(self, task: str, subject: str) -> list[dict[str, str]]:
        answer = self.account.client("sqs").receive_message(
            QueueUrl=self.queue, MaxNumberOfMessages=10
        )
        self.read += [json.loads(message["Body"]) for message in answer.get("Messages", [])]
        for message in answer.get("Messages", []):
            self.account.client("sqs").delete_message(
                QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"]
            )
        return [
            each
            for each in self.read
            if task in each["Message"] and each["Subject"].startswith(subject)
        ]


@pytest.fixture(scope="module")
def mailbox(account: Account) -> Iterator[Mailbox]:
    sqs, sns = account.client("sqs"), account.client("sns")
    queue = sqs.create_queue(QueueName="mail-of-ann")["QueueUrl"]
    told = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    let_in = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": told["QueueArn"],
        "Condition": {"ArnEquals": {"aws:SourceArn": account.outputs["NoticeTopic"]}},
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [let_in]})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": policy})
    subscribed = sns.subscribe(
        TopicArn=account.outputs["NoticeTopic"], Protocol="sqs", Endpoint=told["QueueArn"]
    )
    yield Mailbox(account=account, queue=queue)
    sns.unsubscribe(SubscriptionArn=subscribed["SubscriptionArn"])


@pytest.fixture
def delivered(account: Account, home: Path) -> Callable[[str, str], list[Received]]:
    """What a hook got about a task, once whatever is told of the task is told."""

    def find(name: str, task: str) -> list[Received]:
        account.tellings(task)
        return [each for each in received(Places.of(ROOT, home), name) if task in each.body]

    return find


def verified(delivery: Received) -> Any:
    """By the library that receivers use, with the secret that they were given."""
    return Webhook(base64.b64decode(SIGNS_WITH)).verify(delivery.body, dict(delivery.headers))


def outcomes(account: Account, task: str) -> dict[tuple[str, str], tuple[str, str]]:
    """How each telling has ended, by what was told and by which channel."""
    sfn, found = account.client("stepfunctions"), {}
    for arn in account.tellings(task):
        told = sfn.describe_execution(executionArn=arn)
        said = json.loads(told["input"])
        found[said["kind"], said["channel"]] = (told["status"], told.get("error", ""))
    return found


@pytest.mark.skipif(chromium() is None, reason=NO_BROWSER)
@pytest.mark.promise("R11", "R26", "R27", "R28", "R29")
def test_started_twice_approved_by_a_click_published_once_and_told_to_everybody(
    account: Account,
    a_request: Make,
    events: Events,
    mailbox: Mailbox,
    delivered: Callable[[str, str], list[Received]],
) -> None:
    room_in_this_minute(account)
    request, api = a_request(agent_id="told"), signer_of(account)
    task = task_of(request)

    with ThreadPoolExecutor(2) as pool:
        starts = list(pool.map(lambda _: api.asks("POST", "/tasks", request), range(2)))
    assert [(each.status, each.json["task_id"]) for each in starts] == [(202, task)] * 2
    account.asked(task)
    assert started_executions(account, task) == [execution_name(task, 1)]

    (asked,) = waited_for(
        lambda: mailbox.about(task, "A report waits for your answer"), "the mail that asks"
    )
    (link,) = re.findall(r"http://\S+/approvals/\S+", asked["Message"])
    for method in ("HEAD", "GET", "HEAD", "GET"):
        assert asks(method, link).status == 200
    assert account.asked(task).status is Status.WAITING_FOR_APPROVAL

    with a_browser() as browser:
        browser.visit(link, width=1280)
        browser.value("document.querySelector('#by').value = 'Ann'")
        browser.value("document.querySelector('button[value=APPROVED]').click()")
        browser.await_load()
        assert "approved by Ann" in browser.value("document.body.innerText")

    done = waited_for(
        lambda: _once(api.asks("GET", starts[0].link("self"))), "the run to be published"
    )
    assert len([key for key in account.keys("published/") if task in key]) == 3
    assert account.decide(task, "APPROVED")["already"]

    assert sorted(set(events.ends(task))) == ["ReportCompleted"]
    (delivery,) = delivered("crm", task)
    told = verified(delivery)
    assert (told["type"], told["data"]["task_id"]) == ("ReportCompleted", task)
    assert told["data"]["links"]["task"] == starts[0].link("self")
    record = account.task(task)
    assert record is not None
    assert told["data"]["result_uri"] == record.result_uri
    assert done["status"] == "SUCCEEDED"

    assert len(mailbox.about(task, "A report is published")) == 1
    assert len(mailbox.about(task, "")) == 2, "it asked, and it told of the end"
    assert sorted(events.of(task)) == ["ApprovalRequested", "ReportCompleted", "TaskAccepted"]
    ends = outcomes(account, task)
    assert ends.pop(("ApprovalReminder", "subscribers")) == ("RUNNING", "")
    assert set(ends.values()) == {("SUCCEEDED", "")}
    assert len(ends) == 6


def _once(told: Any) -> Any:
    return told.json if told.json["status"] == "SUCCEEDED" else None


@pytest.mark.promise("R11", "R21")
def test_a_receiver_that_is_busy_is_told_again_with_the_same_words(
    account: Account, a_request: Make, delivered: Callable[[str, str], list[Received]]
) -> None:
    """Cases F04, F05."""
    request = a_request(agent_id="told-later")

    assert account.run(request).status == "SUCCEEDED"

    first, second = delivered("busy", task_of(request))
    assert (first.status, second.status) == (503, 204)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]
    assert verified(first) == verified(second)


@pytest.mark.promise("R11", "R21")
def test_one_that_is_gone_is_parked_and_the_report_stays_published(
    account: Account, a_request: Make, delivered: Callable[[str, str], list[Received]]
) -> None:
    request = a_request(agent_id="told-in-vain")
    task = task_of(request)

    assert account.run(request).status == "SUCCEEDED"

    assert len(delivered("gone", task)) == 1
    assert outcomes(account, task)["ReportCompleted", "webhook.gone"] == ("FAILED", "PARKED")
    record = account.task(task)
    assert record is not None
    assert (record.status, record.error_code) == (Status.SUCCEEDED, "")
    assert len([key for key in account.keys("published/") if task in key]) == 3


@pytest.mark.promise("R11", "R13", "R36")
def test_who_dies_after_it_was_taken_tells_it_again_under_the_same_id(
    account: Account,
    a_request: Make,
    delivered: Callable[[str, str], list[Received]],
    tmp_path: Path,
) -> None:
    request = a_request(agent_id="told-twice")
    point = Point.parse("TELL:beside/ReportCompleted.once.webhook.torn:after:webhooks.post")

    with endangered(account, Chaos(folder=str(tmp_path), points=(point,), each=9), [Step.TELL]):
        assert account.run(request).status == "SUCCEEDED"
        first, second = delivered("torn", task_of(request))

    assert len(markers(tmp_path, task_of(request))) == 1
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)
    assert verified(first) == verified(second)


@pytest.mark.promise("R15", "R27")
def test_a_rejection_and_a_run_called_off_are_told_as_what_they_are(
    account: Account, a_request: Make, events: Events
) -> None:
    rejected, called_off = a_request(), a_request()
    api = signer_of(account)
    arns = [account.start(each) for each in (rejected, called_off)]
    for each in (rejected, called_off):
        account.asked(task_of(each))

    account.decide(task_of(rejected), "REJECTED", "not ours")
    assert api.asks("POST", f"/tasks/{task_of(called_off)}/cancel").status == 200

    assert events.ends(task_of(rejected)) == ["TaskRejected"]
    assert events.ends(task_of(called_off)) == ["TaskCancelled"]
    for arn in arns:
        account.ended(arn)


@pytest.mark.promise("R23", "R27")
def test_a_run_that_failed_says_of_what(
    account: Account, a_request: Make, events: Events, mailbox: Mailbox
) -> None:
    missing = f"{account.site}/no-{uuid4().hex}.html"
    request = {**a_request(), "sources": [{"url": missing}]}
    task = task_of(request)

    assert account.ended(account.start(request)).status == "FAILED"

    assert events.ends(task) == ["TaskFailed"]
    (event,) = (
        each
        for each in events.heard
        if each["detail"]["task_id"] == task and each["detail-type"] == "TaskFailed"
    )
    assert event["detail"]["error_code"] == "COVERAGE_TOO_LOW"
    account.tellings(task)
    (mail,) = waited_for(lambda: mailbox.about(task, "A run has failed"), "the mail")
    assert f"./ratchet resume {task}" in mail["Message"]


@pytest.mark.promise("R20", "R24")
def test_a_run_is_seen_by_shell_and_api_from_its_first_moment_to_its_last(
    account: Account, running: Running, a_request: Make
) -> None:
    """What is told beside it is none of its sources, whoever counts them."""
    request = a_request(approval="auto")
    task, api, shell = task_of(request), signer_of(account), of_sandbox(running)
    account.start(request)

    for look in looks(shell, task, execution_name(task, 1)):
        seen = api.asks("GET", f"/tasks/{task}")
        assert seen.status == 200, seen
        if look.execution and not look.execution.is_running:
            break

    account.tellings(task)
    stands = standing(shell, task)
    assert (stands.status, len(stands.sources)) == ("SUCCEEDED", 2)
    assert shell.ledger.tally(task).done == 2
    assert checked(shell, task).findings == ()
