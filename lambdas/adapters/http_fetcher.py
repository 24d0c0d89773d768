"""The fetcher over HTTP: each hop is resolved once, judged, and connected to what was judged."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException, HTTPResponse
from urllib.parse import urljoin

from lambdas.adapters.http_body import body_of
from lambdas.adapters.http_wire import (
    Connect,
    Deadline,
    Resolve,
    addresses_of,
    ask,
    connect_to,
    resolve_within,
)
from lambdas.agent.errors import SourceRefused, SourceUnavailable, StepError
from lambdas.agent.guard import Target, check_addresses, check_url
from lambdas.agent.model import Page

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PASSING = frozenset({408, 425, 429})
"""Refusals that may be over when the source is asked again; so may every 5xx."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    most_bytes: int = 10_000_000
    redirects: int = 5
    connect_seconds: float = 5
    """For one of a host's addresses, so that a dead one leaves time for the next."""


class HttpFetcher:
    """Proxies of the environment are not obeyed and cookies are not kept."""

    def __init__(
        self,
        *,
        user_agent: str,
        loopback_site: str = "",
        resolve: Resolve = addresses_of,
        connect: Connect = connect_to,
        clock: Callable[[], float] = time.monotonic,
        limits: Limits | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._loopback_site = loopback_site
        self._resolve = resolve
        self._connect = connect
        self._clock = clock
        self._limits = limits or Limits()
        self._given_trust = trust

    def get(self, url: str, *, seconds: float) -> Page:
        deadline = Deadline(seconds, self._clock)
        target = self._checked(url)
        seen = {target.url}
        for _ in range(self._limits.redirects + 1):
            with _faults_told(target.host, seconds):
                answer = self._exchange(target, deadline)
            if isinstance(answer, Page):
                return answer
            target = self._next(target, answer)
            if target.url in seen:
                raise _refused(target, "REDIRECT_LOOP", "sends its readers in a circle")
            seen.add(target.url)
        most = self._limits.redirects
        raise _refused(target, "TOO_MANY_REDIRECTS", f"lies behind more than {most} redirects")

    def _checked(self, url: str) -> Target:
        return check_url(url, loopback_site=self._loopback_site)

    def _exchange(self, target: Target, deadline: Deadline) -> Page | str:
        """The page, or the place it says it has moved to."""
        with (
            self._connected(target, deadline) as sock,
            ask(sock, target, self._user_agent, deadline) as response,
        ):
            if response.status in REDIRECTS:
                return _location(response, target)
            if not 200 <= response.status < 300:
                raise _status(response.status, target.host)
            return Page(
                url=target.url,
                status=response.status,
                content_type=response.getheader("Content-Type") or "",
                body=body_of(response, target.host, most=self._limits.most_bytes),
            )

    def _connected(self, target: Target, deadline: Deadline) -> socket.socket:
        sock = self._first_of(self._addresses(target, deadline), target.port, deadline)
        if target.scheme == "http":
            return sock
        try:
            sock.settimeout(deadline.left())
            return self._trust.wrap_socket(sock, server_hostname=target.host)
        except BaseException:
            sock.close()
            raise

    def _addresses(self, target: Target, deadline: Deadline) -> Sequence[str]:
        if target.is_address:  # the guard has judged it with the URL
            return [target.host]
        addresses = resolve_within(target.host, self._resolve, deadline)
        if not addresses:
            raise socket.gaierror
        check_addresses(target.host, addresses)
        return addresses

    def _first_of(self, addresses: Sequence[str], port: int, deadline: Deadline) -> socket.socket:
        """A connection to the first address that takes one."""
        *others, last = addresses
        for address in others:
            try:
                return self._connect(address, port, self._patience(deadline))
            except OSError:
                continue
        try:
            return self._connect(last, port, self._patience(deadline))
        except TimeoutError as error:
            deadline.left()  # raises where it was the deadline that ended the wait
            raise ConnectionError from error

    def _patience(self, deadline: Deadline) -> float:
        return min(deadline.left(), self._limits.connect_seconds)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """Built at the first https address: loading the certificates takes a while."""
        return self._given_trust or ssl.create_default_context()

    def _next(self, target: Target, location: str) -> Target:
        try:
            found = self._checked(urljoin(target.url, location))
        except ValueError:
            raise _refused(target, "BAD_REDIRECT", "has moved to no possible address") from None
        if target.scheme == "https" and found.scheme == "http":
            raise _refused(target, "INSECURE_REDIRECT", "leads from https to plain http")
        return found


@contextmanager
def _faults_told(host: str, seconds: float) -> Iterator[None]:
    """Turn what the network does into our errors, each with a sentence on what to do."""
    try:
        yield
    except TimeoutError:
        raise _unavailable(
            host, "DEADLINE", f"{host} did not send its whole answer within {seconds:g} s."
        ) from None
    except socket.gaierror:
        raise _unavailable(host, "DNS_FAILED", f"The name {host} could not be resolved.") from None
    except ssl.SSLCertVerificationError:
        raise SourceRefused(
            f"{host} shows a certificate that cannot be trusted, so nothing was read. "
            "Tell its owner, or name another source.",
            code="BAD_CERTIFICATE",
            dependency=host,
        ) from None
    except OSError:
        raise _unavailable(
            host, "CONNECT_FAILED", f"{host} took no connection, or broke it before an answer."
        ) from None
    except HTTPException:
        raise _unavailable(
            host, "BAD_ANSWER", f"{host} sent something that is not an HTTP answer."
        ) from None


def _unavailable(host: str, code: str, what: str) -> SourceUnavailable:
    advice = "It is asked again; if that does not help, see whether the page loads in a browser."
    return SourceUnavailable(f"{what} {advice}", code=code, dependency=host)


def _refused(target: Target, code: str, what: str) -> SourceRefused:
    return SourceRefused(
        f"The page at {target.host} {what}. Name the address at which a browser ends.",
        code=code,
        dependency=target.host,
    )


def _location(response: HTTPResponse, target: Target) -> str:
    """Where a redirect points to. Headers arrive as Latin-1, and browsers read them as UTF-8."""
    raw = (response.getheader("Location") or "").strip()
    if not raw:
        raise _refused(target, "BAD_REDIRECT", "is said to have moved, but not where to")
    try:
        return raw.encode("latin-1").decode()
    except UnicodeDecodeError:
        return raw


def _status(status: int, host: str) -> StepError:
    code = f"HTTP_{status}"
    if status in PASSING or status >= 500:
        return _unavailable(host, code, f"{host} answered {status}: it cannot serve us just now.")
    meaning = _MEANINGS.get(
        status, "it does not give us this page. Open it in a browser to see why"
    )
    return SourceRefused(f"{host} answered {status}: {meaning}.", code=code, dependency=host)


_MEANINGS = {
    401: "the page is only for people who log in. Name a public one",
    403: "it does not let us read this page. Ask its owner, or name another source",
    404: "there is no such page. Mend the address, or remove the source",
    410: "the page is gone for good. Remove the source",
}
