"""Webhooks against a receiver on this machine, in all its moods."""

from __future__ import annotations

import base64
import json
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from lambdas.adapters.standard_webhooks import StandardWebhooks
from lambdas.adapters.webhook_signing import SHORTEST
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import NotTaken, ServiceUnavailable, StepError, Unexpected
from tests.fakes.hooks import Hook, Refusal, receiving
from tests.fakes.raw_site import PUBLIC, InventedWeb, site
from tests.fakes.secrets import FakeSecrets

KEY = "k" * 64
BODY = b'{"data":{"task_id":"acme-1"},"type":"ReportCompleted"}'
LONG, SHORT = 20.0, 0.4
"""Seconds: more than any exchange here takes, and less than a silent receiver does."""


def a_secret(letter: bytes = b"s", length: int = 32) -> str:
    return "whsec_" + base64.b64encode(letter * length).decode()


@dataclass(slots=True, kw_only=True)
class Sender:
    """Who posts to a receiver on loopback, and at what time."""

    site: str
    secrets: Any = field(default_factory=lambda: FakeSecrets(a_secret()))
    now: float = 1_800_000_000.0
    path: str = "/hooks/crm"
    body: bytes = BODY

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(name="crm", url=f"http://{self.site}{self.path}", secret="of-the-crm")

    def post(self, seconds: float = LONG) -> str:
        webhooks = StandardWebhooks(
            secrets=self.secrets,
            user_agent="Ratchet/0.1 (+any)",
            loopback_site=self.site,
            now=lambda: self.now,
        )
        return webhooks.post(self.endpoint, self.body, key=KEY, seconds=seconds)

    def fault(self, seconds: float = LONG) -> StepError:
        with pytest.raises(StepError) as raised:
            self.post(seconds)
        return raised.value


@pytest.fixture
def hook() -> Hook:
    return Hook()


@pytest.fixture
def sender(hook: Hook) -> Iterator[Sender]:
    with receiving(hook) as address:
        yield Sender(site=address)


@pytest.mark.promise("R11", "R27")
def test_a_receiver_can_verify_what_it_gets(sender: Sender, hook: Hook) -> None:
    sender.now = time.time()

    assert sender.post() == "HTTP 204"

    (request,) = hook.requests
    told = Webhook(a_secret()).verify(request.body, request.headers)
    assert told == json.loads(BODY)
    assert (request.path, request.headers["webhook-id"]) == ("/hooks/crm", KEY)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("Ratchet/")


def signature(hook: Hook, number: int = 0) -> tuple[str, str, bytes, str]:
    request = hook.requests[number]
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    id_, at, signed = (request.headers[name] for name in names)
    return id_, at, request.body, signed


def expected(secret: str, id_: str, at: str, body: bytes) -> str:
    return Webhook(secret).sign(id_, datetime.fromtimestamp(int(at), UTC), body)


@pytest.mark.parametrize("change", ["body", "spaces", "time", "id", "secret"])
def test_whatever_is_changed_of_it_the_signature_is_another(
    sender: Sender, hook: Hook, change: str
) -> None:
    """Case F06: the signature covers the very bytes, the time and the id."""
    sender.post()
    id_, at, body, signed = signature(hook)
    assert expected(a_secret(), id_, at, body) == signed

    told = {
        "body": (a_secret(), id_, at, body.replace(b"acme-1", b"acme-2")),
        "spaces": (a_secret(), id_, at, json.dumps(json.loads(body)).encode()),
        "time": (a_secret(), id_, str(int(at) + 1), body),
        "id": (a_secret(), "j" * 64, at, body),
        "secret": (a_secret(b"t"), id_, at, body),
    }
    assert expected(*told[change]) != signed


def test_what_was_captured_cannot_be_sent_again_later(sender: Sender, hook: Hook) -> None:
    """Case F06: it was signed long ago."""
    sender.post()

    with pytest.raises(WebhookVerificationError, match="timestamp too"):
        Webhook(a_secret()).verify(hook.requests[0].body, hook.requests[0].headers)


@pytest.mark.promise("R16")
def test_each_attempt_is_signed_as_of_its_own_time_under_the_same_id(
    sender: Sender, hook: Hook
) -> None:
    """Case F05: five attempts, minutes apart."""
    hook.refusals = [Refusal(status=503) for _ in range(4)]
    for _ in range(4):
        assert isinstance(sender.fault(), ServiceUnavailable)
        sender.now += 90
    sender.post()

    told = [signature(hook, number) for number in range(5)]
    assert {id_ for id_, _, _, _ in told} == {KEY}
    assert {body for _, _, body, _ in told} == {BODY}
    assert [int(at) - int(told[0][1]) for _, at, _, _ in told] == [0, 90, 180, 270, 360]
    assert all(signed == expected(a_secret(), id_, at, body) for id_, at, body, signed in told)


def test_while_a_secret_is_changed_both_are_signed_with(sender: Sender, hook: Hook) -> None:
    new, old = a_secret(b"n"), a_secret(b"o")
    sender.secrets = FakeSecrets(f"{new} {old}")

    sender.post()

    id_, at, body, signed = signature(hook)
    assert signed.split(" ") == [expected(each, id_, at, body) for each in (new, old)]


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "no base64!", a_secret(length=SHORTEST - 1), "whsec_ü"]
)
@pytest.mark.promise("R33")
def test_a_secret_that_is_none_is_waited_for_and_never_told(
    sender: Sender, hook: Hook, secret: str
) -> None:
    sender.secrets = FakeSecrets(secret)

    fault = sender.fault()

    assert isinstance(fault, ServiceUnavailable)
    assert fault.code == "SECRET_INVALID"
    assert "of-the-crm" in str(fault)
    assert secret in {"", "whsec_"} or secret not in str(fault)
    assert not hook.requests


class NoSecrets:
    def get(self, name: str) -> str:
        raise Unexpected(f"Secrets Manager refused reading the secret {name}")


def test_a_secret_that_is_not_there_yet_is_waited_for(sender: Sender, hook: Hook) -> None:
    sender.secrets = NoSecrets()

    assert isinstance(sender.fault(), ServiceUnavailable)
    assert not hook.requests


@pytest.mark.promise("R21", "R23")
@pytest.mark.parametrize(
    "status", [301, 302, 307, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503]
)
def test_what_a_receiver_does_not_take_is_told_again(
    sender: Sender, hook: Hook, status: int
) -> None:
    hook.refusals = [Refusal(status=status, headers={"Location": "http://127.0.0.1:1/"})]

    fault = sender.fault()

    assert isinstance(fault, ServiceUnavailable)
    assert (fault.code, fault.dependency) == (f"HTTP_{status}", "crm")
    assert len(hook.requests) == 1, "a redirect is not followed"


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_success_is_one(sender: Sender, hook: Hook, status: int) -> None:
    hook.refusals = [Refusal(status=status)]

    assert sender.post() == f"HTTP {status}"


@pytest.mark.promise("R21")
def test_who_is_gone_is_told_nothing_any_more(sender: Sender, hook: Hook) -> None:
    hook.refusals = [Refusal(status=410)]

    fault = sender.fault()
    assert isinstance(fault, NotTaken)
    assert fault.code == "HTTP_410"


def test_who_is_busy_says_for_how_long(sender: Sender, hook: Hook) -> None:
    hook.refusals = [Refusal(status=429, headers={"Retry-After": "77"})]

    fault = sender.fault()
    assert isinstance(fault, ServiceUnavailable)
    assert fault.wait_seconds == 77


@pytest.mark.promise("R18", "R20")
@pytest.mark.parametrize(
    ("says", "code"),
    [
        (lambda _: [LONG], "DEADLINE"),
        (lambda _: [b"HTTP/1.1 2"], "CONNECT_FAILED"),
        (lambda _: [b"SSH-2.0-OpenSSH_9\r\n\r\n"], "CONNECT_FAILED"),
        (lambda _: [], "CONNECT_FAILED"),
    ],
)
def test_whoever_gives_no_answer_may_have_taken_it_and_is_told_again(
    says: Callable[[str], list[Any]], code: str
) -> None:
    """Case F04: the same id tells the receiver that it is a repeat."""
    with site(says) as server:
        fault = Sender(site=f"127.0.0.1:{server.port}", body=b"").fault(SHORT)

    assert isinstance(fault, ServiceUnavailable)
    assert fault.code == code


def test_of_an_answer_no_more_is_read_than_its_head() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
    with site(lambda _: [head, LONG]) as server:
        assert Sender(site=f"127.0.0.1:{server.port}", body=b"").post() == "HTTP 200"


def test_nobody_answers_there() -> None:
    with receiving(Hook()) as address:
        gone = address

    assert Sender(site=gone).fault().code == "CONNECT_FAILED"


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://127.0.0.1/",
        "https://10.0.0.7/hook",
        "https://[::1]/",
        "https://2130706433/",
        "https://localhost/",
        "http://127.0.0.1:8098/not-the-site",
        "ftp://public.test/",
        "https://user:word@public.test/",
    ],
)
def test_nothing_is_posted_to_what_is_not_public(url: str) -> None:
    web = InventedWeb({"public.test": [PUBLIC]}, {})

    fault = _posted(web, url)

    assert isinstance(fault, NotTaken)
    assert fault.code
    assert web.connected == []
    assert "word" not in str(fault)


def test_nothing_is_posted_in_plain_http() -> None:
    web = InventedWeb({"public.test": [PUBLIC]}, {})

    fault = _posted(web, "http://public.test/hook")

    assert isinstance(fault, NotTaken)
    assert (fault.code, web.connected) == ("INSECURE_URL", [])


@pytest.mark.parametrize("addresses", [["10.0.0.7"], [PUBLIC, "169.254.169.254"]])
def test_a_name_that_leads_inside_is_not_posted_to(addresses: list[str]) -> None:
    web = InventedWeb({"inside.test": addresses}, {})

    fault = _posted(web, "https://inside.test/hook")

    assert isinstance(fault, NotTaken)
    assert (fault.code, web.connected) == ("BLOCKED_ADDRESS", [])


def test_a_name_that_nobody_knows_may_be_known_later() -> None:
    fault = _posted(InventedWeb({}, {}), "https://unknown.test/hook")

    assert isinstance(fault, ServiceUnavailable)
    assert fault.code == "DNS_FAILED"


def test_a_certificate_that_nobody_can_trust_may_be_mended(secured: ssl.SSLContext) -> None:
    with site(b"HTTP/1.1 204 No Content\r\n\r\n", secured) as server:
        web = InventedWeb({"public.test": [PUBLIC]}, {PUBLIC: server.port})
        fault = _posted(web, "https://public.test/hook")

    assert isinstance(fault, ServiceUnavailable)
    assert fault.code == "BAD_CERTIFICATE"


def test_a_receiver_with_tls_is_posted_to(secured: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    with site(b"HTTP/1.1 204 No Content\r\n\r\n", secured) as server:
        web = InventedWeb({"public.test": [PUBLIC]}, {PUBLIC: server.port})
        told = _webhooks(web, trust).post(_public(), b"", key=KEY, seconds=LONG)

    assert told == "HTTP 204"
    assert web.connected == [f"{PUBLIC}:443"]


@pytest.mark.promise("R33")
def test_neither_address_nor_secret_nor_body_are_logged_or_told(
    sender: Sender, hook: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sender.path = "/hooks/key-in-the-path"
    hook.refusals = [Refusal(status=500)]

    said = f"{sender.fault()}{caplog.text}"

    assert "key-in-the-path" not in said
    assert a_secret() not in said
    assert "acme-1" not in said


def _public(url: str = "https://public.test/hook") -> Endpoint:
    return replace(Sender(site="any").endpoint, url=url)


def _webhooks(web: InventedWeb, trust: ssl.SSLContext | None = None) -> StandardWebhooks:
    return StandardWebhooks(
        secrets=FakeSecrets(a_secret()),
        user_agent="any",
        loopback_site="127.0.0.1:8099",
        resolve=web.resolve,
        connect=web.connect,
        trust=trust,
    )


def _posted(web: InventedWeb, url: str) -> StepError:
    with pytest.raises(StepError) as raised:
        _webhooks(web).post(_public(url), BODY, key=KEY, seconds=LONG)
    return raised.value
