"""What numbers are counted in: how each unit, currency, magnitude and period is written.

Keys are what two spellings are compared by. Signs keep their case (m is not M); words do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from lambdas.agent.terms import listed

_PERIODS = {
    "second": "second seconds sekunde sekunden seconde secondes segundo segundos seconden sec secs",
    "minute": "minute minutes minuten minuto minutos minuut min mins",
    "hour": "hour hours hourly stunde stunden heure heures hora horas uur uren hr hrs h",
    "day": "day days daily tag tage tagen t\u00e4glich jour jours d\u00eda d\u00edas dag dagen",
    "week": "week weeks weekly woche wochen semaine semaines semana semanas weken",
    "month": (
        "month months monthly monat monate monaten monatlich mois mensuel mes meses mensual maand"
        " maanden mo"
    ),
    "quarter": "quarter quarters quarterly quartal quartale trimestre trimestres kwartaal",
    "year": (
        "year years yearly annual annually annum jahr jahre jahren j\u00e4hrlich ans ann\u00e9e"
        " ann\u00e9es annuel a\u00f1o a\u00f1os anual jaar jaren yr yrs"
    ),
}
_WORDS = _PERIODS | {
    "pp": (
        "percentage_points percentage_point percent_points prozentpunkte prozentpunkten"
        " points_de_pourcentage puntos_porcentuales procentpunten procentpunt"
    ),
    "%": "percent per_cent prozent pour_cent por_ciento procent pct",
    "km": "kilometres kilometers kilometre kilometer kilom\u00e8tres kil\u00f3metros",
    "m": "metres meters metre meter m\u00e8tres m\u00e8tre metros",
    "mile": "miles mile meilen",
    "kg": "kilograms kilogram kilogramm kilogrammes kilos kilo",
    "t": "tonnes tonne tons tonnen toneladas",
    "l": "litres liters litre liter litros",
    "GB": "gigabytes gigabyte",
    "MB": "megabytes megabyte",
    "TB": "terabytes terabyte",
    "times": "times fold fois veces keer x",
    "degree": "degrees degree grad",
}
_SAME_SIGNS = listed(
    """% \u2030 \u00b0C \u00b0F \u00b0 km m cm mm kg g mg t l ml GB MB TB PB KB kW MW GW kWh MWh GWh
    Wh ms px pt MHz GHz Hz pp"""
)
_SIGNS = {sign: sign for sign in _SAME_SIGNS} | {
    "\u2103": "\u00b0C",
    "\u2109": "\u00b0F",
    "L": "l",
    "kB": "KB",
}
_CURRENCIES = {
    "$": "$ dollars dollar d\u00f3lares",
    "USD": "us$ usd u.s.$",
    "CAD": "ca$ c$ cad",
    "AUD": "a$ au$ aud",
    "EUR": "\u20ac eur euros euro",
    "GBP": "\u00a3 gbp pounds pfund",
    "CHF": "chf sfr franken",
    "\u00a5": "\u00a5 \u5143",
    "JPY": "jpy yen \u5186",
    "CNY": "cny rmb yuan",
    "INR": "\u20b9 inr rupees",
    "KRW": "\u20a9 krw",
    "RUB": "\u20bd rub",
    "cent": "\u00a2 cents cent pence",
}
_MAGNITUDES = {
    "2": "hundred hundreds hundert",
    "3": "thousand thousands tausend mille mil duizend tsd tsd. k",
    "5": "lakh lakhs",
    "6": (
        "million millions millionen mio mio. mill. mln mn mill\u00f3n millones miljoen miljoenen"
    ),
    "7": "crore crores",
    "9": "bn milliarde milliarden mrd mrd. md milliard milliards miljard miljarden mia",
    "12": "trillion trillions billionen bill\u00f3n billones biljoen trn",
}
CJK_MAGNITUDES = dict.fromkeys("\u4e07\u842c\ub9cc", 4) | dict.fromkeys("\u5104\u4ebf\uc5b5", 8)
_LONG_SCALE = {"de", "fr", "es", "nl", "it", "pt", "da", "sv", "nb", "pl"}
"""Languages in which a billion has twelve noughts."""


def _by_form(table: dict[str, str]) -> dict[str, str]:
    return {form.replace("_", " "): name for name, forms in table.items() for form in forms.split()}


PERIODS = _by_form(_PERIODS)
UNITS = _by_form(_WORDS)
CURRENCIES = _by_form(_CURRENCIES)
MAGNITUDES = {form: int(power) for form, power in _by_form(_MAGNITUDES).items()}


def magnitude(written: str, language: str) -> Decimal:
    """What the words or letters behind a number multiply it by."""
    form = written.casefold()
    if form in {"billion", "billions"}:
        return Decimal(10) ** (12 if language.partition("-")[0] in _LONG_SCALE else 9)
    power = CJK_MAGNITUDES[form] if form in CJK_MAGNITUDES else MAGNITUDES[form]
    return Decimal(10) ** power


def unit(written: str) -> str:
    """What a unit or a currency is compared by; R$ and the like are their own name."""
    form = written.casefold()
    return _SIGNS.get(written) or CURRENCIES.get(form) or UNITS.get(form, form)


def period(written: str) -> str:
    return PERIODS[written.casefold()]


def any_of(forms: Iterable[str]) -> str:
    """A pattern for these forms, the longest first."""
    longest_first = sorted(forms, key=len, reverse=True)
    return "|".join(re.escape(form) for form in longest_first)


SIGN = any_of(_SIGNS)
WORD = any_of(UNITS)
SIGNS_OF_MONEY = "".join(
    sorted(form for form in CURRENCIES if len(form) == 1 and not form.isalpha())
)
MONEY_WORD = any_of(form for form in CURRENCIES if re.fullmatch(r"[a-z\u00f3]+", form))
