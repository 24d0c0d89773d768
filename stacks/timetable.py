"""The schedules that a deployment names, read from `cdk.json` and refused whole if one is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import available_timezones

from stacks.declared import declared

OVERLAPS = ("skip", "queue")
INPUT_LIMIT = 200_000
"""Bytes of a schedule's request; EventBridge Scheduler takes 256 KB."""
_FIELDS = {"name", "request", "cron", "rate", "time_zone", "overlap", "enabled"}
_NAME = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,39}")
_CRON = re.compile(r"\S+( \S+){5}")
_RATE = re.compile(r"[1-9]\d{0,4} (minute|hour|day)s?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """`expression` is the Scheduler's: cron(...) in the time zone, or rate(...)."""

    name: str
    expression: str
    request: Mapping[str, Any] = field(hash=False)
    time_zone: str = "UTC"
    overlap: str = "skip"
    enabled: bool = True


def timetable(told: object) -> tuple[Scheduled, ...]:
    """Every schedule, or a ValueError that names each fault of each."""
    return tuple(_scheduled(one) for one in declared("schedules", told, _faults))


def _faults(number: int, one: object) -> Iterator[str]:
    where = f"schedules[{number}]"
    if not isinstance(one, Mapping):
        yield f"{where} is no object"
        return
    for unknown in sorted(set(one) - _FIELDS):
        yield f"{where}.{unknown}: there is no such field"
    name = one.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{where}.name: write up to 40 letters, digits and hyphens"
    if ("cron" in one) == ("rate" in one):
        yield f"{where}: write either cron or rate"
    if "cron" in one and not _is_cron(str(one["cron"])):
        yield f'{where}.cron: write six fields, one of both days a ?, as in "0 6 ? * MON *"'
    if "rate" in one and not _RATE.fullmatch(str(one["rate"])):
        yield f'{where}.rate: write a number and a unit, as in "1 day"'
    if str(one.get("time_zone", "UTC")) not in available_timezones():
        yield f"{where}.time_zone: there is no zone {one['time_zone']!r}"
    if one.get("overlap", "skip") not in OVERLAPS:
        yield f"{where}.overlap: write one of {', '.join(OVERLAPS)}"
    if not isinstance(one.get("enabled", True), bool):
        yield f"{where}.enabled: write true or false"
    yield from _faults_of_request(where, one.get("request"))


def _is_cron(told: str) -> bool:
    """Its form. AWS takes a day of the month or of the week, and a ? for the other."""
    return bool(_CRON.fullmatch(told)) and (told.split()[2] == "?") != (told.split()[4] == "?")


def _faults_of_request(where: str, request: object) -> Iterator[str]:
    if not isinstance(request, Mapping):
        yield f"{where}.request: write the request, or the path of its file"
        return
    if "workflow_id" in request:
        yield f"{where}.request.workflow_id: leave it out, each tick names its own"
    if len(json.dumps(request)) > INPUT_LIMIT:
        yield f"{where}.request: it is too large; name a feed or a sitemap instead of its pages"


def _scheduled(one: Mapping[str, Any]) -> Scheduled:
    cron = one.get("cron")
    return Scheduled(
        name=one["name"],
        expression=f"cron({cron})" if cron else f"rate({one['rate']})",
        request=one["request"],
        time_zone=one.get("time_zone", "UTC"),
        overlap=one.get("overlap", "skip"),
        enabled=one.get("enabled", True),
    )
