"""How we name ourselves to the sites that are read."""

from __future__ import annotations

from lambdas.agent.manners import PRODUCT_TOKEN

VERSION = "0.1"

_NOT_IN_COMMENTS = str.maketrans("", "", "()\\")


def user_agent(contact: str) -> str:
    """Who asks, and whom to write to: sites see both in their logs.

    There is no From field beside it: it takes a mail address alone, and few logs keep it.
    """
    printable = "".join(each for each in contact if each.isascii() and each.isprintable())
    return f"{PRODUCT_TOKEN}/{VERSION} (+{printable.translate(_NOT_IN_COMMENTS)})"
