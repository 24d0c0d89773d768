"""Feeds and sitemaps become pages: which list is asked next, and what has come of them so far.

Pure: whoever asks the lists tells what they said. Every number here is bounded, whatever a
stranger's lists name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, Self
from urllib.parse import quote

from lambdas.agent.canonical_url import canonical_url, path_and_query
from lambdas.agent.identity import canonical, digest
from lambdas.agent.listing import Listed, Listing, newest_first
from lambdas.agent.model import Fault
from lambdas.agent.request import Asked, SourceKind
from lambdas.agent.sources import list_fault_of

LISTS_EACH = 1000
"""Sitemaps of one source that are asked for."""
DEEPEST = 3
"""An index in an index in a source is still looked into."""
SPELT_OUT = 3
"""Lists whose fault is told word for word; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAsk:
    """A list that is still to be asked for: the `of`-th source's, found `depth` lists down.

    It did not answer `tries` times, and is asked again after `wait` seconds.
    """

    of: int
    url: str
    when: float = 0.0
    depth: int = 1
    tries: int = 0
    wait: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What has come of one source so far.

    pages       the newest that match, never more than were asked for
    named       how many pages its lists have named, before any were left out
    lists       how many lists it has, itself included
    unlooked    how many of them were never asked for
    unusable    entries that name no address
    faults      of lists that could not be read, the first few; `failed` counts all
    """

    pages: tuple[Listed, ...] = ()
    named: int = 0
    lists: int = 1
    unlooked: int = 0
    unusable: int = 0
    failed: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """All the lists of a request, and how far they are read. `seen` are the lists known by now."""

    asked: tuple[Asked, ...]
    todo: tuple[ToAsk, ...]
    gathered: tuple[Gathered, ...]
    seen: frozenset[str]

    @classmethod
    def of(cls, asked: Sequence[Asked]) -> Self:
        return cls(
            asked=tuple(asked),
            todo=tuple(ToAsk(of=n, url=each.url) for n, each in enumerate(asked)),
            gathered=(Gathered(),) * len(asked),
            seen=frozenset(_key(n, each.url) for n, each in enumerate(asked)),
        )

    @classmethod
    def read(cls, body: bytes) -> Self:
        told = json.loads(body)
        return cls(
            asked=tuple(_asked(each) for each in told["asked"]),
            todo=tuple(ToAsk(**each) for each in told["todo"]),
            gathered=tuple(_gathered(each) for each in told["gathered"]),
            seen=frozenset(told["seen"]),
        )

    def body(self) -> bytes:
        told = asdict(replace(self, seen=frozenset()))
        return canonical({**told, "seen": sorted(self.seen)})

    @property
    def next(self) -> ToAsk:
        return self.todo[0]

    def heard(self, said: Listing) -> Self:
        """The list that was next has answered."""
        asked, now = self.asked[self.next.of], self.gathered[self.next.of]
        usable = [each for each in said.pages if not list_fault_of(each.url)]
        pages = _newest(asked, (*now.pages, *usable))
        deeper, more = self._deeper(said.lists)
        now = replace(
            now,
            pages=pages,
            named=now.named + len(usable),
            lists=now.lists + len(deeper) + more,
            unlooked=now.unlooked + more,
            unusable=now.unusable + said.unusable + len(said.pages) - len(usable),
        )
        todo = [
            each
            for each in (*self.todo[1:], *deeper)
            if each.of != self.next.of or not _is_too_old(each, asked, now)
        ]
        seen = self.seen | {_key(each.of, each.url) for each in deeper}
        return replace(self._with(now), todo=tuple(todo), seen=seen)

    def failed(self, fault: Fault) -> Self:
        """The list that was next cannot be read, however often it is asked."""
        now = self.gathered[self.next.of]
        faults = (*now.faults, fault)[:SPELT_OUT]
        told = self._with(replace(now, failed=now.failed + 1, faults=faults))
        return replace(told, todo=self.todo[1:])

    def put_off(self, wait: int) -> Self:
        """The list that was next did not answer now: first come all the others."""
        again = replace(self.next, tries=self.next.tries + 1, wait=wait)
        return replace(self, todo=(*self.todo[1:], again))

    def cut_short(self) -> Self:
        """No more lists are asked for."""
        left = [sum(each.of == n for each in self.todo) for n in range(len(self.asked))]
        gathered = tuple(
            replace(now, unlooked=now.unlooked + more)
            for now, more in zip(self.gathered, left, strict=True)
        )
        return replace(self, todo=(), gathered=gathered)

    def _deeper(self, lists: Sequence[Listed]) -> tuple[tuple[ToAsk, ...], int]:
        """Further lists to ask, the newest first, and how many more there are than we look at."""
        of, depth = self.next.of, self.next.depth + 1
        once: dict[str, Listed] = {}
        for each in newest_first(lists):
            if not list_fault_of(each.url):
                once.setdefault(_key(of, each.url), each)
        fresh = [each for key, each in once.items() if key not in self.seen]
        room = max(0, LISTS_EACH - self.gathered[of].lists) if depth <= DEEPEST else 0
        taken = (ToAsk(of=of, url=e.url, when=e.when, depth=depth) for e in fresh[:room])
        return tuple(taken), len(fresh[room:])

    def _with(self, now: Gathered) -> Self:
        gathered = list(self.gathered)
        gathered[self.next.of] = now
        return replace(self, gathered=tuple(gathered))


def _newest(asked: Asked, listed: Iterable[Listed]) -> tuple[Listed, ...]:
    """As many as were asked for of those that match, each page once."""
    once: dict[str, Listed] = {}
    for each in newest_first(listed):
        once.setdefault(canonical_url(each.url), each)
    matching = (each for name, each in once.items() if _matches(asked, path_and_query(name)))
    return tuple(islice(matching, asked.limit))


def _matches(asked: Asked, path: str) -> bool:
    is_included = not asked.include or any(_fits(path, glob) for glob in asked.include)
    return is_included and not any(_fits(path, glob) for glob in asked.exclude)


def _fits(path: str, glob: str) -> bool:
    """Letters outside of ASCII stand in a path as escapes, and so they do in the glob."""
    return fnmatchcase(path, quote(glob, safe=_ASCII))


def _is_too_old(each: ToAsk, asked: Asked, now: Gathered) -> bool:
    """What changed before the oldest page that is kept holds none that is newer."""
    is_full = len(now.pages) == asked.limit
    return is_full and 0 < each.when < now.pages[-1].when


def _key(of: int, url: str) -> str:
    return digest(of, canonical_url(url))[:16]


_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def _asked(told: Mapping[str, Any]) -> Asked:
    globs = {name: tuple(told[name]) for name in ("include", "exclude")}
    return Asked(**{**told, **globs, "kind": SourceKind(told["kind"])})


def _gathered(told: Mapping[str, Any]) -> Gathered:
    pages = tuple(Listed(**each) for each in told["pages"])
    faults = tuple(Fault(**each) for each in told["faults"])
    return Gathered(**{**told, "pages": pages, "faults": faults})
