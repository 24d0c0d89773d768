"""What a source answered, and what is kept of it for the next time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server said of a page by which it knows it again; both empty where it said nothing.

    url   the address that said so, which no other address is told; empty for the one that is asked
    """

    etag: str = ""
    last_modified: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a source answered. `status` is HTTP's; `url` is where the redirects ended."""

    url: str
    status: int
    content_type: str
    body: bytes = field(repr=False)
    validators: Validators = field(default_factory=Validators)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A source's word that a page is as it was (304), with new validators or those it knew."""

    url: str
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What was found at an address, and where it is kept. `fetched_at` is in epoch seconds.

    ref      the page's artifact; empty where the address has nothing, as a missing robots.txt
    before   the hash that the task before this one saw there; empty at the first visit
    """

    url: str
    task_id: str
    fetched_at: float
    ref: str = ""
    final_url: str = ""
    content_type: str = ""
    sha256: str = ""
    before: str = ""
    validators: Validators = field(default_factory=Validators)
