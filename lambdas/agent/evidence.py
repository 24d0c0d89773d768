"""What kind of answer a passage holds, and whether it is a statement at all."""

from __future__ import annotations

import re

from lambdas.agent.expectations import Expects
from lambdas.agent.markup import linked, plain
from lambdas.agent.typography import CURRENCY, QUESTION_MARKS

CODES = "usd|eur|gbp|chf|jpy|inr"
MONEY = "dollars?|euros?|pounds?|cents?|pence"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
SEASON = "week|month|quarter|year|spring|summer|autumn|fall|winter"
COUNT = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
PERIOD = "second|minute|hour|day|night|week|month|quarter|year|decade"

HOLDS = {
    Expects.MONEY: re.compile(
        rf"""
        [{CURRENCY}]\s?\d | \d\s?[{CURRENCY}] | \b(?:{CODES})\s?\d | \d\s?(?:{CODES}|{MONEY})\b
        | \d\ (?:[mb]illion|bn)\ (?:{MONEY})\b | \bfree\b | \bno\ (?:extra\ )?(?:cost|charge)\b
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    Expects.DATE: re.compile(
        rf"""
        \b\d{{1,2}}(?:st|nd|rd|th)?\ {MONTH}\b | \b{MONTH}\.?\ \d{{1,4}}\b | \b\d{{4}}-\d\d-\d\d\b
        | \b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b | \b(?:1[89]|20)\d\d\b | \bq[1-4]\b
        | \b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b | \b(?:today|yesterday|tomorrow)\b
        | \b(?:last|next|this)\ (?:{SEASON})\b
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    Expects.DURATION: re.compile(
        rf"(?:\d|\b(?:an?|one|{COUNT}|several|few|couple(?: of)?))[ -](?:full )?(?:{PERIOD})s?\b",
        re.IGNORECASE,
    ),
    Expects.NUMBER: re.compile(
        rf"""
        (?<![\w-])[{CURRENCY}]?\d
        | \b(?:{COUNT}|dozens?|hundreds?|thousands?|[mb]illions?|half|third|quarter|twice)\b
        | \bunlimited\b
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    Expects.PERSON: re.compile(r"\b[A-Z][\w'.-]+ (?:[A-Z]\.? )?[A-Z][\w'-]+"),
}

HAS_CURRENCY = re.compile(rf"[{CURRENCY}]|\b(?:{CODES}|{MONEY})\b", re.IGNORECASE)

MENU = 0.9
"""Share of a passage that is links, from which on it is a menu."""
LONGEST_INVITATION = 9
"""Words of a line like "Read more about our plans"."""

# What every page says about itself.
CHROME = re.compile(
    r"""
    \bcookies?\b.*\b(?:use|accept|consent|preferences|policy|settings|stored?|browser|experience)\b
    | \b(?:uses?|accept|reject|manage|allow|set)\b.{0,40}\bcookies\b
    | \ball\ rights\ reserved\b | ^(?:\u00a9|\(c\)|copyright\b)
    | \b(?:sign\ up|subscribe|register)\b.{0,40}\b(?:newsletter|updates|inbox|mailing\ list)\b
    | \byour\ (?:e-?mail|browser)\b.{0,60}\b(?:required|published|enable|javascript|supported)\b
    | \benable\ javascript\b | \bby\ (?:clicking|continuing|signing\ up|subscribing)\b.*\bagree\b
    | \bskip\ to\ (?:main\ )?content\b | \bterms\ of\ (?:use|service)\b.*\bprivacy\b
    | \bprotected\ by\ recaptcha\b
    | ^[\w\s&-]{1,40}(?:\s[\u203a\u00bb\u2192/]\s[\w\s&-]{1,40})+$     # a trail: Home > Blog > News
    """,
    re.VERBOSE | re.IGNORECASE,
)
INVITATION = re.compile(
    r"""(?:
    (?:read|learn|find\ out|discover|see|view|explore|browse|show|load)\b
        .*\b(?:more|all|our|full|details|plans|pricing|how|why|story|article|post|here)
    | (?:click|tap)\ (?:here|on|the) | sign\ (?:up|in) | log\ in | subscribe | get\ started | share
    | follow\ (?:us|me) | contact\ (?:us|sales|support|our) | talk\ to | join\ (?:us|our|now)
    | (?:book|request|watch|see)\ (?:a|the|your)\ demo | (?:start|try)\ .*\b(?:free|trial|today|now)
    | download\ (?:now|our|the\ app) | (?:back|go|skip|jump|return)\ to | continue\ reading
    | (?:buy|shop|order|register|watch|play)\ now | add\ to\ (?:cart|basket) | compare\ plans
    | (?:related|more|next|previous|recent|popular|recommended)\ (?:from|on|about|articles?|posts?
        |story|stories|news|links|reading|page|topics)
    | (?:published|posted|updated|written|filed|tagged|photo|image)\ (?:by|on|in|under)
    | (?:photo|image|picture)?\ ?(?:credit|source): | advertisement
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


def holds(kind: Expects, words: str) -> bool:
    """True where the words have the kind of thing the question expects."""
    return kind is Expects.ANYTHING or HOLDS[kind].search(words) is not None


def is_amount(column: str, cell: str) -> bool:
    """A number in a column whose name says the currency."""
    return bool(HAS_CURRENCY.search(column) and HOLDS[Expects.NUMBER].search(cell))


def is_statement(quote: str) -> bool:
    """False for questions, invitations, menus and what every page says about itself."""
    seen = plain(quote)
    return not (
        seen.endswith(QUESTION_MARKS)
        or CHROME.search(seen)
        or (len(seen.split()) <= LONGEST_INVITATION and INVITATION.match(seen))
        or len(linked(quote)) >= MENU * len(seen)
    )
