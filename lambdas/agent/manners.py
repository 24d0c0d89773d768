"""What a site asks of robots, learnt before anything else is asked of it, and our turn at it.

A robots.txt is read once a run: what it said lies in an artifact, and where that is in a visit of
the task's.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from lambdas.agent.errors import SourceRefused, SourceUnavailable
from lambdas.agent.guard import DEFAULT_PORTS
from lambdas.agent.pages import Page, Visit
from lambdas.agent.ports import Ports
from lambdas.agent.web_ports import Rules

PRODUCT_TOKEN = "Ratchet"  # noqa: S105  # the name under which robots.txt speaks of us
KIND = "robots"
"""Of the artifacts."""
FRESH_SECONDS = 24 * 3600
"""RFC 9309: what a site said longer ago is asked anew, as in a run that is resumed days later."""
LOST_SECONDS = 30.0
"""A turn that nobody used for so long is lost: others have theirs by now."""

_SAYS_NOTHING = frozenset(
    {
        "BAD_REDIRECT",
        "INSECURE_REDIRECT",
        "REDIRECT_LOOP",
        "TOO_MANY_REDIRECTS",
        # These the page itself will meet too, and say better.
        "BAD_CERTIFICATE",
        "BLOCKED_ADDRESS",
        "BLOCKED_PORT",
        "INVALID_URL",
        "UNSUPPORTED_SCHEME",
    }
)
"""Beside every 4xx: there is no robots.txt behind these, and RFC 9309 lets us read the site."""
_OUT_OF_REACH = frozenset({"CONNECT_FAILED", "DNS_FAILED"})
"""It is the whole site that does not answer, and that is what its reader wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn at a host, in epoch seconds, and the pause that was asked for when it was taken."""

    at: float
    pause: float = 0.0


def turn_to_read(
    ports: Ports, task_id: str, url: str, held: Turn | None, *, seconds: float
) -> Turn:
    """Our turn to read this address. Where it is not yet come, ask again when it is, holding it.

    Of workers that begin at one host together the first has its turn at once and reads the
    rules, in at most so many seconds; the others know them when theirs has come. Rules and page
    are one turn, unless the rules ask for a pause: a turn that was taken before the site's own
    crawl delay was known is given up for one that keeps to it.
    SourceRefused where the site does not want the address read, SourceUnavailable where it cannot
    say so just now: then it is not read (RFC 9309).
    """
    if not robots_url(url):
        return Turn(at=ports.clock.now())
    held, rules = _still(held, ports), known_rules(ports, task_id, url)
    if rules is None:
        first = held or _taken(ports, url, 0.0)
        if first.at > ports.clock.now():
            return first
        held, rules = first, _asked(ports, task_id, robots_url(url), seconds)
    check_allowed(rules, url)
    if held and held.pause >= rules.crawl_delay:
        return held
    return _taken(ports, url, rules.crawl_delay)


def _taken(ports: Ports, url: str, pause: float) -> Turn:
    return Turn(at=ports.turns.next(_host(url), every=pause), pause=pause)


def _still(held: Turn | None, ports: Ports) -> Turn | None:
    return held if held and held.at + LOST_SECONDS > ports.clock.now() else None


def robots_url(url: str) -> str:
    """Where the rules for this address are, one for each scheme, host and port; empty for what is
    no address of the web.
    """
    try:
        parts = urlsplit(url.strip(" "))
    except ValueError:  # what is wrong with it is told where it is fetched
        return ""
    if parts.scheme not in DEFAULT_PORTS or not parts.netloc:
        return ""
    site = parts.netloc.lower().removesuffix(f":{DEFAULT_PORTS[parts.scheme]}")
    return f"{parts.scheme}://{site}/robots.txt"


def known_rules(ports: Ports, task_id: str, url: str) -> Rules | None:
    """The rules as the run has read them; None where nobody has yet, or too long ago."""
    where = robots_url(url)
    if not where:
        return ports.robots.rules(b"")
    visit = ports.visits.last(task_id, where)
    if visit is None or visit.fetched_at + FRESH_SECONDS <= ports.clock.now():
        return None
    return ports.robots.rules(ports.artifacts.get(visit.ref) if visit.ref else b"")


def check_allowed(rules: Rules, url: str) -> None:
    """SourceRefused where the site does not want this address to be read by us."""
    if rules.allows(url):
        return
    host = _host(url)
    raise SourceRefused(
        f"The owner of {host} asks us in its robots.txt not to read this page, so it was not "
        f'asked for. Ask them to allow "{PRODUCT_TOKEN}" there, or name another source.',
        code="ROBOTS_DISALLOWED",
        dependency=host,
    )


def _asked(ports: Ports, task_id: str, where: str, seconds: float) -> Rules:
    body = _body(ports, where, seconds)
    ref = ports.artifacts.put(task_id, KIND, body) if body else ""
    now = ports.clock.now()
    ports.visits.remember(task_id, Visit(url=where, task_id=task_id, fetched_at=now, ref=ref))
    return ports.robots.rules(body)


def _body(ports: Ports, where: str, seconds: float) -> bytes:
    try:
        answer = ports.fetcher.get(where, seconds=seconds)
    except SourceUnavailable as error:
        raise _unavailable(where, error) from None
    except SourceRefused as refused:
        if refused.code.startswith("HTTP_") or refused.code in _SAYS_NOTHING:
            return b""
        raise _unreadable(where, refused) from None
    return answer.body if isinstance(answer, Page) else b""


def _unavailable(where: str, error: SourceUnavailable) -> SourceUnavailable:
    if error.code in _OUT_OF_REACH:
        return error
    return SourceUnavailable(
        f"{where} could not be read ({error.code}), so nobody knows what the site's owner allows "
        "and nothing else was asked of it. It is tried again; if that does not help, see whether "
        "that address loads in a browser.",
        code="ROBOTS_UNAVAILABLE",
        dependency=error.dependency or _host(where),
        wait_seconds=error.wait_seconds,
    )


def _unreadable(where: str, refused: SourceRefused) -> SourceRefused:
    return SourceRefused(
        f"{where} says something that cannot be read ({refused.code}), so nobody knows what the "
        "site's owner allows and nothing else was asked of it. Tell them, or name another source.",
        code="ROBOTS_UNREADABLE",
        dependency=refused.dependency or _host(where),
    )


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
