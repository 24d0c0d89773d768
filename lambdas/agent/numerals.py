"""What a numeral is worth, or that it can be read in two ways.

"103.000" is a hundred and three thousand in German and a hundred and three in English; "1,200.50"
is the same everywhere.
"""

from __future__ import annotations

import re
from decimal import Decimal

from lambdas.agent.legible import HARD_SPACE
from lambdas.agent.terms import listed

_COMMA = listed("de fr es it nl pt pl cs sk da sv nb nn no fi ru uk tr el hu ro bg hr sl sr id vi")
"""Languages whose decimal sign is a comma, and whose point groups."""
_POINT = listed("en zh ja ko th he hi")
_OTHERWISE = listed("de-ch de-li fr-ch it-ch es-mx es-us en-za")
"""Regions that do otherwise than their language, or both."""
LONGEST, LONGEST_EXPONENT = 24, 3
"""Characters. What is longer is a serial number, and beyond the precision of sums."""
_GROUPS = {
    separator: re.compile(rf"\d{{1,3}}(?:{re.escape(separator)}\d{{3}})+")
    for separator in (" ", HARD_SPACE, "'", ",", ".")
}
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")
_ONE_OR_OTHER = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def value(numeral: str, language: str = "") -> Decimal | None:
    """None where there are two readings, or none: 103.000, 12:30, 3.2.1."""
    whole, _, exponent = numeral.replace("\u066c", "'").casefold().partition("e")
    if len(whole) > LONGEST or len(exponent) > LONGEST_EXPONENT:
        return None
    decimal = _decimal_sign(language)
    plain = _ungrouped(whole.replace("\u066b", "." if "," not in whole else "?"), decimal)
    if plain is None or not re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return None
    return Decimal(plain).scaleb(int(exponent or 0))


def _decimal_sign(language: str) -> str:
    tag = language.casefold().replace("_", "-")
    name = tag.split("-")[0]
    if tag in _OTHERWISE:
        return ""
    return "," if name in _COMMA else "." if name in _POINT else ""


def _ungrouped(numeral: str, decimal: str) -> str | None:
    """The numeral with a point for its decimal sign and nothing else."""
    for separator in ("'", HARD_SPACE, " "):
        if separator in numeral:
            return _spaced(numeral, separator, decimal)
    points, commas = numeral.count("."), numeral.count(",")
    if points and commas:
        last = max(".,", key=numeral.rfind)
        return _mixed(numeral, last) if numeral.count(last) == 1 else None
    if points + commas > 1:
        separator = "." if points else ","
        return numeral.replace(separator, "") if _is_grouped(numeral, separator) else None
    if _ONE_OR_OTHER.fullmatch(numeral) and not "\u0660" <= numeral[0] <= "\u0669":
        return _by_language(numeral, decimal)
    return numeral.replace(",", ".")


def _spaced(numeral: str, separator: str, decimal: str) -> str | None:
    """Groups apart by spaces or apostrophes: what else stands in it can only be the decimal sign.

    An ordinary space may as well stand between two numbers, unless the language groups so.
    """
    whole, _, rest = numeral.replace(",", ".").partition(".")
    is_sure = separator != " " or decimal == ","
    if not is_sure or not _GROUPS[separator].fullmatch(whole):
        return None
    return whole.replace(separator, "") + ("." + rest if rest else "")


def _mixed(numeral: str, decimal: str) -> str | None:
    whole, _, rest = numeral.partition(decimal)
    separator = "," if decimal == "." else "."
    return f"{whole.replace(separator, '')}.{rest}" if _is_grouped(whole, separator) else None


def _is_grouped(numeral: str, separator: str) -> bool:
    is_indian = separator == "," and _INDIAN.fullmatch(numeral)
    return bool(is_indian or _GROUPS[separator].fullmatch(numeral))


def _by_language(numeral: str, decimal: str) -> str | None:
    if not decimal:
        return None
    grouping = "." if decimal == "," else ","
    return numeral.replace(grouping, "").replace(decimal, ".")
