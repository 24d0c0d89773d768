"""The words of a piece of Markdown, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lambdas.agent.twin import Edit, rewritten
from lambdas.agent.typography import CURRENCY, INVISIBLE

TARGET = (
    r"<?(?:[a-z]{2,8}:|www\.|[/.#?]|[\w-]{1,80}[/.](?=[^\s()]{0,80}[A-Za-z]))"
    r"[^\s()<>]{0,1000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?>?(?:\ \"[^\"\n]{0,200}\")?"
)
WORDY = r"(?:[^\W\d_]|[.,:;!?()\"'\u201c\u201d])"
"""What emphasis of one sign stands beside; beside a number the sign may be a sum's."""
MARK = re.compile(
    rf"""
    !\[[^\[\]\n]{{0,400}}\]\({TARGET}\)                        # an image
    | \[(?=[^\[\]\n]{{1,400}}\]\({TARGET}\))                   # a link begins,
    | \]\({TARGET}\)                                           # and ends
    | \\(?=[!-/:-@\[-`{{-~])                                   # an escape
    | (?<![\w*])\*{{2,3}}(?=[^\s*]) | (?<=[^\s*])\*{{2,3}}(?![\w*])
    | (?<![\w*\\])\*(?={WORDY}) | (?<={WORDY})\*(?![\w*])
    | (?<![\w\\])_{{1,2}}(?={WORDY}) | (?<={WORDY})_{{1,2}}(?!\w)
    | (?m:^)>[^\S\n]+(?=[^\W\d_])                                # a quotation's next line
    | (?<![\w`])`{{1,3}} | `{{1,3}}(?![\w`])                   # code
    """,
    re.VERBOSE,
)
LINE_MARK = re.compile(
    rf"^[^\S\n]*(?:#{{1,6}}\s+|>(?![^\S\n]*[\d{CURRENCY}])[^\S\n]?)+", re.MULTILINE
)
LINK = re.compile(rf"\[([^\[\]\n]{{1,400}})\]\({TARGET}\)")
UNSEEN = re.compile(f"[{INVISIBLE}]")


def plain(markdown: str) -> str:
    """The text without its Markdown and without what nobody sees, on one line."""
    seen = UNSEEN.sub("", LINE_MARK.sub("", markdown))
    return " ".join(rewritten(seen, marks(seen)).text.split())


def linked(markdown: str) -> str:
    """The words that are links."""
    return " ".join(link[1] for link in LINK.finditer(markdown))


def marks(markdown: str) -> Iterator[Edit]:
    """What a reader of the rendered text does not see: emphasis, link targets, escapes, images."""
    for mark in MARK.finditer(markdown):
        yield Edit(*mark.span(), "")
