"""Cookies of one fetch: some pages come only to readers who bring back what they were given.

Each goes to the very host that set it, whatever domain it names, and is forgotten with the fetch.
Nothing here has a representation that shows one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lambdas.adapters.http_head import Head
from lambdas.adapters.retry_after import seconds_of
from lambdas.agent.guard import Target

MOST = 30
LONGEST = 4096
LONGEST_HEADER = 8192

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
_AGE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cookie:
    host: str
    path: str
    name: str
    value: str = field(repr=False)
    is_secure: bool

    @property
    def key(self) -> tuple[str, str, str]:
        return self.host, self.path, self.name

    def goes_to(self, target: Target) -> bool:
        path = _path(target)
        below = path.startswith(self.path) and (
            self.path.endswith("/") or path[len(self.path) :][:1] in {"", "/"}
        )
        return self.host == target.host and below and (not self.is_secure or _is_safe(target))


class Cookies:
    """`now` is in epoch seconds: a cookie whose date is past is taken away by it."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: dict[tuple[str, str, str], _Cookie] = {}

    def take(self, target: Target, head: Head) -> None:
        """What this answer sets, changes and takes away."""
        for text in head.all("Set-Cookie"):
            pair, *rest = text.split(";")
            told = {name.strip().lower(): value.strip() for name, _, value in _parted(rest)}
            cookie = _cookie(pair, told, target)
            if cookie is None:
                continue
            if _is_over(told, self._now()):
                self._kept.pop(cookie.key, None)
            elif cookie.key in self._kept or len(self._kept) < MOST:
                self._kept[cookie.key] = cookie

    def header(self, target: Target) -> str:
        """What is brought back there; empty where it is nothing."""
        pairs: list[str] = []
        fitting = (each for each in self._kept.values() if each.goes_to(target))
        for cookie in sorted(fitting, key=lambda each: -len(each.path)):
            pairs.append(f"{cookie.name}={cookie.value}")
            if len("; ".join(pairs)) > LONGEST_HEADER:
                pairs.pop()
        return "; ".join(pairs)


def _parted(attributes: list[str]) -> list[tuple[str, str, str]]:
    return [each.partition("=") for each in attributes]


def _cookie(pair: str, told: dict[str, str], target: Target) -> _Cookie | None:
    """None for what is no cookie, or is not this answer's to set."""
    name, equals, value = (part.strip(" \t") for part in pair.partition("="))
    is_secure = "secure" in told
    must_be_secure = name.lower().startswith(("__secure-", "__host-"))
    if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return None
    if len(pair) > LONGEST or (is_secure and not _is_safe(target)):
        return None
    if must_be_secure and not is_secure:
        return None
    path = told.get("path", "")
    path = path if path.startswith("/") else _path(target).rpartition("/")[0] or "/"
    return _Cookie(host=target.host, path=path, name=name, value=value, is_secure=is_secure)


def _is_over(told: dict[str, str], now: float) -> bool:
    """An age counts more than a date; neither matters otherwise, for no fetch lasts that long."""
    if _AGE.fullmatch(told.get("max-age", "")):
        return told["max-age"].startswith("-") or not told["max-age"].strip("0")
    return seconds_of(told.get("expires", ""), now) == 0


def _path(target: Target) -> str:
    return target.path.partition("?")[0]


def _is_safe(target: Target) -> bool:
    return target.scheme == "https"
