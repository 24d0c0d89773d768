"""The fetcher over HTTP: hop for hop, through the guard, within one deadline for all of them."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lambdas.adapters.http_body import body_of
from lambdas.adapters.http_conditions import condition, unchanged, validators_of
from lambdas.adapters.http_connecting import Connections
from lambdas.adapters.http_cookies import Cookies
from lambdas.adapters.http_encodings import offered
from lambdas.adapters.http_faults import faults_told, status_fault
from lambdas.adapters.http_framing import Response
from lambdas.adapters.http_head import BadAnswer
from lambdas.adapters.http_redirects import REDIRECTS, Trail, astray, location_of, refresh_of
from lambdas.adapters.http_wire import Connect, Deadline, Resolve, addresses_of, ask, connect_to
from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import Target, check_url
from lambdas.agent.pages import Page, Unchanged, Validators

ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,*/*;q=0.1"
PARTIAL = 206
NOT_MODIFIED = 304
_WITHOUT_PAGE = frozenset({204, 205})
_NO_ADDRESS = frozenset({"INVALID_URL", "UNSUPPORTED_SCHEME"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    most_bytes: int = 10_000_000
    redirects: int = 10
    """As many as search engines follow: to https, to www, to a gate and back with a cookie."""
    connect_seconds: float = 5
    """For one of a host's addresses, so that a dead one leaves time for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trip:
    """What one fetch carries from hop to hop."""

    deadline: Deadline
    cookies: Cookies
    known: Validators

    def known_of(self, target: Target) -> Validators:
        return self.known if self.known.url == target.url else Validators()


class HttpFetcher:
    """Proxies of the environment are not obeyed; cookies are kept within one fetch.

    `clock` measures the deadline, `now` is in epoch seconds, for dates that servers send.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        loopback_site: str = "",
        resolve: Resolve = addresses_of,
        connect: Connect = connect_to,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        limits: Limits | None = None,
        trust: ssl.SSLContext | None = None,
        encodings: Sequence[str] | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._loopback_site = loopback_site
        self._clock = clock
        self._now = now
        self._limits = limits or Limits()
        self._encodings = encodings or offered()
        patience = self._limits.connect_seconds
        self._connections = Connections(
            resolve=resolve, connect=connect, patience=patience, trust=trust
        )

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        target = self._checked(url)
        known = known or Validators()
        trip = _Trip(
            deadline=Deadline(seconds, self._clock),
            cookies=Cookies(self._now),
            known=known if known.url else replace(known, url=target.url),
        )
        trail = Trail(self._limits.redirects)
        while True:
            trail.step(target, trip.cookies.header(target))
            with faults_told(target.host, seconds):
                answer = self._exchange(target, trip)
            if not isinstance(answer, Target):
                return answer
            target = answer

    def _checked(self, url: str) -> Target:
        return check_url(url, loopback_site=self._loopback_site)

    def _exchange(self, target: Target, trip: _Trip) -> Page | Unchanged | Target:
        """The page, the word that it is as it was, or the place it has moved to."""
        with self._connections.to(target, trip.deadline) as sock:
            response = ask(sock, target, self._fields(target, trip), trip.deadline)
            trip.cookies.take(target, response.head)
            return self._answer(target, trip, response)

    def _fields(self, target: Target, trip: _Trip) -> Iterator[tuple[str, str]]:
        yield "User-Agent", self._user_agent
        yield "Accept", ACCEPT
        yield "Accept-Encoding", ", ".join(self._encodings)
        if cookies := trip.cookies.header(target):
            yield "Cookie", cookies
        yield from condition(trip.known_of(target))

    def _answer(self, target: Target, trip: _Trip, response: Response) -> Page | Unchanged | Target:
        head = response.head
        if head.status in REDIRECTS:
            return self._next(target, location_of(head, target))
        if head.status == NOT_MODIFIED:
            return unchanged(head, trip.known_of(target), target.url, self._now())
        if head.status == PARTIAL:  # nobody asked for a part
            raise BadAnswer
        if not 200 <= head.status < 300 or head.status in _WITHOUT_PAGE:
            raise status_fault(head, target.host, self._now())
        page = self._page(target, response)
        return self._sent_on(target, page) or page

    def _page(self, target: Target, response: Response) -> Page:
        most = self._limits.most_bytes
        return Page(
            url=target.url,
            status=response.head.status,
            content_type=response.head.get("Content-Type"),
            body=body_of(response, target.host, most=most, offered=self._encodings),
            validators=validators_of(response.head, target.url, self._now()),
        )

    def _next(self, target: Target, location: str) -> Target:
        found = self._checked(location)
        if target.scheme == "https" and found.scheme == "http":
            raise astray(target, "INSECURE_REDIRECT", "leads from https to plain http")
        return found

    def _sent_on(self, target: Target, page: Page) -> Target | None:
        """Where a page sends its reader by itself. A browser stays where that is no web address."""
        location = refresh_of(page)
        if not location:
            return None
        try:
            found = self._next(target, location)
        except SourceRefused as refused:
            if refused.code in _NO_ADDRESS:
                return None
            raise
        return None if found.url == target.url else found
