"""A date as sources write it, as ISO 8601; only where it can be read in one way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

EARLIEST, LATEST = 1900, 2100
"""Years. What is outside is a placeholder or a slip."""


def iso_date(words: str) -> str:
    """The day that a machine's words name, in the zone they name; empty where they name none."""
    found = _ISO.match(words) or _MAIL.match(words)
    if not found:
        return ""
    return _day(found["year"], _month(found["month"]), found["day"])


def spelled_dates(words: str) -> Iterator[str]:
    """The days that people's words name, by the month's name or in ISO's order."""
    for found in _SPELLED.finditer(words):
        month = _month(found["before"] or found["behind"])
        if day := _day(found["year"], month, found["day"] or found["day_behind"]):
            yield day
    for found in _PLAIN_ISO.finditer(words):
        if day := _day(*found.groups()):
            yield day


def _month(name: str) -> str:
    """Its number, from its name in some language, or as it stands."""
    known = _MONTHS.get(name.lower()) or _MONTHS.get(name[:3].lower())
    return str(known or name)


def _day(year: str, month: str, day: str) -> str:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return found.isoformat() if EARLIEST <= found.year <= LATEST else ""


_NAMES = (
    "jan january januar janvier enero gennaio",
    "feb february februar f\u00e9vrier febrero febbraio",
    "mar march m\u00e4rz mars marzo",
    "apr april avril abril aprile",
    "may mai mayo maggio",
    "jun june juni juin junio giugno",
    "jul july juli juillet julio luglio",
    "aug august ao\u00fbt agosto",
    "sep sept september septembre septiembre settembre",
    "oct okt october oktober octobre octubre ottobre",
    "nov november novembre noviembre",
    "dec dez december dezember d\u00e9cembre diciembre dicembre",
)
_MONTHS = {name: month for month, names in enumerate(_NAMES, 1) for name in names.split()}
_ANY_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))

_ISO = re.compile(
    r"\s*(?P<year>\d{4})(?P<dash>[-/.]?)(?P<month>\d\d?)(?P=dash)(?P<day>\d\d?)(?=\D|$|\d{6})"
)
_MAIL = re.compile(
    r"\s*(?:\w{3,9}, *)?(?P<day>\d\d?) (?P<month>[A-Za-z]{3})[a-z]* (?P<year>\d{4})\b"
)
_SPELLED = re.compile(
    rf"\b(?:(?P<before>{_ANY_MONTH})\.? +(?P<day>\d\d?)(?:st|nd|rd|th)?,? +"
    rf"|(?P<day_behind>\d\d?)(?:st|nd|rd|th|\.|er)? +(?:de +)?(?P<behind>{_ANY_MONTH})\.?,? +"
    r"(?:de +)?)"
    r"(?P<year>\d{4})\b",
    re.IGNORECASE,
)
_PLAIN_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])")
