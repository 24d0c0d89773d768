"""The numbers that a passage says, each with what belongs to it: sign, magnitude, unit, period.

Two numbers are the same where both can be read in one way only and are worth the same, in the
same unit; otherwise where they are written alike. A range is one thing, and so is a name with a
number in it (H100, COVID-19). Dates are no numbers: dates.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from lambdas.agent import number_words, numerals
from lambdas.agent.dates import Day, without_dates
from lambdas.agent.legible import HARD_SPACE
from lambdas.agent.number_signs import (
    AND,
    BEFORE,
    GLUE,
    NOUN,
    NUMERAL,
    PAIR,
    SHORT_MONEY,
    TO,
    is_money,
    prefix_of,
    suffix_of,
)
from lambdas.agent.terms import stem, term
from lambdas.agent.units import PERIODS, any_of, magnitude, period, unit

PERIOD = re.compile(rf"(?<![^\W_])(?:{any_of(PERIODS)})(?![^\W_])", re.IGNORECASE)
YEAR = re.compile(r"1[89]\d\d|20\d\d")
IDLE = {"und", "oder", "et", "ou", "y", "o", "en", "of", "von", "de", "van"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number, or a range of two, as it is compared.

    written  the numeral and its sign, in one spelling
    values   what it is worth, magnitude included; empty where it can be read in two ways
    unit     currency or unit; empty where it counts something else, then `noun` says what
    period   of a price or a rate: "month"
    """

    start: int
    end: int
    written: str
    values: tuple[Decimal, ...]
    unit: str = ""
    period: str = ""
    noun: str = ""
    scale: Decimal = Decimal(1)

    def is_said_by(self, other: Number, periods: Collection[str]) -> bool:
        """True where a passage with the other number, and these periods, says this one."""
        units = {other.unit, "$"} if other.unit == "USD" else {other.unit}
        if self.unit not in units:
            return False
        if (
            self.period
            and self.period != other.period
            and (other.period or self.period not in periods)
        ):
            return False
        return self.written == other.written or bool(self.values and self.values == other.values)


def numbers(text: str, language: str = "") -> tuple[Number, ...]:
    """The numbers of a legible text, in their order."""
    searched = without_dates(text, language)
    return tuple(_ranges(tuple(_single(searched, language)), searched))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The numbers of one passage, the years of its dates, and the periods that it names."""

    numbers: tuple[Number, ...]
    years: frozenset[str]
    periods: frozenset[str]

    @classmethod
    def of(cls, quote: str, days: Iterable[Day], language: str = "") -> Told:
        return cls(
            numbers=numbers(quote, language),
            years=frozenset(str(day.year) for day in days if day.year),
            periods=frozenset(period(word[0]) for word in PERIOD.finditer(quote)),
        )


def missing(claim: str, quote: str, days: Iterable[Day], language: str = "") -> str:
    """The first number of the claim that the quote, in which these dates stand, does not say."""
    return missing_in_all(claim, [Told.of(quote, days, language)])


def missing_in_all(claim: str, passages: Sequence[Told]) -> str:
    """The first number of the claim that none of the passages says.

    Each number of a passage vouches for one of the claim, with the periods of its own passage.
    """
    left = [(number, each.periods) for each in passages for number in each.numbers]
    years = {year for each in passages for year in each.years}
    for number in numbers(claim):
        told = next((each for each in _alike(number, left) if number.is_said_by(*each)), None)
        if told:
            left.remove(told)
        elif not (YEAR.fullmatch(number.written) and not number.unit and number.written in years):
            return number.written
    return ""


def _alike(
    number: Number, told: Sequence[tuple[Number, frozenset[str]]]
) -> Sequence[tuple[Number, frozenset[str]]]:
    """Where a quote counts the very thing that the claim counts, only that number will do."""
    same = [each for each in told if number.noun and each[0].noun == number.noun]
    return same or told


def _single(text: str, language: str) -> Iterator[Number]:
    at = 0
    while found := NUMERAL.search(text, at):
        number = _code(text, found) or _number(text, found, language)
        yield number
        at = max(number.end, found.end())


def _code(text: str, found: re.Match[str]) -> Number | None:
    """A name with digits in it, or digits with letters to them that are no unit: 4th, 5G."""
    end = found.end()
    if found["numeral"] and not found["glued"]:
        blob = GLUE.match(text, end)
        if not blob or suffix_of(text, end).end() > end or is_money(text, found):
            return None
        end = blob.end()
    elif found["words"]:
        return None
    written = text[found.start() : end].casefold()
    return Number(start=found.start(), end=end, written=written, values=())


def _number(text: str, found: re.Match[str], language: str) -> Number:
    numeral = (found["numeral"] or found["words"]).casefold()
    written = numeral.replace(HARD_SPACE, " ")
    prefix, suffix = prefix_of(text, found.start()), suffix_of(text, found.end())
    end, scale = suffix.end(), _scale(suffix, language)
    if is_money(text, found):
        end = found.end() + 1
        scale = Decimal(10) ** SHORT_MONEY[text[found.end()].casefold()]
    sign = "-" if prefix["sign"] or prefix["inner"] else ""
    worth = number_words.value(numeral) if found["words"] else numerals.value(numeral, language)
    if prefix["open"] and text[end : end + 1] == ")":
        written, worth = f"({written})", None  # the way some accounts write a minus
    own = _unit(prefix, suffix)
    told = suffix["period"] or suffix["adverb"]
    return Number(
        start=found.start() - len(prefix[0].lstrip()),
        end=end,
        written=f"{sign}{written}" + (f"*{scale}" if scale != 1 else ""),
        values=() if worth is None else ((-worth if sign else worth) * scale,),
        unit=own,
        period=period(told) if told else "",
        noun="" if own else _noun(text, end),
        scale=scale,
    )


def _unit(prefix: re.Match[str], suffix: re.Match[str]) -> str:
    """The unit or currency, and how the number is compared with it: "<%"."""
    mark = (prefix["mark"] or "").strip().replace("+", "")
    written = prefix["money"] or suffix["money"] or suffix["sign"] or suffix["word"]
    return mark + (unit(written) if written else "")


def _scale(suffix: re.Match[str], language: str) -> Decimal:
    if suffix["million"]:
        return Decimal(10) ** 6
    written = suffix["cjk"] or suffix["magnitude"]
    return magnitude(written, language) if written else Decimal(1)


def _noun(text: str, at: int) -> str:
    found = NOUN.match(text, at)
    word = found[1].casefold() if found else ""
    return "" if word in IDLE or not term(word) else stem(word)


def _ranges(singles: Sequence[Number], text: str) -> Iterator[Number]:
    """The numbers, two that are the ends of a range taken as one."""
    waiting = list(singles)
    while waiting:
        low = waiting.pop(0)
        if waiting and _is_range(low, waiting[0], text):
            yield _range(low, waiting.pop(0))
        else:
            yield low


def _is_range(low: Number, high: Number, text: str) -> bool:
    between = text[low.end : high.start]
    is_pair = PAIR.search(text[max(0, low.start - BEFORE) : low.start]) and AND.fullmatch(between)
    return bool(is_pair or TO.fullmatch(between))


def _range(low: Number, high: Number) -> Number:
    """Magnitude and unit behind the second belong to both, a currency before the first too."""
    shared = low.scale == 1 and high.scale != 1
    lows = tuple(each * high.scale for each in low.values) if shared else low.values
    if lows > high.values:
        lows = low.values
    units = sorted({low.unit, high.unit} - {""})
    return replace(
        high,
        start=low.start,
        written=f"{low.written}..{high.written}",
        values=(*lows, *high.values) if lows and high.values else (),
        unit="..".join(units),
    )
