"""From the lists of a request to their pages: lap after lap, and then why some are missing.

What a list has come to is committed before anything is concluded from it, so that a worker who
comes after concludes the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lambdas.agent.contract import Step, budget
from lambdas.agent.expanding import Lap, Pace, lap
from lambdas.agent.expansion import Expansion
from lambdas.agent.identity import canonical
from lambdas.agent.listed_sources import Found, found
from lambdas.agent.model import Fault, Outcome, Unit
from lambdas.agent.request import Asked, Source
from lambdas.agent.runtime import run
from lambdas.agent.work import Work

Missing = tuple[Source, Fault]


def expanded(
    work: Work,
    lists: Mapping[Asked, Source],
    *,
    others: Iterable[Source],
    told: Mapping[str, Any],
    goes_on: bool = False,
) -> Outcome | Mapping[Asked, Found]:
    """What to commit while there is more to do; else what each list has come to.

    `lists` has the place of each in the records, `others` are the sources beside their pages, and
    `told` stands in every cursor. Where PLAN `goes_on` after it, what the lists have come to is
    committed first, lest a later lap concludes something else.
    """
    if not lists:
        return {}
    so_far = work.result_so_far()
    expansion = Expansion.read(so_far) if so_far else Expansion.of(list(lists))
    if expansion.todo:
        return _one_lap(work, expansion, others, told, goes_on=goes_on)
    every = found(expansion, others)
    missing = [(lists[asked], each.fault) for asked, each in every.items() if each.fault]
    return _all_told(work, missing) or every


def _one_lap(
    work: Work,
    expansion: Expansion,
    others: Iterable[Source],
    told: Mapping[str, Any],
    *,
    goes_on: bool,
) -> Outcome | Mapping[Asked, Found]:
    now = lap(work, expansion, Pace.of(work.cursor.get("pace", {})))
    every = {} if now.expansion.todo else found(now.expansion, others)
    if every and not goes_on and not any(each.fault for each in every.values()):
        return every
    return _unfinished(now, told)


def _unfinished(now: Lap, told: Mapping[str, Any]) -> Outcome:
    cursor, body = {**told, "pace": now.pace.cursor()}, now.expansion.body()
    if now.wait:
        return Outcome.wait(cursor, seconds=now.wait, result=body)
    return Outcome.go_on(cursor, result=body)


def _all_told(work: Work, missing: Sequence[Missing]) -> Outcome | None:
    """Set the lists aside, as many as the time holds; None where all are."""
    begin = work.cursor.get("aside", 0)
    for number, (source, fault) in enumerate(missing[begin:], begin):
        if number > begin and work.is_time_up():
            cursor = {**work.cursor, "aside": number}
            return Outcome.go_on(cursor, result=work.result_so_far())
        _set_aside(work, source, fault)
    return None


def _set_aside(work: Work, source: Source, fault: Fault) -> None:
    """As SET_ASIDE does for a page: VALIDATE and the console find the reason in the same place."""
    unit = Unit(task_id=work.task_id, step=Step.SET_ASIDE, item=source.item)
    why = {
        "step": work.unit.step.value,
        "error_code": fault.error_code,
        "reason": fault.message,
        "dependency": fault.dependency,
    }
    run(
        lambda _: Outcome.done(result=canonical(why), error_code=fault.error_code),
        unit,
        work.ports,
        owner=str(work.held.owner),
        seconds=budget(Step.SET_ASIDE).function,
    )
