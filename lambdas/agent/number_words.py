"""Numbers in words, in the languages that reports are written in.

Left out is what is mostly something else: one, once, sept, neuf, sei, the articles.
"""

from __future__ import annotations

import re
from decimal import Decimal

_WORDS = {
    2: "two zwei deux dos twee",
    3: "three drei trois tres drie",
    4: "four vier quatre cuatro",
    5: "five f\u00fcnf cinq cinco vijf",
    6: "six sechs seis zes",
    7: "seven sieben siete zeven",
    8: "eight acht huit ocho",
    9: "nine neun nueve negen",
    10: "ten zehn dix diez tien",
    11: "eleven elf onze",
    12: "twelve zw\u00f6lf douze doce twaalf dozen dutzend",
    13: "thirteen dreizehn treize trece dertien",
    14: "fourteen vierzehn quatorze catorce veertien",
    15: "fifteen f\u00fcnfzehn quinze quince vijftien",
    16: "sixteen sechzehn seize zestien",
    17: "seventeen siebzehn zeventien",
    18: "eighteen achtzehn achttien",
    19: "nineteen neunzehn negentien",
    20: "twenty zwanzig vingt veinte twintig",
    30: "thirty drei\u00dfig trente treinta dertig",
    40: "forty vierzig quarante cuarenta veertig",
    50: "fifty f\u00fcnfzig cinquante cincuenta vijftig",
    60: "sixty sechzig soixante sesenta zestig",
    70: "seventy siebzig setenta zeventig",
    80: "eighty achtzig ochenta tachtig",
    90: "ninety neunzig noventa negentig",
    100: "hundred hundreds hundert honderd",
    1000: "thousand thousands tausend tausende mille duizend",
    1_000_000: "million millions millionen millones miljoen miljoenen",
    1_000_000_000: "billion billions milliarden milliards miljard",
}
VALUES = {word: number for number, words in _WORDS.items() for word in words.split()}
SMALL = "|".join(word for word in sorted(VALUES, key=len, reverse=True))
RUN = rf"(?:{SMALL})(?:[ -](?:{SMALL}))*"
"""Words of one number: two hundred thousand, twenty-five."""


def value(run: str) -> Decimal:
    total = current = 0
    for word in re.split("[ -]", run.casefold()):
        number = VALUES[word]
        if number >= 1000:
            total, current = total + max(current, 1) * number, 0
        elif number == 100:
            current = max(current, 1) * number
        else:
            current += number
    return Decimal(total + current)
