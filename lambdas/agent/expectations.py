"""What kind of thing would answer a question: an amount of money, a date, a number, a person."""

from __future__ import annotations

import re
from enum import Enum


class Expects(Enum):
    """The kind of thing that answers the question."""

    ANYTHING = "anything"
    MONEY = "money"
    DATE = "date"
    DURATION = "duration"
    NUMBER = "number"
    PERSON = "person"


# The first that fits. True: it asks for exactly this kind, so that nothing else answers it well.
ASKS_FOR = (
    (Expects.MONEY, True, r"how much (?:is|are)\b|\bcosts?\b|price of"),
    (Expects.MONEY, True, r"how much\b.*\b(?:pay|paid|charged?|spen[dt]|raised?|worth|earn)\b"),
    (Expects.DATE, True, r"^when\b|(?:what|which) (?:date|day|month|year)|how soon"),
    (Expects.DURATION, True, r"how long\b(?!er)|(?:what|which) duration"),
    (Expects.NUMBER, True, r"how (?:many|much|often|large|big|fast|high)\b|percentage"),
    (Expects.PERSON, False, r"^whom?\b|(?:what|which) (?:person|people)"),
    (Expects.MONEY, False, r"\b(?:pric(?:e|es|ing)|plans?|fees?|revenues?|sales|tariffs?)\b"),
    (Expects.DATE, False, r"\b(?:deadlines?|schedule|dates?|(?:until|by|since) when)\b"),
    (Expects.NUMBER, False, r"\b(?:limits?|quotas?|maximum|minimum)\b"),
)


def expected(clause: str) -> tuple[Expects, bool]:
    for kind, must, asks in ASKS_FOR:
        if re.search(asks, clause):
            return kind, must
    return Expects.ANYTHING, False
