"""What the agent needs of the web: pages, manners, and what is read in them."""

from __future__ import annotations

from typing import Protocol

from lambdas.agent.findings import Text
from lambdas.agent.listing import Listing
from lambdas.agent.pages import Page, Unchanged, Validators, Visit


class Fetcher(Protocol):
    """Gets one source over the network, through the guard."""

    def get(self, url: str, *, seconds: float, known: Validators | None = None) -> Page | Unchanged:
        """The page, within this many seconds of wall-clock time for the whole exchange.

        Unchanged only where it was `known`: then the source is asked whether it is as it was.
        SourceUnavailable (retry) for no answer, 429 and 5xx, with the source's own hint when to
        ask again; SourceRefused (final) for 4xx, too much of anything, and for what the guard
        does not let through.
        """


class Rules(Protocol):
    """What one site's robots.txt asks of us."""

    def allows(self, url: str) -> bool: ...

    @property
    def crawl_delay(self) -> float:
        """Seconds between two requests; 0 where it names none."""


class Robots(Protocol):
    """Reads robots.txt as RFC 9309 has it, for our own product token."""

    def rules(self, body: bytes) -> Rules:
        """Never fails: lines that say nothing sensible say nothing."""


class Turns(Protocol):
    """Politeness among all workers: each host is asked in turns."""

    def next(self, host: str, *, every: float) -> float:
        """When it is our turn, in epoch seconds; it is ours alone, `every` seconds from the others,
        or as many as the deployment leaves between any two.

        A turn that is not used is lost, and harms nobody. Where both are 0 everybody's is now, and
        nothing is asked. However far off it is, it is ours: whether to wait is the caller's affair.
        """


class Visits(Protocol):
    """What was found at an address before, by whoever came. `scope` is an agent's or a task's id.

    A visit's `final_url` and validators come back as they were kept, or empty where they were too
    long, or where the address has a query that may be somebody's secret.
    """

    def last(self, scope: str, url: str) -> Visit | None:
        """Read strongly consistently; None where nobody came, or its retention is over."""

    def remember(self, scope: str, visit: Visit) -> Visit:
        """Keep the visit, unless a later one is kept, and return what is kept then."""

    def first(self, scope: str, sha256: str, item: str) -> str:
        """The item that came first with these bytes: this one, or one that was there before."""


class Reader(Protocol):
    """Finds the readable text in a page."""

    def read(self, page: Page) -> Text:
        """Title and main text as Markdown with its blocks; SourceUnreadable where there is none."""


class Listings(Protocol):
    """Finds what a feed or a sitemap names."""

    def listing(self, page: Page) -> Listing:
        """Its pages under absolute addresses, in its own order, and further lists where it names
        any; SourceUnreadable where the page is no such list.

        Entries that can be read are read, the others counted. Nothing is fetched or expanded.
        """
