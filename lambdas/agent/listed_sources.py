"""What the lists of a request have come to: sources to read, and what of them is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from lambdas.agent.expansion import Expansion, Gathered
from lambdas.agent.model import Fault
from lambdas.agent.request import Asked, Source
from lambdas.agent.sources import MOST_SOURCES, listing, page, place_of, without_doubles


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one list has come to. `fault` tells what is not there: of all, or of a part."""

    pages: tuple[Source, ...]
    fault: Fault | None


def found(expansion: Expansion, others: Iterable[Source]) -> dict[Asked, Found]:
    """The pages of each list, as far as there is room beside the other sources of the run."""
    taken = {place_of(source) for source in others}
    every: dict[Asked, Found] = {}
    for asked, now in zip(expansion.asked, expansion.gathered, strict=True):
        pages = tuple(page(each.url) for each in now.pages)
        fresh = list(dict.fromkeys(each.item for each in pages if each.item not in taken))
        room = max(0, MOST_SOURCES - len(taken))
        cut = set(fresh[room:])
        taken |= set(fresh[:room])
        kept = tuple(each for each in pages if each.item not in cut)
        every[asked] = Found(pages=kept, fault=_fault(asked, now, cut=len(cut)))
    return every


def sources_of(asked: Iterable[Asked], found: Mapping[Asked, Found]) -> tuple[Source, ...]:
    """Everything to read, in the request's order; before the pages of a list whose fault there is
    to tell comes the list itself.
    """
    return without_doubles(source for each in asked for source in _sources(each, found))


def _sources(asked: Asked, found: Mapping[Asked, Found]) -> Iterator[Source]:
    if not asked.kind.is_list:
        yield page(asked.url)
    elif asked in found:
        if found[asked].fault:
            yield listing(asked)
        yield from found[asked].pages


def _fault(asked: Asked, now: Gathered, *, cut: int) -> Fault | None:
    host = urlsplit(asked.url).hostname or ""
    if now.failed == now.lists == 1:
        return now.faults[0]
    if not now.pages and not now.failed and not now.unlooked:
        return Fault(error_code="EMPTY_LIST", message=_empty(asked, now), dependency=host)
    told = tuple(_told(asked, now, cut=cut))
    if not told:
        return None
    code = "LIST_CUT" if cut or now.unlooked else "LIST_INCOMPLETE"
    return Fault(error_code=code, message=" ".join(told), dependency=host)


def _told(asked: Asked, now: Gathered, *, cut: int) -> Iterator[str]:
    """What a reader of the report should know is missing."""
    whose = f"the {asked.kind} {asked.url}"
    if now.failed:
        faults = " ".join(fault.message for fault in now.faults)
        yield f"{now.failed} of the {now.lists} lists of {whose} could not be read. {faults}"
    if now.unusable:
        yield f"{now.unusable} of the entries of {whose} name no address that can be read."
    if now.unlooked == now.lists:
        yield (
            f"There are more lists than a run looks at, and {whose} was not asked for: read it in "
            "a request of its own."
        )
    elif now.unlooked:
        yield (
            f"{now.unlooked} of the {now.lists} lists of {whose} were not asked for: there are "
            "more than a run looks at. Name those that you need as sources of their own."
        )
    if cut:
        yield (
            f"{cut} of the pages that {whose} names were left out: a run reads {MOST_SOURCES:,} "
            "sources. Ask for fewer, or in more than one request."
        )


def _empty(asked: Asked, now: Gathered) -> str:
    if now.named:
        return (
            f"None of the {now.named} pages that the {asked.kind} {asked.url} names matches what "
            "its `include` and `exclude` ask for: mend those."
        )
    return (
        f"The {asked.kind} {asked.url} names no page: see in a browser what it holds, or name "
        "pages instead."
    )
