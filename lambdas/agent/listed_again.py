"""Lists that were set aside and are expanded again in a later run, among what was read before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from lambdas.agent.continuing import Division
from lambdas.agent.listed_sources import Found
from lambdas.agent.request import Asked, Source
from lambdas.agent.sources import listing, place_of, without_doubles


def lists_again(parts: Division, asked: Iterable[Asked]) -> dict[Asked, Source]:
    """The lists that are left, as the request asks for them, with their new places."""
    left = {place_of(source): source for source in parts.left if source.kind.is_list}
    named = {each: place_of(listing(each)) for each in asked if each.kind.is_list}
    return {each: left[place] for each, place in named.items() if place in left}


def with_lists(
    parts: Division, lists: Mapping[Asked, Source], found: Mapping[Asked, Found]
) -> Division:
    """Each list gives way to its pages. A page that was there already stays what it was."""
    known = {place_of(source): source for source in parts.every}
    every = without_doubles(
        each for source in parts.every for each in _given_way(source, lists, found, known)
    )
    left = {source.item for source in parts.left}
    is_left = (each.item in left or place_of(each) not in known for each in every)
    pages = zip(every, is_left, strict=True)
    return Division(
        every=every, left=tuple(each for each, left in pages if left and not each.kind.is_list)
    )


def _given_way(
    source: Source,
    lists: Mapping[Asked, Source],
    found: Mapping[Asked, Found],
    known: Mapping[str, Source],
) -> Iterator[Source]:
    of_it = [found[asked] for asked, listed in lists.items() if listed == source]
    if not of_it or any(each.fault for each in of_it):
        yield source
    for each in of_it:
        for page in each.pages:
            before = known.get(place_of(page))
            yield replace(before, also=(*before.also, page.url)) if before else page
