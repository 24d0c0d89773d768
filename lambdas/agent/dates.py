"""The dates that a passage says, whole or in part: a day, a month of a year, a weekday.

A date in figures is read where its order is sure (31.12.2027, 2027-12-31, 12/31/2027) and taken
by its letters where it is not (03/04/2027).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_MONTHS = {
    1: "january jan januar janvier enero januari gennaio",
    2: "february feb februar f\u00e9vrier febrero februari febbraio",
    3: "march mar m\u00e4rz mars marzo maart",
    4: "april apr avril abril aprile",
    5: "may mai mayo mei maggio",
    6: "june jun juni juin junio giugno",
    7: "july jul juli juillet julio luglio",
    8: "august aug ao\u00fbt agosto augustus",
    9: "september sept sep septembre septiembre settembre",
    10: "october oct oktober okt octobre octubre ottobre",
    11: "november nov novembre noviembre",
    12: "december dec dezember dez d\u00e9cembre diciembre dicembre",
}
_WEEKDAYS = {
    1: "monday montag lundi lunes maandag",
    2: "tuesday dienstag mardi martes dinsdag",
    3: "wednesday mittwoch mercredi mi\u00e9rcoles woensdag",
    4: "thursday donnerstag jeudi jueves donderdag",
    5: "friday freitag vendredi viernes vrijdag",
    6: "saturday samstag sonnabend samedi s\u00e1bado zaterdag",
    7: "sunday sonntag dimanche domingo zondag",
}
MONTHS = {name: month for month, names in _MONTHS.items() for name in names.split()}
WEEKDAYS = {name: day for day, names in _WEEKDAYS.items() for name in names.split()}
ALONE = {name for name in MONTHS if len(name) > 3} - {"march", "mars", "mayo", "sept"}
"""Names of months that are one without a day or a year beside them."""
NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
SPACE = "[ \u00a0\n]"
DAY = r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
ORDINAL = "(?:st|nd|rd|th|er|\\.)?"
YEAR = r"\d{4}(?![\w%]|[.,]\d)"

DATE = re.compile(
    rf"""
    (?<![\w.,/-])(?P<iso>\d{{4}}-\d\d-\d\d)(?![\d/]|-\d)
    | (?<![\w.,/-])(?P<figures>\d{{1,2}}(?P<by>[./-])\d{{1,2}}(?P=by)(?:\d{{4}}|\d\d))
        (?![\w/]|[.,-]\d)
    | (?<![\w.,])(?P<day>{DAY}){ORDINAL}(?:{SPACE}(?:of|de))?{SPACE}(?P<month>{NAME})(?!\w)
        (?:\.?,?(?:{SPACE}(?:of|de|del))?{SPACE}(?P<year>{YEAR}))?
    | (?<!\w)(?P<month_us>{NAME})\.?{SPACE}(?P<day_us>{DAY})(?:st|nd|rd|th)?(?![\w%:]|[.,]\d)
        (?:,?{SPACE}(?P<year_us>{YEAR}))?
    | (?<!\w)(?P<month_only>{NAME})\.?(?:{SPACE}(?:of|de|del))?{SPACE}(?P<year_only>{YEAR})
    | (?<!\w)(?P<alone>{"|".join(sorted(ALONE, key=len, reverse=True))})(?!\w)
    | (?<!\w)(?P<weekday>{"|".join(WEEKDAYS)})s?(?!\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MONTH_FIRST, _UNKNOWN = {"en-us"}, {"", "en", "en-ca"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date as far as it is told, else 0; `written` counts where its order is unsure."""

    start: int
    end: int
    written: str
    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0

    def is_said_by(self, other: Day) -> bool:
        """True where the other tells at least as much, and the same."""
        if self.written == other.written:
            return True
        told = tuple(zip(self._parts(), other._parts(), strict=True))
        return any(own for own, _ in told) and all(own in {0, its} for own, its in told)

    def _parts(self) -> tuple[int, ...]:
        return self.year, self.month, self.day, self.weekday


def dates(text: str, language: str = "") -> Iterator[Day]:
    """The dates of a legible text."""
    for found in DATE.finditer(text):
        if day := _day(found, language):
            yield day


def missing(claim: str, quote: str, language: str = "") -> str:
    """The first date of the claim that the quote does not say."""
    return missing_among(claim, tuple(dates(quote, language)))


def missing_among(claim: str, told: Collection[Day]) -> str:
    """The first date of the claim that none of these tells."""
    for day in dates(claim):
        if not any(day.is_said_by(each) for each in told):
            return day.written
    return ""


def without_dates(text: str, language: str = "") -> str:
    """The text with nothing where its dates stood, and everything else in its place."""
    for day in dates(text, language):
        text = text[: day.start] + "\n" * (day.end - day.start) + text[day.end :]
    return text


def _day(found: re.Match[str], language: str) -> Day | None:
    if found["iso"] or found["figures"]:
        return _in_figures(found, language)
    name = found["month"] or found["month_us"] or found["month_only"] or found["alone"] or ""
    return Day(
        start=found.start(),
        end=found.end(),
        written=" ".join(found[0].casefold().split()),
        year=int(found["year"] or found["year_us"] or found["year_only"] or 0),
        month=MONTHS.get(name.casefold(), 0),
        day=int(found["day"] or found["day_us"] or 0),
        weekday=WEEKDAYS.get((found["weekday"] or "").casefold(), 0),
    )


def _in_figures(found: re.Match[str], language: str) -> Day | None:
    first, second, third = map(int, re.split("[./-]", found[0]))
    if found["iso"]:
        year, month, day = first, second, third
    elif _is_month_first(found["by"], first, second, language):
        year, month, day = third, first, second
    else:
        year, month, day = third, second, first
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    is_sure = found["by"] == "." or first == second or max(first, second) > 12
    is_sure = bool(found["iso"]) or is_sure or language.casefold() not in _UNKNOWN
    known = {"year": year, "month": month, "day": day} if is_sure and year > 99 else {}
    return Day(start=found.start(), end=found.end(), written=found[0], **known)


def _is_month_first(by: str, first: int, second: int, language: str) -> bool:
    if by != "." and first <= 12 < second:
        return True
    return by == "/" and language.casefold() in _MONTH_FIRST and first <= 12
