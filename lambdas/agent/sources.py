"""Addresses of sources: what is wrong with one, and when two are the same."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from lambdas.agent.errors import SourceRefused
from lambdas.agent.guard import DEFAULT_PORTS, check_url
from lambdas.agent.identity import source_id
from lambdas.agent.model import Source

LONGEST = 1500
"""Characters; an address travels through the state machine, whose states stay small."""

_MISTYPED = {"INVALID_URL", "UNSUPPORTED_SCHEME"}


def fault_of(url: str) -> str:
    """Why nobody could read this; empty where somebody might.

    What the guard will not read from here is no mistake in the request: that source is set aside.
    """
    if len(url) > LONGEST:
        return f"The source's URL has {len(url)} characters and may have {LONGEST}."
    try:
        check_url(url)
    except SourceRefused as refused:
        return str(refused) if refused.code in _MISTYPED else ""
    return ""


def without_doubles(urls: Iterable[str]) -> tuple[Source, ...]:
    """One source for each address, in order; the address that is fetched is the one given."""
    sources: dict[str, Source] = {}
    for url in urls:
        item = source_id(same_page(url))
        sources.setdefault(item, Source(item=item, url=url))
    return tuple(sources.values())


def same_page(url: str) -> str:
    """Equal for addresses that differ only in fragment, default port or the host's case."""
    parts = urlsplit(url)
    return parts._replace(netloc=_authority(parts), path=parts.path or "/", fragment="").geturl()


def _authority(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"
