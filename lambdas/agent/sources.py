"""Sources by their addresses: what is wrong with one, and when two are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import SplitResult, urlsplit

from lambdas.agent.canonical_url import canonical_url
from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import DEFAULT_PORTS, check_url
from lambdas.agent.identity import source_id
from lambdas.agent.request import Asked, Source
from lambdas.agent.s3_uri import is_s3, parsed

LONGEST = 1500
"""Characters; an address travels through the state machine, whose states stay small."""
MOST_SOURCES = 10_000
"""Of a run, whether they are named or listed by a feed or a sitemap."""

_MISTYPED = {"INVALID_URL", "UNSUPPORTED_SCHEME"}


def fault_of(url: str) -> str:
    """Why nobody could read this; empty where somebody might.

    What the guard will not read from here is no mistake in the request: that source is set aside.
    """
    if len(url) > LONGEST:
        return f"The source's URL has {len(url)} characters and may have {LONGEST}."
    check = parsed if is_s3(url) else check_url
    try:
        check(url)
    except SourceRefused as refused:
        return str(refused) if refused.code in _MISTYPED else ""
    return ""


def list_fault_of(url: str) -> str:
    """The same for a feed or a sitemap, and for what one lists: it is read over the web alone.

    A stranger's list must not name what only we may read.
    """
    if url.strip(" ").lower().startswith(("http:", "https:")):
        return fault_of(url)
    return "A feed or a sitemap, and what it lists, begins with http:// or https://"


def page(url: str) -> Source:
    return Source(item=source_id(canonical_url(url)), url=url)


def listing(asked: Asked) -> Source:
    """A feed or a sitemap in a place of its own: the same address may be read as a page too."""
    item = source_id(f"{asked.kind} {canonical_url(asked.url)}")
    return Source(item=item, url=asked.url, kind=asked.kind)


def place_of(source: Source) -> str:
    """The same, however often it was tried."""
    return source.item.partition(".")[0]


def without_doubles(sources: Iterable[Source]) -> tuple[Source, ...]:
    """One source for each place, in order: under the address that came first, which is the one
    that is fetched, with the other names it came under.
    """
    first: dict[str, Source] = {}
    names: dict[str, dict[str, None]] = {}
    for source in sources:
        place = place_of(source)
        first.setdefault(place, source)
        names.setdefault(place, {}).update(dict.fromkeys((source.url, *source.also)))
    return tuple(_with_names(first[place], names[place]) for place in first)


def named_once(asked: Iterable[Asked]) -> tuple[Asked, ...]:
    """Without the second name of a page. What a request is known by rests on this, so it tells
    names apart as it always did, and not as `canonical_url` does.
    """
    known: dict[Asked, Asked] = {}
    for each in asked:
        same = each if each.kind.is_list else replace(each, url=_same_page(each.url))
        known.setdefault(same, each)
    return tuple(known.values())


def _with_names(source: Source, names: Iterable[str]) -> Source:
    also = tuple(name for name in names if name != source.url)
    return source if also == source.also else replace(source, also=also)


def _same_page(url: str) -> str:
    """Equal for addresses that differ only in fragment, default port or the host's case."""
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS:
        return url
    return parts._replace(netloc=_authority(parts), path=parts.path or "/", fragment="").geturl()


def _authority(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"
