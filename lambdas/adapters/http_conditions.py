"""Conditional requests: a server is told what it said of a page, and may say that it still holds.

What it said belongs to one address. It is told to no other hop of a redirect: there the same ETag
could name another page, the same date would be true of any older one, and an ETag that was made
for one reader would tell a stranger who comes.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

from lambdas.adapters.http_head import BadAnswer, Head
from lambdas.agent.pages import Unchanged, Validators

LONGEST_ETAG = 512

_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_DATE = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", re.ASCII)


def condition(known: Validators) -> list[tuple[str, str]]:
    """The fields that ask whether this still holds; none where there is nothing to ask with."""
    etag, date = _etag(known.etag), _date(known.last_modified)
    fields = [("If-None-Match", etag), ("If-Modified-Since", date)]
    return [(name, value) for name, value in fields if value]


def validators_of(head: Head, url: str, now: float) -> Validators:
    """What can be sent back as it is. A date to come would be newer than every change: it is
    left out, for with it a page would never change again.
    """
    etag, date = _etag(head.get("ETag")), _date(head.get("Last-Modified"))
    if date and parsedate_to_datetime(date).timestamp() > now:
        date = ""
    return Validators(etag=etag, last_modified=date, url=url if etag or date else "")


def unchanged(head: Head, known: Validators, url: str, now: float) -> Unchanged:
    """The page is as it was, by the word of a server that was asked so: otherwise BadAnswer."""
    if not condition(known):
        raise BadAnswer
    told = validators_of(head, url, now)
    kept = Validators(
        etag=told.etag or known.etag,
        last_modified=told.last_modified or known.last_modified,
        url=url,
    )
    return Unchanged(url=url, validators=kept)


def _etag(told: str) -> str:
    """In its quotes; "*" without them would be true of every page."""
    return told if len(told) <= LONGEST_ETAG and _ETAG.fullmatch(told) else ""


def _date(told: str) -> str:
    if not _DATE.fullmatch(told):
        return ""
    try:
        parsedate_to_datetime(told)
    except ValueError:
        return ""
    return told
