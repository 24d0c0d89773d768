"""Webhooks as Standard Webhooks has them: what FETCH may not read is not posted to either.

What counts is the status of the answer, so nothing else of it is read. No redirect is followed: who
is behind it was told by nobody. But for 410 every refusal may pass: receivers say 401 and 404 also
while they are being set up.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lambdas.adapters.http_connecting import Connections
from lambdas.adapters.http_head import BadAnswer, Head
from lambdas.adapters.http_wire import (
    Connect,
    Deadline,
    Resolve,
    addresses_of,
    connect_to,
    exchange,
    request_head,
)
from lambdas.adapters.retry_after import seconds_of
from lambdas.adapters.webhook_signing import NoSecret, signed
from lambdas.agent.endpoints import Endpoint
from lambdas.agent.errors import NotTaken, RunFailed, ServiceUnavailable, SourceRefused
from lambdas.agent.guard import Target, check_url
from lambdas.agent.intents import Ability
from lambdas.agent.model_ports import Secrets

CONNECT_SECONDS = 5.0
GONE = 410


class StandardWebhooks:
    """`loopback_site` is the sandbox's, the one receiver that is spoken to without TLS.

    `clock` measures the deadline, `now` is in epoch seconds, for signatures.
    """

    ability = Ability.AT_LEAST_ONCE

    def __init__(
        self,
        *,
        secrets: Secrets,
        user_agent: str,
        loopback_site: str = "",
        resolve: Resolve = addresses_of,
        connect: Connect = connect_to,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._secrets = secrets
        self._user_agent = user_agent
        self._loopback_site = loopback_site
        self._clock = clock
        self._now = now
        self._connections = Connections(
            resolve=resolve, connect=connect, patience=CONNECT_SECONDS, trust=trust
        )

    def post(self, to: Endpoint, body: bytes, *, key: str, seconds: float) -> str:
        headers = self._signed(to, body, key)
        with _faults_told(to, seconds):
            target = self._target(to)
            deadline = Deadline(seconds, self._clock)
            with self._connections.to(target, deadline) as sock:
                head = exchange(sock, self._request(target, headers, body), deadline).head
        return self._receipt(to, head)

    def _signed(self, to: Endpoint, body: bytes, key: str) -> dict[str, str]:
        try:
            return signed(body, self._secrets.get(to.secret), id_=key, at=self._now())
        except NoSecret as fault:
            raise _no_secret(
                to, f"{fault}: store `whsec_` and Base64 of 24 bytes or more"
            ) from None
        except RunFailed as fault:
            raise _no_secret(to, f"cannot be read ({fault})") from fault

    def _target(self, to: Endpoint) -> Target:
        target = check_url(to.url, loopback_site=self._loopback_site)
        is_ours = target.authority == self._loopback_site
        if target.scheme != "https" and not is_ours:
            raise SourceRefused("", code="INSECURE_URL")
        return target

    def _request(self, target: Target, headers: dict[str, str], body: bytes) -> bytes:
        fields = {
            "User-Agent": self._user_agent,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **headers,
        }
        head = request_head("POST", target.path, target.authority, fields.items())
        return head.encode("ascii") + body

    def _receipt(self, to: Endpoint, head: Head) -> str:
        status = head.status
        if 200 <= status < 300:
            return f"HTTP {status}"
        if status == GONE:
            raise _not_taken(to, f"HTTP_{GONE}", "wants to be told nothing any more")
        hint = seconds_of(head.get("Retry-After"), self._now())
        moved = ", which is not followed: set its `url` to where it is" if status < 400 else ""
        raise _later(to, f"HTTP_{status}", f"answered {status}{moved}", hint=hint)


@contextmanager
def _faults_told(to: Endpoint, seconds: float) -> Iterator[None]:
    try:
        yield
    except SourceRefused as refused:
        why = "has an address that nothing is sent to: name one that is public, with https://"
        raise _not_taken(to, refused.code, why) from None
    except TimeoutError:
        raise _later(to, "DEADLINE", f"did not answer within {seconds:g} s") from None
    except socket.gaierror:
        raise _later(to, "DNS_FAILED", "has a name that could not be resolved") from None
    except ssl.SSLCertVerificationError:
        raise _later(to, "BAD_CERTIFICATE", "shows a certificate that nobody can trust") from None
    except (OSError, BadAnswer):
        raise _later(to, "CONNECT_FAILED", "took no connection, or broke it") from None


def _later(to: Endpoint, code: str, what: str, *, hint: float | None = None) -> ServiceUnavailable:
    return ServiceUnavailable(
        f"The webhook {to.name} {what}: it is told again",
        code=code,
        dependency=to.name,
        wait_seconds=hint,
    )


def _no_secret(to: Endpoint, what: str) -> ServiceUnavailable:
    """Who forgot to store it has a day to do it."""
    return ServiceUnavailable(
        f"The secret {to.secret} of the webhook {to.name} {what}. It is read anew each time",
        code="SECRET_INVALID",
        dependency="Secrets Manager",
    )


def _not_taken(to: Endpoint, code: str, what: str) -> NotTaken:
    return NotTaken(f"The webhook {to.name} {what}", code=code, dependency=to.name)
