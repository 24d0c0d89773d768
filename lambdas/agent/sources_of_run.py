"""The sources of a run: as the request names them, or as the run before had them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lambdas.agent.continuing import Division, divided
from lambdas.agent.listed_again import lists_again, with_lists
from lambdas.agent.listed_sources import sources_of
from lambdas.agent.model import Outcome, UnitRecord
from lambdas.agent.planning import expanded
from lambdas.agent.request import Asked, Request, Source
from lambdas.agent.sources import listing, page
from lambdas.agent.tasks import TaskRecord
from lambdas.agent.work import Work


def as_named(work: Work, request: Request, *, told: Mapping[str, Any]) -> Outcome | Division:
    """As the request names them, and none of the pages read."""
    goes_on = bool(told.get("baseline"))
    found = expanded(work, _lists(request), others=_pages(request), told=told, goes_on=goes_on)
    if isinstance(found, Outcome):
        return found
    every = sources_of(request.sources, found)
    return Division(every=every, left=tuple(each for each in every if not each.kind.is_list))


def as_divided(
    work: Work,
    task: TaskRecord,
    request: Request,
    sources: tuple[Source, ...] | None,
    units: Iterable[UnitRecord],
) -> Outcome | Division:
    """As the run before had them. Where it died planning, as the request names them."""
    told, run = {"execution": task.execution}, work.unit.context["run"]
    if sources is None:
        named = as_named(work, request, told=told)
        if isinstance(named, Outcome):
            return named
        left = divided(named.left, units, run=run, retry_set_aside=False).left
        return replace(named, left=left)
    parts = divided(sources, units, run=run, **work.args)
    lists = lists_again(parts, request.sources)
    pages = [source for source in parts.every if not source.kind.is_list]
    found = expanded(work, lists, others=pages, told=told)
    return found if isinstance(found, Outcome) else with_lists(parts, lists, found)


def _lists(request: Request) -> dict[Asked, Source]:
    return {asked: listing(asked) for asked in request.sources if asked.kind.is_list}


def _pages(request: Request) -> Iterator[Source]:
    return (page(each.url) for each in request.sources if not each.kind.is_list)
